import type { Logger } from 'pino';
import { dataBlind } from '../alert/alert.ts';
import { spellOut } from '../alert/symbols.ts';
import type { DataClient } from '../contract/data-client.ts';
import { claimOf, type Detector } from '../detectors/detector.ts';
import type { Clock, MarketClock, WallClock } from '../runtime/clock.ts';
import { ApiError, type ApiErrorReason } from '../runtime/errors.ts';
import { startLoop } from '../runtime/loop.ts';
import { LostRole } from '../runtime/role.ts';
import type { Schedule } from '../runtime/schedule.ts';
import { type Tracer, untraced } from '../runtime/tracer.ts';
import { day, minute, second } from '../runtime/units.ts';
import type { Store } from '../store/store.ts';
import { type Blindness, blindness, type Sight, stepBlindness } from './blindness.ts';
import type { Pipeline } from './pipeline.ts';

/** A detector as configured. */
export interface Watched {
  readonly detector: Detector;
  readonly options: unknown;
  readonly schedule: Schedule;
}

export interface WatchStatus {
  readonly name: string;
  /** Market ms of the last observation that came through; null before the first. */
  readonly lastRun: number | null;
  /** The same in wall ms. */
  readonly lastSuccess: number | null;
  /** `reason` where an ApiError is behind it. */
  readonly problem: { readonly message: string; readonly reason?: ApiErrorReason } | null;
}

export interface Watch {
  /** Of each detector since the last start; empty before the first. */
  status(): WatchStatus[];
  /** Lets them look from now on, and tells what has changed to the pipeline. */
  start(pipeline: Pick<Pipeline, 'dispatch'>): { stop(): Promise<void> };
}

export interface WatchOptions {
  readonly watched: readonly Watched[];
  readonly data: DataClient;
  readonly store: Pick<Store, 'detectors' | 'subscriptions'>;
  /** Asked anew at each look: the service may tell another time after a restart. */
  readonly market: () => MarketClock;
  readonly wall: WallClock;
  /** By it is told how long a detector has been blind; left out: the wall's. */
  readonly steady?: Clock;
  readonly log: Logger;
  /** Left out: nothing is traced. */
  readonly tracer?: Tracer | undefined;
  /** Tracked symbols, the largest volume first: what `top20` in a subscription stands for. */
  readonly universe?: () => readonly string[];
  /** When a detector is blind, which is told to whoever relies on it; where it is left out nobody is told. */
  readonly blind?: BlindAfter;
}

/** A detector that has not seen for more than `periods` of its schedule and `atLeast` wall ms is blind. */
export interface BlindAfter {
  readonly periods: number;
  readonly atLeast: number;
}

/** Runs each detector when its schedule says, one run of it at a time; what was missed is run once. */
export function createWatch(options: WatchOptions): Watch {
  let runs: readonly Run[] = [];
  return {
    status: () => runs.map((run) => run.status()),
    start(pipeline) {
      const stopping = new AbortController();
      runs = options.watched.map((one) => createRun(one, { ...options, pipeline, signal: stopping.signal }));
      return startRuns(runs, { options: { ...options, pipeline }, stopping });
    },
  };
}

interface Running extends WatchOptions {
  readonly pipeline: Pick<Pipeline, 'dispatch'>;
}

function startRuns(
  runs: readonly Run[],
  { options, stopping }: { readonly options: Running; readonly stopping: AbortController },
) {
  const { market, wall, log, blind } = options;
  const tell = blindnessTeller(options);
  const loop = startLoop(
    async () => {
      const clock = market();
      for (const run of runs) run.look(clock.now());
      if (blind !== undefined) await tell(runs.map((run) => run.sight(blind)));
      // Twice a market second where that is not too often: schedules have seconds.
      return Math.min(second, Math.max(50, second / 2 / clock.speed));
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

/** Kinds that go blind within this (market ms) are told of together: mostly one cause blinds them all. */
const gathered = minute;

/** Who goes blind and who sees again is told through the pipeline, as an alert, on the bot's own clock. */
function blindnessTeller({ store, pipeline }: Running): (sights: readonly Sight[]) => Promise<void> {
  let state: Blindness | undefined;
  return async (sights) => {
    state ??= blindness.safeParse(await store.detectors.state(dataBlind)).data ?? { blind: {} };
    const stepped = stepBlindness(state, sights);
    if (stepped.changes.length === 0) return;
    await pipeline.dispatch(
      { name: dataBlind, groupWait: gathered },
      { state: stepped.state, changes: stepped.changes },
    );
    state = stepped.state;
  };
}

type Run = ReturnType<typeof createRun>;

function createRun(
  { detector, options, schedule }: Watched,
  {
    data,
    store,
    pipeline,
    market,
    wall,
    steady = wall,
    log,
    tracer = untraced,
    universe = () => [],
    signal,
  }: { readonly signal: AbortSignal } & Running,
) {
  const { name, groupWait = 0, extension = false } = detector;
  let state: unknown;
  let loaded = false;
  let looked: number | null = null;
  let lastRun: number | null = null;
  let lastSuccess: number | null = null;
  let problem: WatchStatus['problem'] = null;
  let underWay: Promise<void> | null = null;
  let seen = { market: market().now(), lasting: steady.now() };
  const period = periodOf(schedule, seen.market);

  const load = async () => {
    const kept = await store.detectors.state(name);
    if (kept !== undefined) {
      const parsed = detector.state.safeParse(kept);
      if (parsed.success) state = parsed.data;
      else
        log.warn(
          { detector: name },
          'stored detector state is from another version; starting from a new baseline',
        );
    }
    loaded = true;
  };

  const run = async () => {
    if (!loaded) await load();
    const symbols = spellOut(await store.subscriptions.symbols(), { universe: universe(), followed: [] });
    const asked = { data, options, state, symbols, now: market().now(), signal };
    const observation = await tracer.span({ name: 'look' }, async () => detector.observe(asked));
    const now = market().now();
    const stepped = detector.step(state, observation, { options, now });
    await pipeline.dispatch(
      { name, groupWait, claim: claimOf(detector) },
      { state: stepped.state, changes: stepped.changes },
    );
    // Only now: had it not been kept, the next run must see the same change again.
    state = stepped.state;
    lastRun = now;
    lastSuccess = wall.now();
    seen = { market: now, lasting: steady.now() };
    if (problem !== null) log[levelOf(problem, 'info')]({ detector: name }, 'data back');
    problem = null;
  };

  const failed = (error: unknown) => {
    if (signal.aborted) return;
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof LostRole) return;
    if (!(error instanceof ApiError)) log.error({ err: error, detector: name }, 'a detector failed');
    const last = problem;
    problem = { message: text, ...(error instanceof ApiError && { reason: error.reason }) };
    if (error instanceof ApiError && last?.message !== text)
      log[levelOf(problem, 'warn')]({ detector: name, problem: text }, 'no data');
  };

  const isMissing = () => extension && state === undefined && problem?.reason === 'not_offered';

  return {
    /**
     * Begins a run where one is due; the first look is always due, which catches up after a stop, and so is one
     * behind the last: a service that comes up after the bot tells another time.
     */
    look(now: number) {
      const due = looked === null || now < looked || schedule.latest(looked, now) !== null;
      if (!due || underWay !== null) return;
      looked = now;
      underWay = tracer
        .span({ name: 'poll', attributes: { 'tocsin.detector': name } }, run)
        .catch(failed)
        .finally(() => {
          underWay = null;
        });
    },
    sight: ({ periods, atLeast }: BlindAfter): Sight => ({
      kind: name,
      seen: seen.market,
      sees: lastRun !== null,
      // By both clocks: at 240 × three periods are over within one slow answer.
      overdue:
        !isMissing() &&
        market().now() - seen.market > periods * period &&
        steady.now() - seen.lasting > atLeast,
    }),
    status: (): WatchStatus => ({ name, lastRun, lastSuccess, problem }),
    ended: () => underWay ?? Promise.resolve(),
  };
}

/** A service that is away blinds them all: that is one line, of whoever keeps asking it. */
const levelOf = <Level extends string>(problem: WatchStatus['problem'], usual: Level): Level | 'debug' =>
  problem?.reason === 'unreachable' ? 'debug' : usual;

/** Market ms between two runs; a day where the schedule has no two in the next. */
function periodOf(schedule: Schedule, from: number): number {
  const [first = from, next = first + day] = Iterator.from(schedule.within(from, from + day)).take(2);
  return next - first;
}
