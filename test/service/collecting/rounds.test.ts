import { expect, it } from 'vitest';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, minute } from '#src/runtime/units.ts';
import type { Archive } from '#src/service/archive/archive.ts';
import type {
  AnyHistory,
  Collector,
  CollectorContext,
} from '#src/service/collecting/collectors/collector.ts';
import type { FeedHealth } from '#src/service/collecting/feed-health.ts';
import { keepCollecting, publicationLag, repeatUntilDone } from '#src/service/collecting/rounds.ts';

/** Repeats work that fails so many times, at most until the pause with this number, and tells what happened. */
async function repeat({ failures, abortedIn }: { failures: number; abortedIn?: number }) {
  const aborting = new AbortController();
  const [pauses, problems] = [[] as number[], [] as string[]];
  let done = 0;
  await repeatUntilDone(
    async () => {
      if (problems.length < failures) throw new Error('database is locked');
      done += 1;
    },
    {
      random: () => 1,
      signal: aborting.signal,
      onProblem: (problem) => problems.push(problem),
      wall: {
        now: () => 0,
        async sleep(ms) {
          pauses.push(ms);
          if (pauses.length === abortedIn) aborting.abort();
        },
      },
    },
  );
  return { pauses, problems, done };
}

it('work that fails is repeated with longer and longer pauses until it succeeds, and each problem is told', async () => {
  expect(await repeat({ failures: 3 })).toEqual({
    pauses: [250, 500, 1_000],
    problems: Array(3).fill('database is locked'),
    done: 1,
  });
});

it('work is not repeated after the signal', async () => {
  expect(await repeat({ failures: 3, abortedIn: 2 })).toMatchObject({ pauses: [250, 500], done: 0 });
});

it('work that the signal called off has no problem', async () => {
  const [aborting, problems] = [new AbortController(), [] as string[]];
  const work = async () => {
    aborting.abort();
    throw new Error('called off');
  };
  const onProblem = (problem: string) => problems.push(problem);
  const wall = { now: () => 0, sleep: async () => {} };
  await repeatUntilDone(work, { wall, random: () => 1, signal: aborting.signal, onProblem });
  expect(problems).toEqual([]);
});

/** Runs the rounds of a collector from a market and wall time on that passes while it waits, until a test stops them. */
async function collect(
  collector: Partial<Collector>,
  given: {
    readonly from?: number;
    readonly feed?: Partial<FeedHealth>;
    readonly context?: Partial<CollectorContext>;
    readonly histories?: readonly AnyHistory[];
    /** Called after each wait. */
    readonly passed?: (now: number) => void;
    readonly stopping: AbortController;
  },
): Promise<void> {
  const { from = 0, feed, context, histories = [], passed = () => {}, stopping } = given;
  let now = from;
  const clock = { now: () => now, speed: 1, wallUntil: (at: number) => Math.max(0, at - now) };
  const wall = {
    now: () => now,
    async sleep(ms: number) {
      now += ms;
      passed(now);
    },
  };
  const health = { hasSucceeded: () => false, recordSuccess: async () => {}, recordProblem: async () => {} };
  const running = {
    collector: { name: 'played', ...collector },
    feed: { ...health, ...feed },
    histories,
    context: { clock, wall, random: () => 1, signal: stopping.signal, ...context } as CollectorContext,
    now: () => now,
  };
  await keepCollecting(running, () => {});
}

it.each([
  ['goes on: the problem is recorded', false, ['ETHUSDT: away']],
  ['stops: what it called off is no problem of the feed', true, []],
])('a round fails in part, and the service %s', async (_case, stops, expected) => {
  const [stopping, recorded] = [new AbortController(), [] as (string | null)[]];
  const round = async () => {
    if (stops) stopping.abort();
    return 'ETHUSDT: away';
  };
  const recordSuccess = async (_at: number, problem: string | null = null) => {
    recorded.push(problem);
    stopping.abort();
  };
  await collect({ every: 1, collect: round }, { feed: { recordSuccess }, stopping });
  expect(recorded).toEqual(expected);
});

it('a round that is repeated right at the end of an hour does not ask for its candle, which may still run there', async () => {
  const tick = Date.UTC(2026, 8, 5, 12);
  const [stopping, asked] = [new AbortController(), [] as string[]];
  let at = tick + 300;
  const history = {
    series: 'candles1h',
    step: hour,
    pageSteps: 499,
    async fill(symbol, { from, to }) {
      asked.push(`${symbol} ${(from - tick) / hour}..${(to - tick) / hour} at ${at - tick}`);
      return 1;
    },
  } as Partial<AnyHistory> as AnyHistory;
  const latest = async () => [{ symbol: 'BTCUSDT', time: tick - 2 * hour }];
  const archive = { latest } as Partial<Archive> as Archive;
  const passed = (now: number) => {
    at = now;
    if (now > tick + minute) stopping.abort();
  };
  await collect(
    { every: minute },
    {
      ...{ from: at, histories: [history], passed, stopping },
      context: { archive, symbols: () => ['BTCUSDT'] },
    },
  );
  expect(asked).toEqual(['BTCUSDT -1..-1 at 2000']);
});

it('a round that failed is repeated when its pause ends, not at its next tick', async () => {
  const [stopping, asked] = [new AbortController(), [] as number[]];
  let problem: string | null = null;
  const round: Collector['collect'] = async (_, { now }) => {
    asked.push(now);
    if (asked.length === 1) throw new ApiError('binance', 'rate_limited', 'too many', { retryAfter: 90_000 });
    if (asked.length === 3) stopping.abort();
    return undefined;
  };
  const feed: Partial<FeedHealth> = {
    async recordSuccess() {
      problem = null;
    },
    async recordProblem(text) {
      problem = text;
    },
  };
  await collect({ every: hour, collect: round }, { feed, stopping });
  expect(asked).toEqual([0, 90_000, hour + publicationLag]);
  expect(problem).toBeNull();
});
