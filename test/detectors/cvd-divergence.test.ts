import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import detector from '#src/detectors/cvd-divergence.ts';
import { day, hour, iso, minute } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import { asking, brief, drive, observe, said, told } from './drive.ts';

interface Hour {
  readonly price: number;
  /** Taker buys minus taker sells within the hour. */
  readonly delta: number;
}
const quick = { minUsd: 0, confirm: 1, calm: 1, cooldown: '0s' };

/**
 * Observes the answers `after` each hour from the 24th on has closed. Each CVD begins at the start of its own day, with the
 * value `anchor`.
 */
const run = (
  hours: readonly Hour[],
  options: Record<string, unknown> = quick,
  { anchor = 0, after = 5 * minute } = {},
) =>
  drive(
    detector,
    options,
    hours.slice(23).map((_, index) => {
      const seen = hours.slice(index, index + 24);
      const time = (each: number) => iso(start + (index + each) * hour);
      let cvd = anchor;
      const volume = seen.map(({ delta }, each) => {
        cvd += delta;
        return { timestamp: time(each), buyVolume: 100 + delta, sellVolume: 100, delta, cvd, buyRatio: 50 };
      });
      const candles = seen.map(({ price }, each) => ({ open_time: time(each), c: String(price) }));
      return [start + (index + 24) * hour + after, [{ symbol: 'BTCUSDT', volume, candles }]] as const;
    }),
  ).changes;

const flat: Hour = { price: 100, delta: 0 };
const repeat = (one: Hour, times: number): Hour[] => Array.from({ length: times }, () => one);
/** 24 hours: bought up to 110, then sold off. */
const rally = [
  ...repeat(flat, 8),
  ...repeat({ price: 110, delta: 10 }, 4),
  ...repeat({ price: 105, delta: -5 }, 12),
];
const sellOff = rally.map(({ price, delta }) => ({ price: 200 - price, delta: -delta }));

describe('divergence of price and volume delta', () => {
  test.each<[string, Hour[], string]>([
    [
      'a new high with sellers behind it is told, and ends when it is yesterday’s',
      [...rally, { price: 111, delta: -2 }, ...repeat({ price: 104, delta: -2 }, 8)],
      '+info -info',
    ],
    [
      'a new low with buyers behind it likewise',
      [...sellOff, { price: 89, delta: 2 }, ...repeat({ price: 96, delta: 2 }, 8)],
      '+info -info',
    ],
    ['a new high with buyers behind it is no divergence', [...rally, { price: 111, delta: 80 }, flat], ''],
    ['a high that is not new is none', [...rally, { price: 110, delta: -5 }, flat, flat], ''],
    [
      'the volume that follows ends it',
      [...rally, { price: 111, delta: -2 }, { price: 112, delta: 90 }],
      '+info -info',
    ],
    ['without any volume there is nothing to diverge', [...repeat(flat, 24), { price: 111, delta: 0 }], ''],
  ])('%s', (_rule, hours, expected) => {
    expect(told(run(hours))).toEqual(expected);
  });

  test('fires once for a gap that hovers about the level', () => {
    // New highs every hour, with the CVD behind by 52 % and 32 % of its range in turn.
    const highs = [-2, 12, -12, 12, -12].map((delta, index) => ({ price: 111 + index / 10, delta }));
    expect(brief(run([...rally, ...highs]))).toEqual('. +info . . . .');
  });

  test('is unknown if the last hour began more than three hours ago', () => {
    const after = (late: number) => told(run([...rally, { price: 111, delta: -2 }], quick, { after: late }));
    expect(after(115 * minute)).toBe('+info');
    expect(after(125 * minute)).toBe('');
  });

  test('does not fire for what diverged at the baseline', () => {
    const hours = [...rally.slice(1), { price: 111, delta: -2 }, ...repeat({ price: 104, delta: -2 }, 8)];
    expect(told(run(hours))).toBe('');
  });

  test.each<[string, number, object, string]>([
    ['takers stayed behind by $3,552', 111, { minUsd: 3_500 }, '+info'],
    ['by less than is asked for', 111, { minUsd: 3_600 }, ''],
    ['the high is 0.9% above the last', 111, { minPct: 0.9 }, '+info'],
    ['by less than is asked for, in percent', 111, { minPct: 1 }, ''],
  ])('has a minimum size: %s', (_rule, price, options, expected) => {
    // 32 coins less than at the first high.
    const hours = [...rally, { price, delta: -2 }];
    expect(told(run(hours, { ...quick, ...options }))).toEqual(expected);
  });

  test('by default must last two hours, and fires once a day', () => {
    const hours = [...rally, { price: 111, delta: -2 }, ...repeat({ price: 108, delta: -2 }, 3)];
    expect(brief(run(hours, { minUsd: 0 }))).toEqual('. . +info . .');
    expect(
      brief(run([...rally, { price: 111, delta: -2 }, { price: 111.5, delta: 90 }], { minUsd: 0 })),
    ).toEqual('. . .');
  });

  test('does not depend on where the CVD is anchored', () => {
    const hours = [...rally, { price: 111, delta: -2 }, ...repeat({ price: 104, delta: -2 }, 8)];
    fc.assert(
      fc.property(fc.integer({ min: -1e6, max: 1e6 }), (anchor) => {
        expect(brief(run(hours, quick, { anchor }))).toEqual(brief(run(hours)));
      }),
    );
  });

  test('leaves out hours without one side, and says nothing if too few remain', () => {
    const time = (index: number) => iso(start + index * hour);
    const observed = (hours: number, missing: number) =>
      [
        start + 24 * hour + minute,
        [
          {
            symbol: 'BTCUSDT',
            volume: Array.from({ length: hours }, (_, index) => ({
              timestamp: time(index),
              buyVolume: 1,
              sellVolume: 1,
              delta: 0,
              cvd: index % 7,
              buyRatio: 50,
            })),
            candles: Array.from({ length: hours - missing }, (_, index) => ({
              open_time: time(index),
              c: String(100 + index),
            })),
          },
        ],
      ] as const;
    expect(drive(detector, quick, [observed(24, 1)]).state).toMatchObject({
      values: { BTCUSDT: { seen: start + 22 * hour } },
    });
    expect(drive(detector, quick, [observed(24, 8)]).state).toEqual({ values: {} });
  });

  test('starts afresh for a symbol seen again after days', () => {
    const followed = { seen: start - 3 * day, stands: null, open: null, pending: null, last: null };
    const stepped = detector.step({ values: { BTCUSDT: followed } }, [], {
      options: detector.options.parse({}),
      now: start,
    });
    expect(stepped).toMatchObject({ state: { values: {} }, changes: [] });
  });

  test('says what was compared', () => {
    const change = run([...rally, { price: 111, delta: -2 }]).flat()[0];
    expect(change?.labels).toEqual({ kind: 'cvd-divergence', symbol: 'BTCUSDT', side: 'BEARISH' });
    expect(change?.annotations.dataTime).toBe(start + 25 * hour);
    expect(change && said(change)).toMatchObject({
      title: 'BTC: new 24 h high while takers are not buying (bearish divergence)',
      facts: expect.arrayContaining([
        { name: 'Price', value: '110.00 → 111.00' },
        { name: 'Volume delta since', value: '−32 coins' },
      ]),
    });
  });

  test('requests a day of both series for each symbol', async () => {
    const { asked, data } = asking('volumeCvd');
    const observed = await observe(detector, data, { options: { maxSymbols: 2 }, symbols: ['SOLUSDT'] });
    expect(asked).toEqual([
      { symbol: 'SOLUSDT', hours: 24 },
      { symbol: 'BTCUSDT', hours: 24 },
    ]);
    expect(observed.map(({ symbol, candles }) => [symbol, candles.length])).toEqual([
      ['SOLUSDT', 24],
      ['BTCUSDT', 24],
    ]);
  });
});
