import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realTime } from '#src/runtime/clock.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, minute } from '#src/runtime/units.ts';
import type { Archive } from '#src/service/archive/archive.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { createCatchUp } from '#src/service/collecting/catch-up.ts';
import { type CollectorContext, defineHistory } from '#src/service/collecting/collectors/collector.ts';
import openInterest from '#src/service/collecting/collectors/open-interest.ts';
import ratios from '#src/service/collecting/collectors/ratios.ts';
import { openFeed } from '#src/service/collecting/feed-health.ts';
import { keepCollecting } from '#src/service/collecting/rounds.ts';
import binance from '#src/service/venues/binance/venue.ts';
import type { Exchanges } from '#src/service/venues/open-exchanges.ts';
import { mostWithin, standIn } from '../../support/venues/stand-in.ts';
import { virtualClock } from '../../support/virtual-clock.ts';

const now = 1_000 * hour;
const symbols = Array.from({ length: 20 }, (_, index) => `S${index}USDT`);

let archive: Archive;
let asked: string[];
beforeEach(async () => {
  asked = [];
  archive = await openArchive('file::memory:');
  for (const series of ['topRatio', 'globalRatio'] as const) {
    await archive.write(
      series,
      symbols.map((symbol) => ({ symbol, time: now - hour, longRatio: 0.5 })),
    );
  }
});
afterEach(() => archive.close());

/** Creates a catch-up of two series; `answer` returns the number of rows of one symbol, or an error to throw. */
function catchUpWith(
  answer: (symbol: string) => number | Error,
  { late = false, tracked = () => symbols }: { late?: boolean; tracked?: () => readonly string[] } = {},
) {
  const context = {
    archive,
    symbols: tracked,
    write: (series, rows) => archive.write(series, rows),
  } as Partial<CollectorContext> as CollectorContext;
  const history = (series: 'topRatio' | 'globalRatio') =>
    defineHistory({
      series,
      late,
      step: hour,
      pageSteps: 10,
      wanted: 10 * hour,
      needed: () => hour,
      async fetch(symbol, { from }) {
        asked.push(`${series} ${symbol}`);
        const rows = answer(symbol);
        if (rows instanceof Error) throw rows;
        return Array.from({ length: rows }, () => ({ symbol, time: from, longRatio: 0.6 }));
      },
    });
  return createCatchUp([history('topRatio'), history('globalRatio')], context);
}
const round = (answer: (symbol: string) => number | Error, late = false) =>
  catchUpWith(answer, { late })(now);
const gone = new ApiError('binance /x', 'invalid_request', 'HTTP 400 (Invalid symbol.)');
const down = new ApiError('binance /x', 'server_error', 'HTTP 503');
const limited = new ApiError('binance /x', 'rate_limited', 'HTTP 429', { retryAfter: 1_000 });

describe('a failure of some symbols', () => {
  it.each([
    ['refused', gone],
    ['odd', new ApiError('binance /x', 'malformed', 'field "0"', { field: '0' })],
  ])(
    'such as one %s symbol stops no other series: it is named, and all others are stored',
    async (_, error) => {
      const problem = await round((symbol) => (symbol === 'S7USDT' ? error : 1));
      expect(problem).toBe(`S7USDT: ${error.message}`);
      for (const series of ['topRatio', 'globalRatio'] as const) {
        const latest = await archive.latest(series, now);
        expect(latest.filter(({ time }) => time === now)).toHaveLength(symbols.length - 1);
      }
    },
  );

  it('names three symbols and counts the rest', async () => {
    const problem = await round((symbol) => (/S1\d/.test(symbol) ? gone : 1));
    expect(problem).toBe(`S10USDT, S11USDT, S12USDT and 7 more: ${gone.message}`);
  });

  it('of all symbols is a failure of the feed', async () => {
    await expect(round(() => down)).rejects.toBe(down);
  });

  it('by a refusal ends the pass at once', async () => {
    await expect(round(() => limited)).rejects.toBe(limited);
    // Requests in progress when the refusal came.
    expect(asked.length).toBeLessThanOrEqual(8);
    expect(asked.every((entry) => entry.startsWith('topRatio'))).toBe(true);
  });
});

describe('rows that are published late', () => {
  it('are requested for one symbol until its row exists, then for all, each once', async () => {
    for (let turn = 0; turn < 4; turn += 1) await round(() => 0, true);
    expect(asked).toHaveLength(2 * 4);
    asked = [];
    expect(await round(() => 1, true)).toBeUndefined();
    expect(asked.toSorted()).toEqual(
      ['topRatio', 'globalRatio']
        .flatMap((series) => symbols.map((symbol) => `${series} ${symbol}`))
        .toSorted(),
    );
    asked = [];
    await round(() => 1, true);
    expect(asked).toEqual([]);
  });

  it('are found although one symbol is refused', async () => {
    const problem = await round((symbol) => (symbol === 'S0USDT' ? gone : 1), true);
    expect(problem).toBe(`S0USDT: ${gone.message}`);
    expect((await archive.latest('topRatio', now)).filter(({ time }) => time === now)).toHaveLength(19);
  });

  it('are found although a market that ended long ago has none', async () => {
    for (const series of ['topRatio', 'globalRatio'] as const)
      await archive.write(series, [{ symbol: 'AUSDT', time: now - 50 * hour, longRatio: 0.5 }]);
    const catchUp = catchUpWith((symbol) => (symbol === 'AUSDT' ? 0 : 1), {
      late: true,
      tracked: () => ['AUSDT', ...symbols],
    });
    await catchUp(now);
    expect((await archive.latest('topRatio', now)).filter(({ time }) => time === now)).toHaveLength(20);
  });

  it('are requested for three symbols, not for all, if the upstream is down', async () => {
    await expect(round(() => down, true)).rejects.toBe(down);
    expect(asked).toHaveLength(3);
  });
});

describe('several rounds', () => {
  it('request each row once, also of a market that is tracked later, and again when the next row is due', async () => {
    let tracked = symbols.slice(0, 19);
    const catchUp = catchUpWith(() => 1, { tracked: () => tracked });
    const requested = async (at: number) => {
      asked = [];
      await catchUp(at);
      return asked.length;
    };
    expect(await requested(now)).toBe(2 * 19);
    expect(await requested(now + minute)).toBe(0);
    tracked = symbols;
    expect(await requested(now + 2 * minute)).toBe(2);
    expect(await requested(now + hour)).toBe(2 * 20);
    expect(await requested(now + hour + minute)).toBe(0);
  });
});

/** Catches up open interest and both ratios of markets with a known past, over a quarter of an hour. */
async function askedOfFuturesData({ count, publication }: { count: number; publication: number }) {
  const noon = Date.UTC(2026, 8, 5, 12);
  const { wall, until, counted } = virtualClock(noon - minute);
  const clock = realTime(wall);
  const { transport, asked, listed } = standIn({ clock, wall, symbols: count, publication });
  const ending = new AbortController();
  const { signal } = ending;
  const kept = counted(archive);
  const markets = binance.open({ url: 'https://venue.example', wall, signal, transport });
  const context = {
    exchanges: { venue: binance, markets } as Partial<Exchanges> as Exchanges,
    archive: kept,
    clock,
    wall,
    signal,
    random: () => 0.5,
    symbols: () => listed,
    write: (series, rows) => kept.write(series, rows),
  } as Partial<CollectorContext> as CollectorContext;
  const feeds = [openInterest, ratios].map((collector) => ({
    collector,
    feed: openFeed(collector.name, { before: undefined, archive: kept, log: pino({ level: 'silent' }) }),
    histories: collector.histories?.(context) ?? [],
    context,
    now: () => clock.now(),
  }));
  const values = { contracts: 1, valueUsd: 1, longRatio: 0.5 };
  for (const { series, step } of feeds.flatMap(({ histories }) => histories)) {
    await archive.write(
      series,
      listed.map((symbol) => ({ symbol, time: noon - step, ...values })),
    );
  }
  let ended = false;
  void Promise.all(feeds.map((running) => keepCollecting(running, () => {}))).then(() => {
    ended = true;
  });
  await until(() => wall.now() >= noon + 21 * minute, noon + 22 * minute);
  ending.abort();
  await until(() => ended, noon + 23 * minute);
  const rows = await archive.readAll('topRatio', { from: noon, to: noon + 15 * minute });
  return { most: mostWithin(asked, 5 * minute), rows: rows.length };
}

describe.each([
  [100, 500, [0, 1, 2.5, 4, 4.9]],
  [200, 1_000, [0, 2.5, 4.9]],
] as const)('for %i markets /futures/data gets at most %i requests in any 5 min', (count, limit, delays) => {
  it.each(delays)('if its rows come %f min late, and all rows are stored', async (late) => {
    const { most, rows } = await askedOfFuturesData({ count, publication: late * minute });
    expect(most).toBeLessThanOrEqual(limit);
    // Rows of two moments; the stand-in refuses one market.
    expect(rows).toBe(2 * (count - 1));
  });
});
