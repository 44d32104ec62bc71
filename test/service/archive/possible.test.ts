import { expect, it } from 'vitest';
import { z } from 'zod';
import { isPossible } from '#src/service/archive/possible.ts';
import { rowsOf } from '#src/service/exchanges/rows.ts';
import { openInterests } from '#src/service/venues/binance/payloads.ts';

const time = 1_700_000_000_000;
const candle = {
  ...{ symbol: 'BTCUSDT', time, open: 1, high: 2, low: 1, close: 2 },
  ...{ volume: 0, takerBuy: 0, quoteVolume: 0 },
};

it.each<[string, object, boolean]>([
  ['a candle of an hour without trades', candle, true],
  ['a candle that closes at 0', { ...candle, close: 0 }, false],
  ['a candle that closes above its high', { ...candle, close: 3 }, false],
  ['a candle that opens below its low', { ...candle, open: 1, low: 1.5 }, false],
  ['a candle whose high is below its low', { ...candle, high: 1, low: 2, open: 1, close: 2 }, false],
  ['a price below 0', { ...candle, low: -1 }, false],
  ['a volume that is no number', { ...candle, volume: Number.NaN }, false],
  ['takers who bought more than was traded', { ...candle, volume: 1, takerBuy: 2 }, false],
  ['open interest of nothing', { contracts: 0, valueUsd: 0 }, false],
  ['a mark without an index', { markPrice: 1, indexPrice: 0, estFunding: 0 }, false],
  ['a market whose index is not said', { markPrice: 1, indexPrice: undefined }, true],
  ['an infinite price', { markPrice: Infinity, indexPrice: 1, estFunding: 0 }, false],
  ['a rate of more than the position', { rate: 1.5 }, false],
  ['a rate below 0', { rate: -0.02 }, true],
  ['more longs than accounts', { longRatio: 1.01 }, false],
  ['a liquidation of nothing', { price: 1, quantity: 0 }, false],
])('%s', (_, row, expected) => expect(isPossible(row)).toBe(expected));

it('a row with a value that cannot be is dropped and counted where it enters, and costs no other', () => {
  const row = { symbol: 'BTCUSDT', timestamp: time, sumOpenInterest: '1000', sumOpenInterestValue: '1e8' };
  const { rows, dropped, example } = openInterests.parse([row, row, { ...row, sumOpenInterest: '0' }]);
  expect([rows.length, dropped]).toEqual([2, 1]);
  expect(example).toBe('field "2.contracts": is no possible value');
  expect(() => rowsOf(z.object({ markPrice: z.number() })).parse([{ markPrice: 0 }])).toThrow('markPrice');
});
