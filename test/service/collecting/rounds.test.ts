import { expect, it } from 'vitest';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, minute } from '#src/runtime/units.ts';
import type { AnyHistory, CollectorContext } from '#src/service/collecting/collectors/collector.ts';
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

it.each([
  ['goes on: the problem is recorded', false, ['ETHUSDT: away']],
  ['stops: what it called off is no problem of the feed', true, []],
])('a round fails in part, and the service %s', async (_case, stops, expected) => {
  const [stopping, recorded] = [new AbortController(), [] as (string | null)[]];
  await keepCollecting(
    {
      collector: {
        name: 'open-interest',
        every: 1,
        async collect() {
          if (stops) stopping.abort();
          return 'ETHUSDT: away';
        },
      },
      feed: {
        hasSucceeded: () => false,
        async recordSuccess(_at: number, problem: string | null = null) {
          recorded.push(problem);
          stopping.abort();
        },
        recordProblem: async () => {},
      },
      histories: [],
      context: {
        clock: { now: () => 0, speed: () => 1, wallUntil: () => 0 },
        wall: { now: () => 0, sleep: async () => {} },
        random: () => 0.5,
        signal: stopping.signal,
      } as unknown as CollectorContext,
      now: () => 0,
    } as unknown as Parameters<typeof keepCollecting>[0],
    () => {},
  );
  expect(recorded).toEqual(expected);
});

it('a round that is repeated right at the end of an hour does not ask for its candle, which may still run there', async () => {
  const tick = Date.UTC(2026, 8, 5, 12);
  const [stopping, asked] = [new AbortController(), [] as string[]];
  let now = tick + 300;
  const history = {
    series: 'candles1h',
    step: hour,
    pageSteps: 499,
    async fill(symbol, { from, to }) {
      asked.push(`${symbol} ${(from - tick) / hour}..${(to - tick) / hour} at ${now - tick}`);
      return 1;
    },
  } as Partial<AnyHistory> as AnyHistory;
  await keepCollecting(
    {
      collector: { name: 'candles', every: minute },
      feed: { hasSucceeded: () => true, recordSuccess: async () => {}, recordProblem: async () => {} },
      histories: [history],
      context: {
        archive: { latest: async () => [{ symbol: 'BTCUSDT', time: tick - 2 * hour }] },
        symbols: () => ['BTCUSDT'],
        clock: { now: () => now, speed: 1, wallUntil: (at: number) => Math.max(0, at - now) },
        wall: {
          now: () => now,
          async sleep(ms: number) {
            now += ms;
            if (now > tick + minute) stopping.abort();
          },
        },
        random: () => 0.5,
        signal: stopping.signal,
      } as unknown as CollectorContext,
      now: () => now,
    } as unknown as Parameters<typeof keepCollecting>[0],
    () => {},
  );
  expect(asked).toEqual(['BTCUSDT -1..-1 at 2000']);
});

it('a round that failed is repeated when its pause ends, not at its next tick', async () => {
  const [stopping, asked] = [new AbortController(), [] as number[]];
  let now = 0;
  let problem: string | null = null;
  await keepCollecting(
    {
      collector: {
        name: 'ratios',
        every: hour,
        async collect() {
          asked.push(now);
          if (asked.length === 1)
            throw new ApiError('binance', 'rate_limited', 'too many', { retryAfter: 90_000 });
          if (asked.length === 3) stopping.abort();
        },
      },
      feed: {
        hasSucceeded: () => false,
        async recordSuccess() {
          problem = null;
        },
        async recordProblem(text: string) {
          problem = text;
        },
      },
      histories: [],
      context: {
        clock: { now: () => now, speed: 1, wallUntil: (at: number) => Math.max(0, at - now) },
        wall: {
          now: () => now,
          async sleep(ms: number) {
            now += ms;
          },
        },
        random: () => 1,
        signal: stopping.signal,
      } as unknown as CollectorContext,
      now: () => now,
    } as unknown as Parameters<typeof keepCollecting>[0],
    () => {},
  );
  expect(asked).toEqual([0, 90_000, hour + publicationLag]);
  expect(problem).toBeNull();
});
