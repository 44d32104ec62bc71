import { isDeepStrictEqual } from 'node:util';
import type { Alert } from '#src/alert/alert.ts';
import type { Receiver } from '#src/alert/subscription.ts';
import { plainReader, say } from '#src/language/say.ts';
import { second } from '#src/runtime/units.ts';
import type { Store } from '#src/store/ports.ts';
import { counted } from '../kill/kept.ts';
import { episodes, shownIn, storms, wishes } from '../kill/storm.ts';
import { type Arrival, judge, type Question, type Verdict } from '../kill/verdict.ts';
import { ruleTitle } from './bot-parts.ts';
import { involved, marketRoom } from './market.ts';
import { type PlatformName, platforms, type Stage } from './plan.ts';
import type { Recovery } from './recovery.ts';

/** Outcome of a run on any database, with any number of processes. */
export interface Outcome {
  readonly seed: number;
  readonly stage: Stage;
  readonly processes: number;
  /** Number of faults by name. */
  readonly faults: Readonly<Record<string, number>>;
  readonly alerts: number;
  readonly arrivals: number;
  /** What is missing although nothing is left to be sent. */
  readonly lost: number;
  /** What is missing and still to be sent. */
  readonly late: number;
  /** Own alerts and alerts of detectors that did not come when the market turned critical after all faults, by platform. */
  readonly silent: readonly string[];
  readonly recovery: Recovery;
  /** Number of messages that came twice. */
  readonly doubled: Readonly<Record<PlatformName, number>>;
  /**
   * Number of doubled messages whose first response arrived, but another process took over before the database stored
   * it. Absent if unknown.
   */
  readonly unkept?: number;
  /**
   * Number of messages left with an older state, because what a process had on the wire when it died or was frozen arrived
   * after newer messages of its successor. No sender can prevent that.
   */
  readonly overtaken: number;
  /** Violations of the rules, one per line. */
  readonly wrong: readonly string[];
}

/** Rooms that keep quiet hours in a night in which the clocks change. */
export const sleepers = ['single', 'grouped'];

/** Number of steps of each storm, after which the data service gives no more answers. */
export const length = 10;

const titleOf = ({ event }: Alert): string => shownIn(say(event.title, plainReader))[0]?.[0] ?? '';

/**
 * Returns how much is still to be done: steps, dispatches and messages, counted in the order in which an alert goes through
 * them, so that none is missed by going on between two counts.
 */
export async function left(store: Store): Promise<number> {
  const steps = [...(await counted(store)).values()].reduce((sum, n) => sum + length - n, 0);
  const dispatches = (await store.expansion.next()).length;
  return steps + dispatches + (await store.outbox.backlog()).waiting;
}

/**
 * Returns the storms whose alerts do not match their count. A state and the alerts made with it are stored together, so
 * the alerts must be exactly those of the stored count.
 */
export async function torn(store: Store): Promise<string[]> {
  const before = await counted(store);
  const alerts = await store.alerts.recent(10_000);
  const after = await counted(store);
  return storms.flatMap(({ name }) => {
    const kept = alerts.filter(({ labels }) => labels.kind === name);
    for (let n = before.get(name) ?? 0; n <= (after.get(name) ?? 0); n++) {
      if (isDeepStrictEqual(stateOf(kept), stateOf([...episodes(name, n).values()].flatMap(last)))) return [];
    }
    return [`${name}: its alerts are not those of its state ${before.get(name)}`];
  });
}

const last = (revisions: readonly Alert[]): Alert[] => revisions.slice(-1);

/** Returns by episode the parts of alerts that do not depend on a clock. */
const stateOf = (alerts: readonly Alert[]) =>
  new Map(
    alerts
      .map((alert): [string, object] => {
        const { revision, status, severity, peak, labels } = alert;
        return [titleOf(alert), { revision, status, severity, peak, labels }];
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** What has arrived so far, and what the bot has stored about it. */
export interface Told {
  readonly store: Store;
  readonly arrivals: readonly Arrival[];
  readonly questions: readonly Question[];
  receiverOf(room: string, platform: PlatformName): Receiver;
  /** Whether some rooms keep quiet hours. */
  readonly night: boolean;
}

/**
 * Leaves out what a fault excuses. A question is repeated, by this or another process, if the result of the first could not be
 * stored. A process that was frozen or cut off from the database asks about an older state until it knows that another one
 * has taken over: its results are refused. The first question of a process about a storm is such a late one only if another
 * process asks next, because a process that begins to watch may be frozen before it asks.
 */
function withoutExcused(questions: readonly Question[]): readonly Question[] {
  const newest = new Map<string, Question & { readonly count: number }>();
  const asking = new Set<string>();
  return questions.filter((question, index) => {
    const { symbol, path } = question;
    const [, name = '', digits = '-1'] = /^(STORM|SURGE)(\d+)?/.exec(symbol) ?? [];
    const count = Number(digits);
    const last = newest.get(name);
    const known = asking.has(`${name} ${path}`);
    asking.add(`${name} ${path}`);
    if (count === last?.count) return false;
    if (last !== undefined && count < last.count && path !== last.path) {
      const next = questions.slice(index + 1).find((each) => each.symbol.startsWith(name));
      if (known || next?.path !== path) return false;
    }
    newest.set(name, { ...question, count });
    return true;
  });
}

/** Returns what is wrong at any time of a run: doubled, out of order, unwanted, or counted anew. */
export async function wrongSoFar({ store, arrivals, questions, night }: Told): Promise<string[]> {
  const [seen, asked] = [[...arrivals], withoutExcused(questions)];
  const state = await counted(store);
  const found = platforms.flatMap((name) => {
    const own = seen.filter(({ notifier }) => notifier === name);
    return never(name, judge(own, asked, state), night);
  });
  return [...found, ...(await torn(store))];
}

function never(name: PlatformName, verdict: Verdict, night: boolean): string[] {
  const { doubled, doubledTooOften, wrong, forgotten } = verdict;
  // During quiet hours an escalation is an edit, which notifies nobody.
  const called = wrong.filter(
    (text) => !(night && sleepers.some((room) => text.startsWith(`calls nobody: ${room},`))),
  );
  const list = [...doubledTooOften.map((text) => `twice: ${text}`), ...called, ...forgotten];
  if (name === 'discord' && doubled > 0) list.push(`${doubled} messages twice`);
  return list.map((text) => `${name}, ${text}`);
}

const titles: readonly (readonly [name: string, title: RegExp])[] = [
  ...involved.map(({ detector: { name }, title }) => [name, title] as const),
  ['own rule', ruleTitle],
];

const inMarketRoom = ({ arrivals }: Told): readonly Arrival[] =>
  arrivals.filter(({ receiver }) => receiver === marketRoom);

/** Returns what has told nothing since the market turned critical, by platform. @param struckAt the number of arrivals before */
export function stillSilent({ arrivals }: Told, struckAt: number): string[] {
  const since = arrivals.slice(struckAt).filter(({ receiver }) => receiver === marketRoom);
  return platforms.flatMap((platform) => {
    const told = since.filter(({ notifier }) => notifier === platform);
    return titles.flatMap(([name, title]) =>
      told.some(({ body }) => title.test(body)) ? [] : [`${name} on ${platform}`],
    );
  });
}

/** Returns the alerts about the market that came before it turned critical, and those that came twice where that can be told. */
function believedOrTwice(told: Told, struckAt: number): string[] {
  const before = new Set(told.arrivals.slice(0, struckAt));
  const arrivals = inMarketRoom(told);
  const posts = arrivals.filter(({ notifier, act }) => notifier === 'discord' && act === 'post');
  return [
    ...arrivals
      .filter((each) => before.has(each))
      .map(({ notifier, body }) => `a lie was told on ${notifier}: ${body}`),
    ...[...Map.groupBy(posts, ({ key }) => key).values()]
      .filter(({ length }) => length > 1)
      .map(([post]) => `discord, market: twice: ${post?.body}`),
  ];
}

interface Ending {
  /** How the storms went on after the faults, and what the market told after it turned critical. */
  readonly recovery: Recovery;
  readonly again: Recovery;
  /** The number of arrivals before the market turned critical. */
  readonly struckAt: number;
}

/**
 * Judges a run at its end: nothing may be lost or outdated, doubled messages must be logged, the state must be that of a run
 * without faults, and whatever looks at the market must be able to fire. What is still to be done is late and not lost, and
 * of a machine that gave no processor nothing is said.
 */
export async function judged(
  told: Told,
  { recovery, again, struckAt }: Ending,
): Promise<
  Pick<Outcome, 'alerts' | 'lost' | 'late' | 'silent' | 'recovery' | 'doubled' | 'overtaken' | 'wrong'>
> {
  const { store, arrivals, questions, receiverOf, night } = told;
  const state = await counted(store);
  const asked = withoutExcused(questions);
  const doubled = { discord: 0, telegram: 0, webhook: 0 };
  const isOver = recovery.how === 'recovered' || recovery.how === 'late';
  const wrong: string[] = [];
  let [lost, late, overtaken] = [0, 0, 0];
  for (const name of platforms) {
    const own = arrivals.filter(({ notifier }) => notifier === name);
    const noted = new Map<string, string[]>();
    const slept = new Set<string>();
    for (const room of Object.keys(wishes)) {
      const rows = await store.deliveries.recent(receiverOf(room, name), 10_000);
      const of = (code: string) =>
        rows.filter(({ reason }) => reason?.code === code).map(({ title }) => say(title, plainReader));
      noted.set(room, of('possibly_doubled'));
      for (const title of of('over_before_morning')) slept.add(`${room}: ${shownIn(title)[0]?.[0]}`);
    }
    const verdict = judge(own, asked, state, noted);
    const missing = verdict.lost.filter((text) => !(night && slept.has(text.split(' rev ')[0] ?? '')));
    overtaken += verdict.overtaken.length;
    doubled[name] = verdict.doubled;
    wrong.push(...never(name, verdict, night));
    if (name !== 'discord') wrong.push(...verdict.unlogged.map((text) => `${name}, not logged: ${text}`));
    if (!isOver) {
      late += missing.length;
      continue;
    }
    lost += missing.length;
    wrong.push(...missing.map((text) => `${name}, lost: ${text}`));
    // A message that Telegram has taken without a response reaching the bot stays outdated: the bot cannot find it.
    if (name !== 'telegram') wrong.push(...verdict.stale.map((text) => `${name}, stale: ${text}`));
  }
  for (const { how, own, wall } of [recovery, again])
    if (how === 'late' || how === 'stuck')
      wrong.push(
        `${how}: ${Math.round(own / second)} s of the processes’ own time, ${Math.round(wall / second)} s`,
      );
  if (isOver)
    for (const [name, n] of state) if (n !== length) wrong.push(`${name} has counted to ${n}, not ${length}`);
  const silent = again.how === 'stuck' ? stillSilent(told, struckAt) : [];
  wrong.push(
    ...silent.map((what) => `cannot fire again: ${what}`),
    ...believedOrTwice(told, struckAt),
    ...(await torn(store)),
  );
  return {
    alerts: storms.flatMap(({ name }) => [...episodes(name, length)]).length,
    ...{ lost, late, silent, recovery, doubled, overtaken, wrong },
  };
}
