import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assumedRate,
  impliedLeverage,
  liquidatingTier,
  liquidationPrice,
  type MarginTiers,
  openingTier,
  type SizedPosition,
} from '#src/runtime/liquidation-price.ts';

const terms = (rate: number, deduction = 0) => ({ rate, deduction });

describe('the price at which an isolated position is liquidated', () => {
  it.each([
    // Half of the initial margin at 40x (hyperliquid.gitbook.io, liquidations): 54,000 / 0.9875.
    ['LONG', 60_000, 10, terms(0.0125), 54_683.544_303_8],
    ['SHORT', 60_000, 10, terms(0.0125), 65_185.185_185_2],
    ['LONG', 60_000, 10, terms(0.005, 51), 54_220.100_502_5],
    ['SHORT', 60_000, 10, terms(0.005, 51), 65_722.388_059_7],
    ['LONG', 100, 10, undefined, 90.452_261_3],
    ['SHORT', 100, 10, undefined, 109.452_736_3],
  ] as const)('%s from %d at %d×, %o: %d', (side, entry, leverage, maintenance, price) => {
    expect(liquidationPrice(side, entry, leverage, maintenance)).toBeCloseTo(price, 6);
  });

  it('implies the leverage; a price on the winning side implies none', () => {
    for (const side of ['LONG', 'SHORT'] as const)
      expect(impliedLeverage(side, 100, liquidationPrice(side, 100, 25))).toBeCloseTo(25, 8);
    expect(impliedLeverage('LONG', 100, 101)).toBeUndefined();
    expect(impliedLeverage('SHORT', 100, 100)).toBeUndefined();
    expect(assumedRate).toBe(0.005);
  });
});

const bybit: MarginTiers = {
  unit: 'USD',
  tiers: [
    { upTo: 300_000, maintenanceRate: 0.0033, maxLeverage: 150 },
    { upTo: 2_000_000, maintenanceRate: 0.005, maxLeverage: 100 },
    { upTo: 2_600_000, maintenanceRate: 0.0056, maxLeverage: 90 },
  ],
};

describe('the tier of a position', () => {
  const held = (over: Partial<SizedPosition> = {}): SizedPosition => ({
    ...{ side: 'LONG', entry: 60_000, leverage: 10 },
    ...over,
  });

  it('is the smallest if no size is known, and none if it is larger than all', () => {
    expect(liquidatingTier(bybit, held())).toMatchObject({ upTo: 300_000, deduction: 0 });
    expect(openingTier(bybit, held({ size: 50 }))).toBeUndefined();
    expect(liquidatingTier(bybit, held({ size: 50 }))).toBeUndefined();
  });

  it('has the deduction that the exchange publishes', () => {
    const deductions = [1, 20, 42].map((size) =>
      liquidatingTier(bybit, held({ side: 'SHORT', leverage: 50, size })),
    );
    expect(deductions.map((tier) => Math.round(tier?.deduction ?? -1))).toEqual([0, 510, 1_710]);
  });

  it('is that of the value at the liquidation: a long loses value, a short gains it', () => {
    const size = 5.2;
    expect(openingTier(bybit, held({ size }))?.upTo).toBe(2_000_000);
    expect(liquidatingTier(bybit, held({ size }))?.upTo).toBe(300_000);
    expect(openingTier(bybit, held({ side: 'SHORT', size: 4.8 }))?.upTo).toBe(300_000);
    expect(liquidatingTier(bybit, held({ side: 'SHORT', size: 4.8 }))?.upTo).toBe(2_000_000);
  });

  it('that counts coins charges the whole position at its rate', () => {
    const okx: MarginTiers = { ...bybit, unit: 'COINS' };
    expect(liquidatingTier(okx, held({ size: 400_000 }))).toMatchObject({
      maintenanceRate: 0.005,
      deduction: 0,
    });
  });

  it('leaves at the liquidation what the parts of the position ask for, each at its own rate', () => {
    const steps = fc.array(
      fc.record({
        width: fc.double({ min: 1_000, max: 1e7, noNaN: true }),
        rise: fc.double({ min: 0, max: 0.02, noNaN: true }),
      }),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(
        steps,
        fc.constantFrom('LONG' as const, 'SHORT' as const),
        fc.double({ min: 1.5, max: 6, noNaN: true }),
        fc.double({ min: 0.01, max: 1e5, noNaN: true }),
        (parts, side, leverage, size) => {
          let [upTo, maintenanceRate] = [0, 0.001];
          const rising = parts.map(({ width, rise }) => {
            upTo += width;
            maintenanceRate += rise;
            return { upTo, maintenanceRate, maxLeverage: 6 };
          });
          const all: MarginTiers['tiers'] = [
            ...rising,
            { maintenanceRate: maintenanceRate + 0.001, maxLeverage: 6 },
          ];
          const tiers = { unit: 'USD' as const, tiers: all };
          const entry = 100;
          const tier = liquidatingTier(tiers, { side, entry, leverage, size });
          const { maintenanceRate: rate = 0, deduction = 0 } = tier ?? {};
          const price = liquidationPrice(side, entry, leverage, terms(rate, deduction / size));
          const equity = size * (entry / leverage + (side === 'LONG' ? price - entry : entry - price));
          const asked = all.reduce((sum, { upTo: to = Number.POSITIVE_INFINITY, maintenanceRate }, index) => {
            const from = all[index - 1]?.upTo ?? 0;
            return sum + maintenanceRate * Math.max(0, Math.min(price * size, to) - from);
          }, 0);
          expect(equity / size).toBeCloseTo(asked / size, 6);
        },
      ),
    );
  });
});
