import { isDeepStrictEqual } from 'node:util';
import type { Alert } from '#src/alert/alert.ts';
import type { Receiver } from '#src/alert/subscription.ts';
import { plainReader, say } from '#src/language/say.ts';
import type { Store } from '#src/store/store.ts';
import { episodes, shownIn, storms, wishes } from '../kill/storm.ts';
import { type Arrival, judge, type Question, type Verdict } from '../kill/verdict.ts';
import { type PlatformName, platforms } from './plan.ts';

/** What a run came to, on any database, of any number of processes. */
export interface Outcome {
  readonly seed: number;
  readonly database: 'sqlite' | 'postgres';
  readonly processes: number;
  /** By name, how often. */
  readonly faults: Readonly<Record<string, number>>;
  readonly alerts: number;
  readonly arrivals: number;
  readonly lost: number;
  /** Messages that came twice. */
  readonly doubled: Readonly<Record<PlatformName, number>>;
  /** Of these, those that were answered, and another process took over before the database took that; absent: not known. */
  readonly unkept?: number;
  /**
   * Messages left showing an older state: what a process had on the wire when it died or stood still came after what is newer, of
   * whoever took over. Nobody can call that back.
   */
  readonly overtaken: number;
  /** What must not be, each in a line. */
  readonly wrong: readonly string[];
}

/** Rooms where quiet hours are kept in a night in which the clocks change. */
export const sleepers = ['single', 'grouped'];

/** Steps of each storm, after which its data service has nothing more to say. */
export const length = 10;

const titleOf = ({ event }: Alert): string => shownIn(say(event.title, plainReader))[0]?.[0] ?? '';

/** How far each storm has counted. */
export async function counted(store: Store): Promise<ReadonlyMap<string, number>> {
  const states = storms.map(async ({ name, state }): Promise<[string, number]> => {
    const kept = state.safeParse(await store.detectors.state(name));
    return [name, kept.success ? kept.data.n : 0];
  });
  return new Map(await Promise.all(states));
}

/** What is still to be done: steps, dispatches and messages. */
export async function left(store: Store): Promise<number> {
  const steps = [...(await counted(store)).values()].reduce((sum, n) => sum + length - n, 0);
  return steps + (await store.outbox.backlog()).waiting + (await store.expansion.next()).length;
}

/** A state and the alerts it has made are kept together: those of a storm are as it has counted, no less and no more. */
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

/** Of alerts, by their episodes, what no clock has a part in. */
const stateOf = (alerts: readonly Alert[]) =>
  new Map(
    alerts
      .map((alert): [string, object] => {
        const { revision, status, severity, peak, labels } = alert;
        return [titleOf(alert), { revision, status, severity, peak, labels }];
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** What has come so far, and what the bot says of it. */
export interface Told {
  readonly store: Store;
  readonly arrivals: readonly Arrival[];
  readonly questions: readonly Question[];
  receiverOf(room: string, platform: PlatformName): Receiver;
  /** Whether some keep quiet hours. */
  readonly night: boolean;
}

/**
 * Without the looks of a process that another has relieved and that does not know it yet: frozen, or cut off from the database.
 * What it sees is refused, and the state stays the other's. One that begins to count anew has not asked before.
 */
function withoutLateLooks(questions: readonly Question[]): readonly Question[] {
  const newest = new Map<string, Question & { readonly count: number }>();
  const asking = new Set<string>();
  return questions.filter((question) => {
    const { symbol, path } = question;
    const [, name = '', digits = '-1'] = /^(STORM|SURGE)(\d+)?/.exec(symbol) ?? [];
    const count = Number(digits);
    const last = newest.get(name);
    const known = asking.has(`${name} ${path}`);
    asking.add(`${name} ${path}`);
    if (last !== undefined && path !== last.path && count <= last.count && known) return false;
    newest.set(name, { ...question, count });
    return true;
  });
}

/** What must never be, however far the run has come: something twice, out of order, unasked for, or counted anew. */
export async function wrongSoFar({ store, arrivals, questions, night }: Told): Promise<string[]> {
  const [seen, asked] = [[...arrivals], withoutLateLooks(questions)];
  const state = await counted(store);
  const found = platforms.flatMap((name) => {
    const own = seen.filter(({ notifier }) => notifier === name);
    return never(name, judge(own, asked, state), night);
  });
  return [...found, ...(await torn(store))];
}

function never(name: PlatformName, verdict: Verdict, night: boolean): string[] {
  const { doubled, doubledTooOften, wrong, forgotten } = verdict;
  // By night an escalation is an edit, which calls nobody.
  const called = wrong.filter(
    (text) => !(night && sleepers.some((room) => text.startsWith(`calls nobody: ${room},`))),
  );
  const list = [...doubledTooOften.map((text) => `twice: ${text}`), ...called, ...forgotten];
  if (name === 'discord' && doubled > 0) list.push(`${doubled} messages twice`);
  return list.map((text) => `${name}, ${text}`);
}

/**
 * All of it in the end: nothing lost either, nothing left behind, what came twice noted, and the state that of a run to which
 * nothing has happened.
 */
export async function judged(
  told: Told,
): Promise<Pick<Outcome, 'alerts' | 'lost' | 'doubled' | 'overtaken' | 'wrong'>> {
  const { store, arrivals, questions, receiverOf, night } = told;
  const state = await counted(store);
  const asked = withoutLateLooks(questions);
  const doubled = { discord: 0, telegram: 0, webhook: 0 };
  const wrong: string[] = [];
  let [lost, overtaken] = [0, 0];
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
    lost += missing.length;
    overtaken += verdict.overtaken.length;
    doubled[name] = verdict.doubled;
    wrong.push(...never(name, verdict, night), ...missing.map((text) => `${name}, lost: ${text}`));
    if (name !== 'discord') wrong.push(...verdict.unlogged.map((text) => `${name}, not logged: ${text}`));
    // What Telegram has taken and nobody has heard of is left behind there: it cannot be found again.
    if (name !== 'telegram') wrong.push(...verdict.stale.map((text) => `${name}, stale: ${text}`));
  }
  for (const [name, n] of state) if (n !== length) wrong.push(`${name} has counted to ${n}, not ${length}`);
  wrong.push(...(await torn(store)));
  return {
    alerts: storms.flatMap(({ name }) => [...episodes(name, length)]).length,
    lost,
    doubled,
    overtaken,
    wrong,
  };
}
