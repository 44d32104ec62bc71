import { expect, it, onTestFinished } from 'vitest';
import { minute, second } from '#src/runtime/units.ts';
import { openArchive } from '#src/service/archive/open.ts';
import type { CollectorContext } from '#src/service/collecting/collectors/collector.ts';
import marks, { marksTakenAt } from '#src/service/collecting/collectors/marks.ts';

const start = Date.UTC(2026, 0, 1);
const step = 5 * minute;

it('marks are stored with the time when they were taken, which is after waiting for the rate limit', async () => {
  const archive = await openArchive('file::memory:');
  onTestFinished(() => archive.close());
  let wait = 0;
  let time = start;
  const context = {
    exchanges: {
      markets: {
        async marks([symbol = '']: readonly string[], at: number) {
          time += wait;
          return [{ symbol, time: at, markPrice: 1, indexPrice: 1, estFunding: 0 }];
        },
      },
    },
    archive,
    // Half a second behind the exchange's clock.
    clock: { now: () => time - 500 },
    symbols: () => ['BTCUSDT'],
    listed: () => new Map(),
    learn() {},
    write: archive.write,
  } as unknown as CollectorContext;
  const collect = async (now: number, waiting: number) => {
    [time, wait] = [now, waiting];
    await marks.collect?.(context, { now, since: undefined, catchUp: async () => undefined });
  };

  await collect(start + 2 * second, 40 * second);
  expect(await archive.last('marks', { symbol: 'BTCUSDT', count: 1, to: start + step })).toMatchObject([
    { time: start },
  ]);
  expect(await marksTakenAt(archive, start)).toBe(start + 42 * second);
  // After a restart the marks that were read when they were due stay.
  await collect(start + 4 * minute, 0);
  expect(await marksTakenAt(archive, start)).toBe(start + 42 * second);
  // Marks filled in later have no such time: they are exact.
  expect(await marksTakenAt(archive, start - step)).toBeUndefined();
  for (let round = 1; round <= 12; round++) await collect(start + round * step + 2 * second, 0);
  expect(await marksTakenAt(archive, start)).toBeUndefined();
  expect(await marksTakenAt(archive, start + step)).toBe(start + step + 2 * second);
  expect(await marksTakenAt(archive, start + 12 * step)).toBe(start + 12 * step + 2 * second);
});

it('marks read when due, after a gap was found, are not replaced by closes of candles with the settled rate', async () => {
  const archive = await openArchive('file::memory:');
  onTestFinished(() => archive.close());
  const [due, missing] = [start + 2 * step, start + step];
  const read = { symbol: 'BTCUSDT', time: due, markPrice: 101, indexPrice: 100, estFunding: 0.0002 };
  const context = {
    exchanges: {
      venue: { roles: { closes: { rows: 499 } } },
      markets: {
        // The round reads the marks while the gap is being repaired.
        async closes(_price: string, { page: { from, to } }: { page: { from: number; to: number } }) {
          await archive.write('marks', [read]);
          return [from, to].map((time) => ({ time, close: 100 }));
        },
        funding: async () => [{ symbol: 'BTCUSDT', time: start, rate: 0.0001 }],
      },
    },
    archive,
    write: archive.write,
  } as unknown as CollectorContext;
  const [history] = marks.histories?.(context) ?? [];
  await history?.fill('BTCUSDT', { from: missing, to: due }, context);
  expect(await archive.readAll('marks', { from: start, to: due })).toEqual([
    { ...read, time: missing, markPrice: 100, estFunding: 0.0001 },
    read,
  ]);
});
