import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contract } from '#src/contract/index.ts';
import { day, hour } from '#src/runtime/units.ts';
import { annualizedPct, fundingExtremes, fundingSeverity } from '#src/service/analytics/funding-extremes.ts';
import type { SettledFunding } from '#src/service/archive/archive.ts';

const now = Date.UTC(2030, 0, 31);
/** Settlements every 8 hours up to now, the newest rate last. */
const settled = (symbol: string, rates: readonly number[], until = now): SettledFunding[] =>
  rates.map((rate, i) => ({ symbol, time: until - (rates.length - 1 - i) * 8 * hour, rate }));
const calm = (count: number) => Array.from({ length: count }, (_, i) => (i % 2 === 0 ? 0.0001 : -0.0001));

describe('fundingExtremes', () => {
  it('z is (current − mean) / sd, including the current rate', () => {
    // 19 × 0 and one 0.0019: mean 0.000095, sd = 0.0019 / √20, z = 0.95·√20 = 4.2485
    const [row] = fundingExtremes(settled('A', [...Array.from({ length: 19 }, () => 0), 0.0019]), now);
    expect(row).toEqual({
      symbol: 'A',
      currentRate: 0.0019,
      annualizedPct: 208.05,
      avg30dRate: 0.000095,
      zScore: 4.2485,
      severity: 'EXTREME',
      direction: 'OVERLEVERAGED_LONG',
      timestamp: '2030-01-31T00:00:00.000Z',
    });
  });

  it.each<[string, SettledFunding[], string[]]>([
    ['samples: 20 are enough', settled('A', [...calm(19), 0.01]), ['A']],
    ['samples: 19 are not', settled('A', [...calm(18), 0.01]), []],
    [
      'window: what is older than 30 days is no sample',
      settled('A', [...calm(30), 0.01], now - 25 * day),
      [],
    ],
    [
      'deviation: equal rates have none, whatever their rounding',
      settled(
        'A',
        Array.from({ length: 90 }, () => 0.0001),
      ),
      [],
    ],
    ['sign: negative z with a negative rate is an extreme', settled('A', [...calm(40), -0.01]), ['A']],
    [
      'sign: a rate above its mean but negative is none',
      settled('A', [...Array.from({ length: 40 }, () => -0.01), -0.0001]),
      [],
    ],
    ['threshold: within 1.5 deviations is none', settled('A', calm(40)), []],
    [
      'order: largest |z| first',
      [
        ...settled('A', [...calm(40), 0.0003]),
        ...settled('B', [...calm(40), -0.01]),
        ...settled('C', [...calm(40), 0.001]),
      ],
      ['B', 'C', 'A'],
    ],
    [
      'order: equals by name',
      [...settled('B', [...calm(40), 0.01]), ...settled('A', [...calm(40), 0.01])],
      ['A', 'B'],
    ],
    ['future: settlements after now are not seen', settled('A', [...calm(40), 0.01], now + 8 * hour), []],
    [
      'halted: a day behind the others is no current rate',
      [...settled('A', [...calm(40), 0.01], now - 2 * day), ...settled('B', calm(40))],
      [],
    ],
    [
      'silent feed: with all of them behind, the last known rates stand',
      settled('A', [...calm(40), 0.01], now - 2 * day),
      ['A'],
    ],
  ])('%s', (_, settlements, symbols) => {
    expect(fundingExtremes(settlements, now).map(({ symbol }) => symbol)).toEqual(symbols);
  });

  it('severity and direction agree with the published z, and the contract takes every row', () => {
    const rate = fc.double({ min: -0.03, max: 0.03, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.array(rate, { maxLength: 95 }), { maxLength: 4 }), (coins) => {
        const data = fundingExtremes(
          coins.flatMap((rates, i) => settled(`C${i}`, rates)),
          now,
        );
        for (const row of data) {
          expect(row.severity).toBe(fundingSeverity(row.zScore));
          expect(row.direction).toBe(row.zScore > 0 ? 'OVERLEVERAGED_LONG' : 'OVERLEVERAGED_SHORT');
          expect(Math.sign(row.currentRate)).toBe(Math.sign(row.zScore));
        }
        expect(
          contract.fundingExtremes.answer.safeParse({ data, count: data.length, threshold: 'x' }).success,
        ).toBe(true);
      }),
    );
  });
});

it.each([
  [1.5, undefined],
  [1.5001, 'ELEVATED'],
  [2, 'ELEVATED'],
  [2.0001, 'HIGH'],
  [-3, 'HIGH'],
  [-3.0001, 'EXTREME'],
])('severity: |z| of %d is %s', (z, severity) => {
  expect(fundingSeverity(z)).toBe(severity);
});

it('annualized: rate × 3 × 365 × 100', () => {
  expect(annualizedPct(0.0001)).toBe(10.95);
});
