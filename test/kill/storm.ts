import { z } from 'zod';
import { type Alert, type Change, revise, type Severity } from '#src/alert/alert.ts';
import { type Subscription, wants } from '#src/alert/subscription.ts';
import { defineDetector } from '#src/detectors/detector.ts';
import { plainReader, say } from '#src/language/say.ts';
import { second } from '#src/runtime/units.ts';

/** The severities an episode goes through: it fires, moves twice, and its end carries the worst of it. */
const courses: readonly (readonly Severity[])[] = [
  ['warning', 'critical', 'warning', 'critical'],
  ['info', 'warning', 'critical', 'critical'],
  ['critical', 'warning', 'critical', 'critical'],
];
const length = 4;
const symbols = ['S0USDT', 'S1USDT', 'S2USDT', 'S3USDT', 'S4USDT'];

/** `"storm S0USDT 12"`: one episode, as a title names it. */
const nameOf = (kind: string, symbol: string, episode: number): string => `${kind} ${symbol} ${episode}`;

/** What step `n` of a storm changes: a function of `n` alone. The title names episode and revision, in
 * less than a table's cell holds on any platform. */
function changesAt(kind: string, n: number): Change[] {
  return symbols.flatMap((symbol, index): Change[] => {
    const period = 2 + (index % 3);
    if (n % period !== index % period) return [];
    const turn = Math.floor(n / period);
    const [episode, position] = [Math.floor(turn / length), turn % length];
    return [
      {
        status: position === 0 ? 'firing' : position === length - 1 ? 'resolved' : 'updated',
        severity: courses[(episode + index) % courses.length]?.[position] ?? 'info',
        labels: { kind, symbol },
        annotations: {
          title: `${nameOf(kind, symbol, episode)} rev ${position + 1}`,
          summary: '',
          facts: [],
          dataTime: 0,
        },
      },
    ];
  });
}

/** A message that a newer one has replaced: it tells of nothing any more. */
export const pointsOn = (text: string): boolean => text.includes('Continued in a newer message');

/** Episodes and the revisions of them that a text shows: of one that is over the last, beside its peak. */
export const shownIn = (text: string): [episode: string, revision: number][] =>
  [...text.matchAll(/(\w+ \w+ \d+) rev (\d+)((?:(?! rev ).){0,80}?Resolved after)?/gs)].map(
    ([, name = '', revision, over]) => [name, over === undefined ? Number(revision) : length],
  );

const storm = (name: string, groupWait: number) =>
  defineDetector({
    name,
    description: 'Alerts without end',
    preset: 'everything',
    schedule: '* * * * * *',
    groupWait,
    options: z.object({}),
    state: z.object({ n: z.int() }),
    // The question says how far it has counted, so that whoever answers can tell whether it ever starts anew.
    observe: ({ data, state, signal }) =>
      data.fundingHistory({ symbol: `${name}${state?.n ?? 'BASELINE'}`.toUpperCase() }, signal),
    step(state, { symbol }) {
      if (symbol !== `${name}${state?.n ?? 'BASELINE'}`.toUpperCase())
        throw new Error(`${symbol} was not asked`);
      if (state === undefined) return { state: { n: 0 }, changes: [] };
      return { state: { n: state.n + 1 }, changes: changesAt(name, state.n) };
    },
  });

/** One that tells at once, and one whose alerts are gathered into groups. */
export const storms = [storm('storm', 0), storm('surge', 10 * second)];

type Wish = Pick<Subscription, 'kinds' | 'symbols' | 'minSeverity'>;
const everything: Wish = { kinds: ['*'], symbols: ['*'], minSeverity: 'info' };

/** Receivers by name, and what each is subscribed to. */
export const wishes: Readonly<Record<string, readonly Wish[]>> = {
  everything: [everything],
  critical: [{ ...everything, minSeverity: 'critical' }],
  single: [{ ...everything, kinds: ['storm'] }],
  grouped: [{ ...everything, kinds: ['surge'], minSeverity: 'warning' }],
  overlapping: [
    { ...everything, symbols: ['S0USDT', 'S3USDT'] },
    { ...everything, kinds: ['storm'], minSeverity: 'warning' },
  ],
};

/** Every revision of every episode that a storm has told after counting to `n`, by episode. */
export function episodes(kind: string, n: number): Map<string, Alert[]> {
  const byEpisode = new Map<string, Alert[]>();
  for (let step = 0; step < n; step++) {
    for (const change of changesAt(kind, step)) {
      const [[name] = ['']] = shownIn(say(change.annotations.title, plainReader));
      const revisions = byEpisode.get(name) ?? [];
      const alert = revise(revisions.at(-1), { change, now: step });
      if (alert !== null) byEpisode.set(name, [...revisions, alert]);
    }
  }
  return byEpisode;
}

/** The revision a receiver must have seen in the end, or a later one; undefined: it wants none of the episode. */
export const lastWanted = (receiver: string, revisions: readonly Alert[]): number | undefined =>
  revisions.findLast((alert) => wishes[receiver]?.some((wish) => wants(wish, { alert })))?.revision;
