import { describe, expect, it } from 'vitest';
import { minute } from '#src/runtime/units.ts';
import { spread, spreadRows, spreadSignal } from '#src/service/analytics/spread.ts';
import { columnsOf } from '#src/service/archive/columns.ts';
import { deriveRows } from '#src/service/archive/derivation.ts';
import { ratioRows } from '#src/service/handlers/market.ts';

const book = (i: number, bidPrice: number, askPrice: number, imbalance = 0) => ({
  symbol: 'A',
  time: i * minute,
  bidPrice,
  askPrice,
  imbalance,
});

const of = (books: readonly ReturnType<typeof book>[]) =>
  spread('A', deriveRows(columnsOf(books, ['bidPrice', 'askPrice', 'imbalance']), spreadRows, 0));

describe('spread', () => {
  it('spreadPct is relative to the mid price; the average is that of the rows', () => {
    const answer = of([book(0, 99.5, 100.5, 0.1), book(1, 98.5, 101.5, 0.12345)]);
    expect(answer.data.map(({ spreadPct }) => spreadPct)).toEqual([1, 3]);
    expect(answer).toMatchObject({
      dataPoints: 2,
      avgSpreadPct: 2,
      current: { bidPrice: 98.5, askPrice: 101.5, imbalance: 0.1235 },
      signal: 'NORMAL',
    });
  });

  it('crossed or empty books give no row', () => {
    expect(of([book(0, 101, 100), book(1, 0, 100)])).toEqual({
      symbol: 'A',
      data: [],
      dataPoints: 0,
      avgSpreadPct: 0,
      signal: 'NORMAL',
    });
  });
});

it.each([
  ['wide above twice the average', 2.01, 0, 'WIDE_SPREAD'],
  ['not at twice the average', 2, 0, 'NORMAL'],
  ['width before weight', 3, 0.9, 'WIDE_SPREAD'],
  ['bid heavy above 0.3', 1, 0.31, 'BID_HEAVY'],
  ['not at 0.3', 1, 0.3, 'NORMAL'],
  ['ask heavy below −0.3', 1, -0.31, 'ASK_HEAVY'],
  ['not at −0.3', 1, -0.3, 'NORMAL'],
])('rule 7: %s', (_, spreadPct, imbalance, signal) => {
  expect(spreadSignal({ spreadPct, imbalance }, 1)).toBe(signal);
});

it('ratios: longs and shorts sum to 1', () => {
  expect(
    deriveRows(columnsOf([{ symbol: 'A', time: 0, longRatio: 0.61239 }], ['longRatio']), ratioRows, 0),
  ).toEqual([{ timestamp: '1970-01-01T00:00:00.000Z', longRatio: 0.6124, shortRatio: 0.3876 }]);
});
