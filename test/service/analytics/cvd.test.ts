import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hour } from '#src/runtime/units.ts';
import { volumeDelta } from '#src/service/analytics/cvd.ts';

const candles = (volumes: readonly (readonly [volume: number, takerBuy: number])[]) => ({
  time: Float64Array.from(volumes, (_, i) => i * hour),
  volume: Float64Array.from(volumes, ([volume]) => volume),
  takerBuy: Float64Array.from(volumes, ([, takerBuy]) => takerBuy),
});

it('sell is the rest, delta their difference, cvd its sum from the first row', () => {
  expect(
    volumeDelta(
      candles([
        [10, 7],
        [10, 2.5],
        [0, 0],
      ]),
    ),
  ).toEqual({
    data: [
      { timestamp: '1970-01-01T00:00:00.000Z', buyVolume: 7, sellVolume: 3, delta: 4, cvd: 4, buyRatio: 70 },
      {
        timestamp: '1970-01-01T01:00:00.000Z',
        buyVolume: 2.5,
        sellVolume: 7.5,
        delta: -5,
        cvd: -1,
        buyRatio: 25,
      },
      { timestamp: '1970-01-01T02:00:00.000Z', buyVolume: 0, sellVolume: 0, delta: 0, cvd: -1, buyRatio: 50 },
    ],
    pressure: 'SELL_PRESSURE',
    totalCvd: -1,
    dataPoints: 3,
  });
});

it.each<[string, [number, number][]]>([
  ['BUY_PRESSURE', [[10, 6]]],
  ['SELL_PRESSURE', [[10, 4]]],
  ['BALANCED', [[10, 5]]],
  [
    'BALANCED',
    [
      [0.3, 0.1],
      [0.3, 0.2],
    ],
  ],
  ['BALANCED', []],
])('rule 5: %s', (pressure, volumes) => {
  expect(volumeDelta(candles(volumes)).pressure).toBe(pressure);
});

it('the total is the last cvd, and buy and sell make the volume', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const volume = fc.double({ min: 0, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.tuple(volume, share), { minLength: 1 }), (rows) => {
      const given = candles(rows.map(([total, part]) => [total, total * part]));
      const { data, totalCvd } = volumeDelta(given);
      expect(totalCvd).toBe(data.at(-1)?.cvd);
      data.forEach(({ buyVolume, sellVolume, buyRatio }, i) => {
        expect(buyVolume + sellVolume).toBeCloseTo(given.volume[i] ?? Number.NaN, 6);
        expect(buyRatio >= 0 && buyRatio <= 100).toBe(true);
      });
    }),
  );
});
