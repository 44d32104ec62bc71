import type { Logger } from 'pino';
import type { Change } from '../alert/alert.ts';
import { wantedSymbols } from '../alert/symbols.ts';
import type { DataClient } from '../contract/data-client.ts';
import { type Detector, predictionOf } from '../detectors/detector.ts';
import type { Text } from '../language/text.ts';
import type { Clock, MarketClock, WallClock } from '../runtime/clock.ts';
import { ApiError, type ApiErrorReason } from '../runtime/errors.ts';
import { startLoop } from '../runtime/loop.ts';
import { LostRole } from '../runtime/role.ts';
import type { Schedule } from '../runtime/schedule.ts';
import { day, minute, second } from '../runtime/units.ts';
import type { Store } from '../store/ports.ts';
import { createBlindnessReporter, type Sight } from './blindness.ts';
import { endUnwatched, unwatchedEnd } from './end-unwatched.ts';
import type { Pipeline } from './options.ts';
import { createPriceLooks, type PriceLooksOptions } from './price-looks.ts';
import { whyUnable } from './unable.ts';

/** A detector with its configured options and schedule. */
export interface Watched {
  readonly detector: Detector;
  readonly options: unknown;
  readonly schedule: Schedule;
  /** Whether people are told nothing of it, neither what it does nor that it is blind; left out: they are. */
  readonly internal?: boolean;
}

export interface WatchStatus {
  readonly name: string;
  /** Market ms of the last successful run; null before the first. */
  readonly lastRun: number | null;
  /** Wall ms of the last successful run; null before the first. */
  readonly lastSuccess: number | null;
  /** Wall ms since which no run has succeeded: `lastSuccess` or, before, the start. Null if its data was never offered. */
  readonly waitingSince: number | null;
  /** Why the last run failed; null if it succeeded. `reason` is set if the cause is an ApiError. */
  readonly problem: { readonly message: string; readonly reason?: ApiErrorReason } | null;
  /** Why it cannot fire although its last run succeeded; absent: it can. */
  readonly waits?: Text | undefined;
}

export interface Watch {
  /** Returns the status of each detector since the last `start`; empty before the first. */
  status(): WatchStatus[];
  /**
   * Starts to run the detectors, and dispatches their changes to the pipeline.
   * @param mayLook false while another process may look in place of this one: then no run is started. Left out: always
   */
  start(pipeline: Pick<Pipeline, 'dispatch'>, mayLook?: () => boolean): { stop(): Promise<void> };
}

interface WatchOptions {
  /** Empty: the market is not watched, and its alerts stay as they are. */
  readonly watched: readonly Watched[];
  readonly data: DataClient;
  readonly store: Pick<Store, 'alerts' | 'detectors' | 'subscriptions'>;
  /** Called at each check, because the data service may have another time after a restart. */
  readonly market: () => MarketClock;
  readonly wall: WallClock;
  /** The clock that measures how long a detector has been blind; left out: the wall clock. */
  readonly steady?: Clock;
  readonly log: Logger;
  /** Tracked symbols, the largest volume first: what `top20` in a subscription stands for. */
  readonly universe?: () => readonly string[];
  /** Left out: no prices are streamed. */
  readonly livePrices?: PriceLooksOptions['livePrices'];
  /** When a detector counts as blind, so that an alert is dispatched about it; left out: never. */
  readonly blind?: BlindAfter;
}

/**
 * A detector is blind if it has had no successful run for more than `periods` of its schedule and more than `atLeast`
 * wall ms.
 */
interface BlindAfter {
  readonly periods: number;
  readonly atLeast: number;
}

/** Runs each detector by its schedule, one run of a detector at a time. Runs that were missed are made up for by one run. */
export function createWatch(options: WatchOptions): Watch {
  let runs: readonly Run[] = [];
  return {
    status: () => runs.flatMap((run) => (run.internal ? [] : run.status())),
    start(pipeline, mayLook = () => true) {
      const stopping = new AbortController();
      runs = options.watched.map((one) => createRun(one, { ...options, pipeline, signal: stopping.signal }));
      return startRuns(runs, { ...options, pipeline, mayLook }, stopping);
    },
  };
}

interface Running extends WatchOptions {
  readonly pipeline: Pick<Pipeline, 'dispatch'>;
}

function startRuns(
  runs: readonly Run[],
  options: Running & { readonly mayLook: () => boolean },
  stopping: AbortController,
) {
  const { watched, market, wall, log, blind, mayLook } = options;
  const reportBlindness = createBlindnessReporter(options);
  let hasEndedUnwatched = watched.length === 0;
  const loop = startLoop(
    async () => {
      const clock = market();
      // Twice a market second, because schedules have a resolution of a second, but every 50 wall ms at most.
      const pause = Math.min(second, Math.max(50, second / 2 / clock.speed));
      // A process that was frozen sees its old state, and asks in vain what its successor has asked since.
      if (!mayLook()) return pause;
      for (const run of runs) run.runIfDue(clock.now());
      if (!hasEndedUnwatched) {
        await endUnwatched(
          watched.map(({ detector }) => detector.name),
          options,
        );
        hasEndedUnwatched = true;
      }
      if (blind !== undefined)
        await reportBlindness(runs.flatMap((run) => (run.internal ? [] : run.sight(blind))));
      return pause;
    },
    { wall, onError: (error) => log.error({ err: error }, 'error while running detectors; continuing') },
  );
  return {
    async stop() {
      await loop.stop();
      stopping.abort(new Error('the bot is stopping'));
      await Promise.all(runs.map((run) => run.ended()));
    },
  };
}

type Run = ReturnType<typeof createRun>;

function createRun(
  { detector, options, schedule, internal = false }: Watched,
  given: { readonly signal: AbortSignal } & Running,
) {
  const { data, store, pipeline, market, wall, steady = wall, log, signal } = given;
  const { universe = () => [], livePrices = () => undefined } = given;
  const { name, groupWait = 0 } = detector;
  let state: unknown;
  /** Ends of alerts that the detector cannot continue, because its stored state is from another version. */
  let ends: readonly Change[] = [];
  let loaded = false;
  let lastLookAt: number | null = null;
  let lastRun: number | null = null;
  const startedAt = wall.now();
  let lastSuccess: number | null = null;
  let problem: WatchStatus['problem'] = null;
  let failures = 0;
  /** When a run that failed is repeated, steady ms. */
  let retryAt = Infinity;

  const looks =
    detector.followsPrices === true ? createPriceLooks({ livePrices, universe, steady }) : undefined;
  let storedAt = Number.NEGATIVE_INFINITY;

  let able: boolean | undefined;
  let underWay: Promise<void> | null = null;
  let seen = { market: market().now(), steady: steady.now() };
  const period = periodOf(schedule, seen.market);

  const run = async () => {
    if (!loaded) ({ state, ends } = await readState(detector, { store, log }));
    loaded = true;
    const wanted = wantedSymbols(await store.subscriptions.symbols(), universe());
    const prices = looks?.take();
    const asked = { data, options, state, ...wanted, ...(prices && { prices }), now: market().now(), signal };
    const observation = await detector.observe(asked);
    const now = market().now();
    const stepped = detector.step(state, observation, { options, now });
    const changes = [...ends, ...stepped.changes];
    // Prices of every second that begin and end nothing are not worth a write each: after a crash the detector looks again.
    const isWorthStoring = changes.length > 0 || state === undefined || steady.now() - storedAt >= minute;
    if (prices === undefined || isWorthStoring) {
      await pipeline.dispatch(
        { name, groupWait, prediction: predictionOf(detector) },
        { state: stepped.state, changes },
      );
      storedAt = steady.now();
    }
    ends = [];
    // The state is replaced only now that its changes are stored: if storing fails, the next run must see the same changes again.
    state = stepped.state;
    able = stepped.able;
    lastRun = now;
    lastSuccess = wall.now();
    failures = 0;
    seen = { market: now, steady: steady.now() };
    if (problem !== null) log[levelOf(problem, 'info')]({ detector: name }, 'data back');
    problem = null;
  };

  const failed = (error: unknown) => {
    if (signal.aborted) return;
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof LostRole) return;
    if (!(error instanceof ApiError)) log.error({ err: error, detector: name }, 'a detector failed');
    const last = problem;
    if (error instanceof ApiError && passing.includes(error.reason))
      retryAt = steady.now() + Math.max(error.retryAfter ?? 0, firstRetry * 2 ** failures++);
    problem = { message: text, ...(error instanceof ApiError && { reason: error.reason }) };
    if (error instanceof ApiError && last?.message !== text)
      log[levelOf(problem, 'warn')]({ detector: name, problem: text }, 'no data');
  };

  /** An extension, or what the venue does not publish, is not missed if the detector has never had its data. */
  const isNotOffered = () => state === undefined && problem?.reason === 'not_offered';

  return {
    internal,
    /**
     * Begins a run if one is due. The first run is always due, which makes up for the time the bot was stopped. A run
     * is also due if market time has gone back: a data service that starts after the bot may have another time. One that
     * failed is due again when its pause ends: what is over would stay shown, and its data old, for an hour.
     */
    runIfDue(now: number) {
      const isLate = lastLookAt === null || now < lastLookAt || steady.now() >= retryAt;
      if (underWay !== null) return;
      if (!isLate && schedule.latest(lastLookAt ?? now, now) === null && looks?.areDue() !== true) return;
      lastLookAt = now;
      retryAt = Infinity;
      underWay = run()
        .catch(failed)
        .finally(() => {
          underWay = null;
        });
    },
    sight: ({ periods, atLeast }: BlindAfter): Sight => ({
      kind: name,
      seen: seen.market,
      hasRun: lastRun !== null,
      // Both clocks must agree: at 240 × speed, three periods are over within one slow response.
      overdue:
        !isNotOffered() &&
        market().now() - seen.market > periods * period &&
        steady.now() - seen.steady > atLeast,
    }),
    status: (): WatchStatus => ({
      name,
      lastRun,
      lastSuccess,
      waitingSince: isNotOffered() ? null : (lastSuccess ?? startedAt),
      problem,
      waits:
        lastRun === null ? undefined : whyUnable(state, { able, universe: universe(), market: market() }),
    }),
    ended: () => underWay ?? Promise.resolve(),
  };
}

/** Reads a detector's stored state, and the ends of alerts that it cannot continue. */
async function readState(
  { name, state: schema }: Detector,
  { store, log }: Pick<WatchOptions, 'store' | 'log'>,
): Promise<{ readonly state: unknown; readonly ends: readonly Change[] }> {
  const kept = await store.detectors.state(name);
  // null: it was turned off while an alert was open (end-unwatched.ts).
  if (kept === undefined || kept === null) return { state: undefined, ends: [] };
  const parsed = schema.safeParse(kept);
  if (parsed.success) return { state: parsed.data, ends: [] };
  const ends = (await store.alerts.firing([name])).map(unwatchedEnd);
  log.warn(
    { detector: name, ended: ends.length },
    'stored detector state cannot be continued; ending its alerts and starting from a new baseline',
  );
  return { state: undefined, ends };
}

/** How long after a failure without Retry-After the first repetition follows, ms; each further one after twice as long. */
const firstRetry = minute;

/** Reasons of failures that may be over a little later. */
const passing: readonly ApiErrorReason[] = ['unreachable', 'server_error', 'rate_limited', 'malformed'];

/**
 * Returns the level of a log line. A data service that cannot be reached affects all detectors, so `keepMeta` (app/upkeep.ts)
 * logs it once for all of them.
 */
const levelOf = <Level extends string>(problem: WatchStatus['problem'], usual: Level): Level | 'debug' =>
  problem?.reason === 'unreachable' ? 'debug' : usual;

/** Returns the market ms between two runs; a day if the schedule has no two runs in the next day. */
function periodOf(schedule: Schedule, from: number): number {
  const [first = from, next = first + day] = Iterator.from(schedule.within(from, from + day)).take(2);
  return next - first;
}
