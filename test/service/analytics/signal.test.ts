import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hour } from '#src/runtime/units.ts';
import { coinSignal, masterScore, signalInputs, signalWeights } from '#src/service/analytics/signal.ts';
import type { Candle, Ratio, SettledFunding } from '#src/service/archive/archive.ts';
import { columnsOf } from '#src/service/archive/columns.ts';

const z = fc.double({ noNaN: true, min: -50, max: 50 });
const inputs = fc.record({ momentum: z, flow: z, funding: z, crowding: z }, { requiredKeys: [] });

describe('coinSignal', () => {
  it.each([
    ['neutral: nothing known', {}, 0],
    ['momentum alone at its bound', { momentum: 3 }, 0.45],
    ['clipped: a larger number says no more', { momentum: 300 }, 0.45],
    ['contrarian: dear funding lowers it', { funding: 3 }, -0.15],
    ['contrarian: a crowded long side lowers it', { crowding: 1.5 }, -0.075],
    ['all along: 1', { momentum: 9, flow: 9, funding: -9, crowding: -9 }, 1],
  ])('%s', (_, given, signal) => {
    expect(coinSignal(given)).toBe(signal);
  });

  it('stays within −1 and 1, and reversed inputs reverse it', () => {
    fc.assert(
      fc.property(inputs, (given) => {
        const signal = coinSignal(given);
        expect(Math.abs(signal)).toBeLessThanOrEqual(1);
        const turned = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, -value]));
        expect(coinSignal(turned)).toBeCloseTo(-signal, 9);
      }),
    );
  });

  it('the absolute weights sum to 1', () => {
    expect(Object.values(signalWeights).reduce((sum, weight) => sum + Math.abs(weight), 0)).toBeCloseTo(
      1,
      12,
    );
  });
});

describe('masterScore', () => {
  it.each([
    ['neutral is 50 in every regime', 0, 1.4, 50],
    ['50 + 50·tanh(2·signal) in a neutral regime', 0.5, 1, 88.1],
    ['bullish along the regime weighs more', 0.5, 1.5, 95.3],
    ['bullish against it less', 0.5, 0.5, 73.1],
    ['bearish mirrors', -0.5, 0.5, 4.7],
  ])('%s', (_, signal, multiplier, master) => {
    expect(masterScore(signal, multiplier)).toBe(master);
  });
});

/** Rows as the archive returns them. */
const inputsOf = ({
  candles = [],
  funding = [],
  ratios = [],
}: {
  readonly candles?: readonly Candle[];
  readonly funding?: readonly SettledFunding[];
  readonly ratios?: readonly Ratio[];
}) =>
  signalInputs({
    candles: columnsOf(candles, ['close', 'volume', 'takerBuy']),
    funding: columnsOf(funding, ['rate']),
    ratios: columnsOf(ratios, ['longRatio']),
  });

describe('signalInputs', () => {
  const candle = (i: number, close: number, takerBuy = 5): Candle => ({
    symbol: 'A',
    time: i * hour,
    open: close,
    high: close,
    low: close,
    close,
    volume: 10,
    takerBuy,
    quoteVolume: 10 * close,
  });
  const zigzag = Array.from({ length: 192 }, (_, i) => candle(i, i % 2 === 0 ? 100 : 101));

  it('too little data gives nothing', () => {
    expect(inputsOf({ candles: zigzag.slice(0, 47) })).toEqual({});
  });

  it('momentum: 24 h return over σ√24', () => {
    const risen = [...zigzag.slice(0, -1), candle(191, 101 * 1.05)];
    const flat = inputsOf({ candles: zigzag });
    expect(flat.momentum).toBe(0);
    expect(inputsOf({ candles: risen }).momentum).toBeGreaterThan(0.5);
  });

  it('flow: missing for a coin without trades, positive if takers have bought lately', () => {
    const bought = zigzag.map((row, i) => (i > 180 ? { ...row, takerBuy: 9 } : row));
    const quiet = zigzag.map((row) => ({ ...row, volume: 0, takerBuy: 0 }));
    expect(inputsOf({ candles: bought }).flow).toBeGreaterThan(1);
    expect(inputsOf({ candles: quiet }).flow).toBeUndefined();
  });

  it('funding and crowding: the z of the newest value', () => {
    const funding = Array.from({ length: 30 }, (_, i) => ({
      symbol: 'A',
      time: i,
      rate: i === 29 ? 0.01 : i % 2,
    }));
    const ratios = Array.from({ length: 60 }, (_, i) => ({
      symbol: 'A',
      time: i,
      longRatio: i === 59 ? 0.9 : 0.5 + (i % 2) / 100,
    }));
    const { funding: f, crowding } = inputsOf({ funding, ratios });
    expect(f).toBeLessThan(0);
    expect(crowding).toBeGreaterThan(3);
  });
});
