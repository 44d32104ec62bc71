import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { MarketClock } from '#src/runtime/clock.ts';
import { day, hour } from '#src/runtime/units.ts';
import type { Archive, Candle, SeriesName } from '#src/service/archive/archive.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { keepPublishing, openRegimes } from '#src/service/run/regimes.ts';

const start = Date.parse('2024-01-01T00:00:00.000Z');
const hours = 120 * 24;
const end = start + hours * hour;

const candle = (time: number): Candle => {
  const at = (time - start) / hour;
  const close = 40_000 * Math.exp(0.3 * Math.sin(at / 150) + 0.01 * Math.sin(at));
  return {
    symbol: 'BTCUSDT',
    time,
    open: close,
    high: close,
    low: close,
    close,
    volume: 1,
    takerBuy: 0.5,
    quoteVolume: close,
  };
};
const candles = Array.from({ length: hours }, (_, i) => candle(start + i * hour));

async function withArchive(work: (archive: Archive) => Promise<void>, rows: readonly Candle[] = candles) {
  const archive = await openArchive('file::memory:');
  try {
    await archive.write('candles1h', rows);
    await work(archive);
  } finally {
    await archive.close();
  }
}
const published = async (archive: Archive, symbol = 'BTCUSDT') =>
  (await archive.read('regimes', { symbol, window: { from: 0, to: Number.MAX_SAFE_INTEGER } })).reverse();

const walk = async () => {
  let rows: Awaited<ReturnType<typeof published>> = [];
  await withArchive(async (archive) => {
    await openRegimes(archive, { from: 0 })(end);
    rows = await published(archive);
  });
  return rows;
};
let walked: ReturnType<typeof walk> | undefined;
/** The rows of one uninterrupted walk, which is walked once for all tests. */
const whole = () => {
  walked ??= walk();
  return walked;
};

describe('published regimes', () => {
  it('contain each closed hour once, in order, and 90 days of the past', () =>
    withArchive(async (archive) => {
      const publish = openRegimes(archive);
      const first = await publish(end - 90 * day);
      expect((await published(archive)).at(0)?.time ?? 0).toBeLessThanOrEqual(end - 90 * day - hour);
      const second = await publish(end - 0.5 * hour);
      expect(await publish(end - 0.5 * hour)).toBe(0);
      const rows = await published(archive);
      expect(rows).toHaveLength(first + second);
      expect(rows[0]?.time).toBe(end - 2 * hour);
    }));

  it('are the same whether computed in one run or reopened in between', async () => {
    const expected = await whole();
    expect(expected.length).toBeGreaterThan(20 * 24);
    await withArchive(async (archive) => {
      for (const now of [end - 40 * day, end - 33.3 * day, end - 8 * day, end]) {
        await openRegimes(archive, { from: 0 })(now);
      }
      expect(await published(archive)).toEqual(expected);
    });
  });

  it('are the same if the process dies before it could store them', async () => {
    const expected = await whole();
    await withArchive(async (archive) => {
      await openRegimes(archive, { from: 0 })(end - 20 * day);
      const dying = { ...archive, write: () => Promise.reject(new Error('killed')) };
      await expect(openRegimes(dying, { from: 0 })(end - 10 * day)).rejects.toThrow('killed');
      await openRegimes(archive, { from: 0 })(end);
      expect(await published(archive)).toEqual(expected);
    });
  });

  it('of another market are computed in the same way, beside bitcoin’s', async () => {
    const expected = await whole();
    await withArchive(
      async (archive) => {
        await openRegimes(archive, { symbol: 'ETHUSDT', from: 0 })(end);
        const rows = await published(archive, 'ETHUSDT');
        expect(rows).toEqual(expected.map((row) => ({ ...row, symbol: 'ETHUSDT' })));
        expect(await published(archive)).toEqual([]);
      },
      candles.map((row) => ({ ...row, symbol: 'ETHUSDT' })),
    );
  });

  it('take in a past that a backfill brings later', async () => {
    const short = candles.slice(-8 * 24);
    await withArchive(async (archive) => {
      const publish = openRegimes(archive);
      expect(await publish(end)).toBe(0);
      await archive.write('candles1h', candles);
      expect(await publish(end)).toBeGreaterThan(89 * 24);
    }, short);
  });

  it('wait two hours for a missing candle and then continue without it', () => {
    const missing = end - 3 * hour;
    return withArchive(
      async (archive) => {
        const publish = openRegimes(archive);
        await publish(end - hour + 1);
        expect((await published(archive))[0]?.time).toBe(missing - hour);
        await archive.write('candles1h', [candle(missing)]);
        await publish(end - hour + 2);
        expect((await published(archive))[0]?.time).toBe(missing + hour);
      },
      candles.filter(({ time }) => time !== missing),
    );
  });

  it('are not delayed any longer by a candle that never comes', () => {
    const missing = end - 3 * hour;
    return withArchive(
      async (archive) => {
        await openRegimes(archive)(missing + 4 * hour);
        expect((await published(archive))[0]?.time).toBe(end - hour);
      },
      candles.filter(({ time }) => time !== missing),
    );
  });

  it('of an older model stay, and the walk continues from them', () =>
    withArchive(async (archive) => {
      await openRegimes(archive, { from: 0 })(end - 10 * day);
      const before = (await published(archive)).map((row) => ({ ...row, model: 0 }));
      const older = {
        ...archive,
        last: async () => before.slice(0, 1),
        read: async (series: SeriesName, given: Parameters<Archive['read']>[1]) =>
          series === 'regimes' ? before.toReversed() : archive.read(series, given),
      };
      await openRegimes(older as unknown as Archive)(end);
      expect((await published(archive)).length).toBe(before.length + 10 * 24);
    }));
});

it('publishes bitcoin’s regime first, and then those of the markets that have new candles', async () => {
  const archive = await openArchive('file::memory:');
  for (const symbol of ['ETHUSDT', 'BTCUSDT', 'SOLUSDT'])
    await archive.write(
      'candles1h',
      candles.map((row) => ({ ...row, symbol })),
    );
  const written: string[] = [];
  const ending = new AbortController();
  const publishing = keepPublishing({
    archive: {
      ...archive,
      write: (series, rows) => {
        written.push(...new Set(rows.map(({ symbol }) => symbol)));
        return archive.write(series, rows);
      },
    },
    clock: { now: () => end } as MarketClock,
    log: pino({ level: 'silent' }),
    after: Promise.resolve(),
    signal: ending.signal,
    onPublished: () => {
      if (new Set(written).size === 2) ending.abort();
    },
  });
  publishing.wake(['ETHUSDT']);
  await publishing.ready;
  await publishing.done;
  expect(written).toEqual(['BTCUSDT', 'ETHUSDT']);
  await archive.close();
});
