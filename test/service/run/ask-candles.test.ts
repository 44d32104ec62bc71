import { expect, it } from 'vitest';
import { candleLengths } from '#src/contract/candle-interval.ts';
import { minute, second } from '#src/runtime/units.ts';
import type { Candle } from '#src/service/archive/archive.ts';
import { createAskCandles } from '#src/service/run/ask-candles.ts';
import type { Exchanges } from '#src/service/venues/open-exchanges.ts';
import type { VenueClient } from '#src/service/venues/venue.ts';

const now = Date.UTC(2026, 0, 5, 12, 0, 1);
const newest = Date.UTC(2026, 0, 5, 11, 59);

function asking({
  fail = () => false,
  answer = (rows) => rows,
}: {
  readonly fail?: () => boolean;
  readonly answer?: (rows: Candle[]) => Candle[];
} = {}) {
  const pages: number[] = [];
  const slept: number[] = [];
  const candles: VenueClient['candles'] = async (symbol, { interval, page: { from, to } }) => {
    if (fail()) throw new Error('no answer');
    const count = (to - from) / candleLengths[interval] + 1;
    pages.push(count);
    const rows = Array.from({ length: count }, (_, index): Candle => {
      const values = { open: 2, high: 2, low: 2, close: 2, volume: 1, takerBuy: 1, quoteVolume: 2 };
      return { symbol, time: from + index * candleLengths[interval], ...values };
    });
    return answer(rows);
  };
  const exchanges = {
    venue: { name: 'binance', title: 'Binance USD-M', roles: { candles: { rows: 499, takers: true } } },
    markets: { candles },
  } as unknown as Exchanges;
  const ask = createAskCandles({
    exchanges: () => exchanges,
    clock: { speed: 1, now: () => now, wallUntil: (at) => at - now },
    wall: { now: () => now, sleep: async (ms) => void slept.push(ms) },
    signal: new AbortController().signal,
  });
  return { ask, pages, slept };
}

const minutes = (count: number, to = newest) =>
  ({ interval: '1m', from: to - (count - 1) * minute, to }) as const;

it('many who ask for the same candles share one question, which has no more rows than the venue answers', async () => {
  const { ask, pages } = asking();
  const [all, part] = await Promise.all([ask('BTCUSDT', minutes(1_000)), ask('BTCUSDT', minutes(50))]);
  expect(pages).toEqual([2, 499, 499]);
  expect(all.map(({ time }) => time)).toEqual(
    Array.from({ length: 1_000 }, (_, at) => newest - (999 - at) * minute),
  );
  expect(part.at(-1)?.time).toBe(newest);
  await ask('BTCUSDT', minutes(10));
  expect(pages).toHaveLength(3);
  await ask('BTCUSDT', minutes(10, newest + minute));
  await ask('ETHUSDT', minutes(10));
  expect(pages).toHaveLength(5);
});

it('who asks for less than is known gets no more', async () => {
  const { ask } = asking();
  await ask('BTCUSDT', minutes(100));
  expect(await ask('BTCUSDT', minutes(7))).toHaveLength(7);
});

it('a candle that has just closed is asked for once it no longer changes', async () => {
  const { ask, slept } = asking();
  await ask('BTCUSDT', minutes(3));
  expect(slept).toEqual([second]);
});

it('a question that failed is asked again', async () => {
  let isDown = true;
  const { ask } = asking({ fail: () => isDown });
  await expect(ask('BTCUSDT', minutes(3))).rejects.toThrow('no answer');
  isDown = false;
  expect(await ask('BTCUSDT', minutes(3))).toHaveLength(3);
});

it('what a venue sends in another order, twice, unasked or impossible does not change the answer', async () => {
  const wrong = (row: Candle): Candle[] => [
    row,
    { ...row, time: row.time + second },
    { ...row, time: row.time + 1_000 * minute },
    { ...row, time: Number.NaN },
    { ...row, time: newest + minute },
  ];
  const { ask } = asking({ answer: (rows) => [...rows].reverse().flatMap(wrong).concat(rows) });
  const times = (await ask('BTCUSDT', minutes(5))).map(({ time }) => time);
  expect(times).toEqual([4, 3, 2, 1, 0].map((ago) => newest - ago * minute));
  const none = asking({ answer: (rows) => rows.map((row) => ({ ...row, close: 0 })) });
  expect(await none.ask('BTCUSDT', minutes(5))).toEqual([]);
});
