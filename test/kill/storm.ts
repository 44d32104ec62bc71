import { z } from 'zod';
import { type Alert, type Change, revise, type Severity } from '#src/alert/alert.ts';
import { type Subscription, wants } from '#src/alert/subscription.ts';
import { defineDetector } from '#src/detectors/detector.ts';
import { plainReader, say } from '#src/language/say.ts';
import { second } from '#src/runtime/units.ts';

/** Severities that an episode goes through: it fires, changes twice, and ends with its worst severity. */
const courses: readonly (readonly Severity[])[] = [
  ['warning', 'critical', 'warning', 'critical'],
  ['info', 'warning', 'critical', 'critical'],
  ['critical', 'warning', 'critical', 'critical'],
];
const length = 4;
const symbols = ['S0USDT', 'S1USDT', 'S2USDT', 'S3USDT', 'S4USDT'];

/** Returns how a title names an episode, e.g. `"storm S0USDT 12"`. */
const nameOf = (kind: string, symbol: string, episode: number): string => `${kind} ${symbol} ${episode}`;

/**
 * Returns the changes of step `n` of a storm, which depend on `n` alone. Titles name the episode and the revision and
 * are short enough for a table cell on any platform.
 */
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

/** Whether a text is a message that a newer one has replaced and that therefore shows no state. */
export const pointsOn = (text: string): boolean => text.includes('Continued in a newer message');

/** Returns the episodes in a text with the revision shown; for an episode that is over, the last one instead of its peak's. */
export const shownIn = (text: string): [episode: string, revision: number][] =>
  [...text.matchAll(/(\w+ \w+ \d+) rev (\d+)((?:(?! rev ).){0,80}?(?:Resolved|Ended) after)?/gs)].map(
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
    // The symbol of the question carries the count, so that the data service can tell whether a storm starts anew.
    observe: ({ data, state, signal }) =>
      data.fundingHistory({ symbol: `${name}${state?.n ?? 'BASELINE'}`.toUpperCase() }, signal),
    step(state, { symbol }) {
      if (symbol !== `${name}${state?.n ?? 'BASELINE'}`.toUpperCase())
        throw new Error(`${symbol} was not asked`);
      if (state === undefined) return { state: { n: 0 }, changes: [] };
      return { state: { n: state.n + 1 }, changes: changesAt(name, state.n) };
    },
  });

/** Two detectors: one whose alerts are sent at once, and one whose alerts are gathered into groups. */
export const storms = [storm('storm', 0), storm('surge', 10 * second)];

type Wish = Pick<Subscription, 'kinds' | 'symbols' | 'minSeverity'>;
const everything: Wish = { kinds: storms.map(({ name }) => name), symbols: ['*'], minSeverity: 'info' };

/** Subscriptions by the name of their receiver. */
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

type Episodes = ReadonlyMap<string, readonly Alert[]>;
const known = new Map<string, Episodes>();

/**
 * Returns every revision of every episode that a storm has produced after `n` steps, by episode. They are kept, because each
 * notifier is judged by the same ones.
 */
export function episodes(kind: string, n: number): Episodes {
  const id = `${kind} ${n}`;
  const kept = known.get(id) ?? produced(kind, n);
  known.set(id, kept);
  return kept;
}

function produced(kind: string, n: number): Episodes {
  const byEpisode = new Map<string, Alert[]>();
  for (let step = 0; step < n; step++) {
    for (const change of changesAt(kind, step)) {
      const [[name] = ['']] = shownIn(say(change.annotations.title, plainReader));
      const revisions = byEpisode.get(name) ?? [];
      const alert = revise(revisions.at(-1), change, step);
      if (alert !== null) byEpisode.set(name, [...revisions, alert]);
    }
  }
  return byEpisode;
}

/** Returns the revision that a receiver must have seen in the end; undefined if it wants none of the episode. */
export const lastWanted = (receiver: string, revisions: readonly Alert[]): number | undefined =>
  revisions.findLast((alert) => wishes[receiver]?.some((wish) => wants(wish, { alert })))?.revision;
