import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { candleIntervals, candleLengths } from '#src/contract/candle-interval.ts';
import type { EndpointAnswer } from '#src/contract/index.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import type { Archive, Candle } from '#src/service/archive/archive.ts';
import { type AskCandles, answerWith, type HandlerContext } from '#src/service/handlers/handler.ts';
import { handlers } from '#src/service/handlers/index.ts';
import { parseQuery } from '#src/service/http/query.ts';
import { contextAt, filledArchive, now, universe } from '../fixture.ts';

let archive: Archive;
beforeAll(async () => {
  archive = await filledArchive();
});
afterAll(() => archive.close());

const [symbol = ''] = universe;
type Answer = EndpointAnswer<'candles'>;

async function ask(
  query: object,
  { at = now, ...given }: { readonly at?: number } & Pick<HandlerContext, 'askCandles' | 'listed'> = {},
) {
  const context = { ...(await contextAt(archive, at)), ...given };
  return answerWith(handlers.candles, { query: parseQuery('candles', { symbol, ...query }), context });
}

/** A venue whose candles are told apart from archived ones by their close of 1. */
function venue() {
  const asked: string[] = [];
  const askCandles: AskCandles = async (of, { interval, from, to }) => {
    asked.push(`${of} ${interval} ${(to - from) / candleLengths[interval] + 1}`);
    const rows: Candle[] = [];
    for (let time = from; time <= to; time += candleLengths[interval])
      rows.push({
        symbol: of,
        time,
        open: 1,
        high: 1,
        low: 1,
        close: 1,
        volume: 1,
        takerBuy: 0.5,
        quoteVolume: 1,
      });
    return rows;
  };
  return { asked, askCandles };
}

const times = ({ data }: Answer) => data.map(({ open_time }) => Date.parse(open_time));

describe('candles', () => {
  it.each(candleIntervals.filter((interval) => interval !== '1m'))(
    '%s: the newest closed ones, each beginning at a multiple of its length, none missing',
    async (interval) => {
      const length = candleLengths[interval];
      const answer = await ask({ interval, limit: 40 });
      const newest = Math.floor(now / length) * length - length;
      expect(times(answer)).toEqual(Array.from({ length: 40 }, (_, index) => newest - (39 - index) * length));
    },
  );

  it.each([
    ['15m', '5m'],
    ['30m', '5m'],
    ['4h', '1h'],
  ] as const)('%s has the extremes, the ends and the volume of its candles of %s', async (interval, part) => {
    const [large, small] = await Promise.all([
      ask({ interval, limit: 8 }),
      ask({ interval: part, limit: 400 }),
    ]);
    expect(large.data).toHaveLength(8);
    for (const { open_time, o, h, l, c, v } of large.data) {
      const from = Date.parse(open_time);
      const parts = small.data.filter((row) => {
        const time = Date.parse(row.open_time);
        return time >= from && time < from + candleLengths[interval];
      });
      expect([o, c]).toEqual([parts[0]?.o, parts.at(-1)?.c]);
      expect(Number(h)).toBe(Math.max(...parts.map((row) => Number(row.h))));
      expect(Number(l)).toBe(Math.min(...parts.map((row) => Number(row.l))));
      expect(Number(v)).toBeCloseTo(
        parts.reduce((sum, row) => sum + Number(row.v), 0),
        8,
      );
    }
  });

  it('a candle is told from the moment on at which it has closed', async () => {
    const end = Math.floor(now / hour) * hour;
    const lastAt = async (at: number) => times(await ask({ interval: '15m', limit: 2 }, { at })).at(-1);
    expect(await lastAt(end - 1)).toBe(end - 30 * minute);
    expect(await lastAt(end)).toBe(end - 15 * minute);
  });

  it('what the archive has is not asked of the venue', async () => {
    const { asked, askCandles } = venue();
    for (const interval of candleIntervals.slice(1)) await ask({ interval, limit: 30 }, { askCandles });
    expect(asked).toEqual([]);
  });

  it('what the archive lacks is asked of the venue: minutes, a past before it, and markets that are not followed', async () => {
    const { asked, askCandles } = venue();
    const minutes = await ask({ interval: '1m', limit: 10 }, { askCandles });
    expect(minutes.data.map(({ c }) => c)).toEqual(Array(10).fill('1'));
    expect(asked).toEqual([`${symbol} 1m 10`]);
    // The archive begins later than the first candle asked for: from there on the venue's are used.
    const answer = await ask({ interval: '30m', limit: 1000 }, { askCandles });
    expect(answer.data).toHaveLength(1000);
    expect(asked.at(-1)).toBe(`${symbol} 30m 1000`);
    await expect(ask({ symbol: 'OTHERUSDT' }, { askCandles })).rejects.toThrow('Invalid symbol');
    const market = { symbol: 'OTHERUSDT', listed: 0, volume: 0, at: 0 };
    const listed = new Map([[market.symbol, market]]);
    const other = await ask({ symbol: 'OTHERUSDT', interval: '4h', limit: 3 }, { askCandles, listed });
    expect([other.data.length, asked.at(-1)]).toEqual([3, 'OTHERUSDT 4h 3']);
  });

  it('a candle that is not stored yet is asked of the venue alone', async () => {
    const { asked, askCandles } = venue();
    const at = now + 2 * hour + 5 * minute;
    const answer = await ask({ interval: '1h', limit: 5 }, { at, askCandles });
    const fresh = answer.data.filter(({ c }) => c === '1');
    expect([answer.data.length, asked]).toEqual([5, [`${symbol} 1h ${fresh.length}`]]);
    expect(fresh.length).toBeLessThan(3);
  });

  it('while the venue does not answer, the archive’s are returned, and of none there is an error', async () => {
    const askCandles: AskCandles = () => Promise.reject(new ApiError('/candles', 'unreachable', 'no answer'));
    const { data } = await ask({ interval: '5m', limit: 1000 }, { at: now + 5 * minute, askCandles });
    expect(data.length).toBeGreaterThan(900);
    await expect(ask({ interval: '1m' }, { askCandles })).rejects.toThrow('no answer');
  });

  it('of a past there are no minutes: they are not kept', async () => {
    await expect(ask({ interval: '1m' })).rejects.toMatchObject({ reason: 'not_offered' });
    expect((await ask({ interval: '5m', limit: 3 })).data.at(-1)?.open_time).toBe(
      iso(Math.floor(now / (5 * minute)) * 5 * minute - 5 * minute),
    );
  });
});
