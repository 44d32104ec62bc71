import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import detector from '#src/detectors/funding-overheated.ts';
import { hour, iso } from '#src/runtime/units.ts';
import { brief, drive, said } from './drive.ts';

const start = Date.UTC(2026, 0, 1);
type Observation = Parameters<typeof detector.step>[1];
const symbols = Array.from({ length: 20 }, (_, index) => `C${index}USDT`);

/** `longs` of 20 markets have z 2.5, and `shorts` have z −2.5. */
const at = (
  index: number,
  longs: number,
  shorts = 0,
  tracked = symbols,
  over: Partial<Observation['extremes']> = {},
) => {
  const time = start + index * 8 * hour;
  const timestamp = iso(time);
  const extreme = (symbol: string, z: number) => ({
    symbol,
    currentRate: z / 5_000,
    annualizedPct: z * 20,
    avg30dRate: 0.0001,
    zScore: z,
    severity: 'HIGH',
    direction: z > 0 ? 'OVERLEVERAGED_LONG' : 'OVERLEVERAGED_SHORT',
    timestamp,
  });
  const data = [
    ...tracked.slice(0, longs).map((symbol) => extreme(symbol, 2.5)),
    ...(shorts === 0 ? [] : tracked.slice(-shorts).map((symbol) => extreme(symbol, -2.5))),
  ];
  const current = tracked.map((symbol) => ({ symbol, rate: '0.0001', annualized: '10.95', timestamp }));
  const observation: Observation = {
    current,
    hours: new Map(tracked.map((symbol) => [symbol, 8])),
    extremes: { data, count: data.length, threshold: '', ...over },
  };
  return [time + 20_000, observation] as const;
};
const run = (counts: readonly number[]) =>
  brief(
    drive(
      detector,
      {},
      counts.map((longs, index) => at(index, longs)),
    ).changes,
  );

describe('funding overheated', () => {
  test.each<[string, number[], string]>([
    ['what is so at the baseline is not told, nor its end', [6, 6, 0, 0], '. . . .'],
    [
      'a fifth of the markets enters, two settlements below a tenth end it',
      [0, 3, 4, 2, 1, 2, 1, 1],
      '. . +warning . . . . -warning',
    ],
    ['two fifths are critical', [0, 8], '. +critical'],
    [
      'it escalates, and ends as what it was at its worst',
      [0, 4, 8, 4, 0, 0],
      '. +warning ~critical . . -critical',
    ],
    ['it grows beyond the baseline', [4, 8, 0, 0], '. +critical . -critical'],
  ])('%s', (_rule, counts, expected) => expect(run(counts)).toBe(expected));

  test('each side is a separate alert', () => {
    const { changes } = drive(detector, { calm: 1 }, [at(0, 0), at(1, 4), at(2, 0, 5)]);
    expect(changes[2]?.map(({ status, labels }) => `${status} ${labels.direction}`)).toEqual([
      'resolved OVERLEVERAGED_LONG',
      'firing OVERLEVERAGED_SHORT',
    ]);
  });

  test('a share that oscillates about the level fires once', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 3, max: 5 }), { minLength: 5, maxLength: 40 }), (counts) => {
        expect(run([0, 4, ...counts]).match(/\+/g)).toHaveLength(1);
      }),
    );
  });

  test.each<[string, number[], string]>([
    ['the same again', [0, 4, 0, 0, 4, 4], '.'],
    ['worse', [0, 4, 0, 0, 8], '+critical'],
    ['as bad', [0, 8, 0, 0, 8], '.'],
    ['24 h later', [0, 4, 0, 0, 0, 0, 4], '+warning'],
  ])('after its end the alert cools down for 24 h unless it gets worse: %s', (_rule, counts, last) => {
    expect(run(counts).split(' ').at(-1)).toBe(last);
  });

  test('settlements count, not polls', () => {
    const [time, calm] = at(2, 0);
    const { changes } = drive(detector, {}, [at(0, 0), at(1, 4), [time, calm], [time + hour, calm]]);
    expect(brief(changes)).toEqual('. +warning . .');
  });

  test('markets that pay the resting rate, or whose rate stands still, are not counted whatever their z', () => {
    const [time, observation] = at(1, 8);
    const { extremes } = observation;
    const as = (currentRate: number, avg30dRate: number) => ({
      ...observation,
      extremes: {
        ...extremes,
        data: extremes.data.map((each) => ({ ...each, currentRate, avg30dRate })),
      },
    });
    for (const [rate, mean, expected] of [
      [0.0001, 0, '. .'],
      [0.00015, 0, '. .'],
      [0.001, 0.00099, '. .'],
      [0.001, 0.0005, '. +critical'],
    ] as const)
      expect(brief(drive(detector, {}, [at(0, 0), [time, as(rate, mean)]]).changes)).toBe(expected);
  });

  test('too few symbols are no market', () => {
    const few = symbols.slice(0, 5);
    expect(brief(drive(detector, {}, [at(0, 0, 0, few), at(1, 5, 0, few)]).changes)).toEqual('. .');
  });

  test('data that is stale, or older than the last, changes nothing', () => {
    const [now] = at(9, 0);
    const { changes } = drive(detector, {}, [
      at(0, 0),
      at(2, 6),
      [now, at(3, 0)[1]],
      [at(2, 0)[0], at(1, 0)[1]],
    ]);
    expect(brief(changes)).toEqual('. +warning . .');
  });

  test('a truncated answer can begin an alert and not end one', () => {
    const steps = [at(0, 0), at(1, 4, 0, symbols, { count: 50 }), at(2, 1, 0, symbols, { count: 50 })];
    const { changes } = drive(detector, {}, steps);
    expect(brief(changes)).toEqual('. +warning .');
    expect(changes[1]?.map(said)[0]?.title).toBe(
      'Market funding overheated, longs crowded: extreme in at least 20% of markets',
    );
  });

  test('says how many markets, how much and which', () => {
    const [change] = drive(detector, {}, [at(0, 0), at(1, 4)]).changes[1] ?? [];
    expect(change?.labels).toEqual({ kind: 'funding-overheated', direction: 'OVERLEVERAGED_LONG' });
    expect(change && said(change).facts).toEqual([
      { name: 'Markets', value: '4 of 20' },
      { name: 'Their mean per year', value: '+54.8%' },
      { name: 'Most extreme', value: 'C0, C1, C2, C3' },
      { name: 'Settled', value: '1 Jan 2026, 08:00 UTC' },
    ]);
  });
});
