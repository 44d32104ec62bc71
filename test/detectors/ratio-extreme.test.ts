import { describe, expect, test } from 'vitest';
import detector from '#src/detectors/ratio-extreme.ts';
import { day, hour, iso, minute } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import { asking, brief, drive, looks, observe, said, saidOf, told } from './drive.ts';

const at = (index: number) => start + index * 15 * minute;
const row = (index: number, longRatio: number, shortRatio = 1 - longRatio) => ({
  timestamp: iso(at(index)),
  longRatio,
  shortRatio,
});
/** Ten days around 55 %, with a deviation of 2 %. */
const past = Array.from({ length: 960 }, (_, index) =>
  row(index - 960, 0.55 + (index % 2 === 0 ? 0.02 : -0.02)),
);
const quick = { confirm: 1, calm: 1, cooldown: '0s' };

/** Observes the past, and then one row at a time, each in an answer of a day. */
const run = (shares: readonly number[], options: Record<string, unknown> = quick) => {
  const all = [...past, ...shares.map((share, index) => row(index, share))];
  return drive(detector, options, [
    [start - 1, [{ symbol: 'BTCUSDT', rows: past }]],
    ...shares.map(
      (_, index) =>
        [
          at(index) + minute,
          [{ symbol: 'BTCUSDT', rows: all.slice(960 + index - 95, 961 + index) }],
        ] as const,
    ),
  ]).changes.slice(1);
};

describe('long/short ratio', () => {
  test.each<[string, number[], string]>([
    ['as usual is nothing', [0.55, 0.57, 0.53], '. . .'],
    ['2.5 deviations above is longs crowding', [0.599, 0.601], '. +info'],
    ['2.5 below is shorts', [0.501, 0.499], '. +info'],
    ['it ends within one deviation', [0.61, 0.58, 0.571, 0.569], '+info . . -info'],
    ['a share that hovers about the level is one alert', [0.601, 0.599, 0.601, 0.599], '+info . . .'],
    ['from one side to the other: two alerts', [0.61, 0.49], '+info -info+info'],
  ])('%s', (_rule, shares, expected) => {
    expect(brief(run(shares))).toEqual(expected);
  });

  test('by default needs four rows in a row, and fires once a day', () => {
    const shares = [
      ...Array.from({ length: 5 }, () => 0.62),
      ...Array.from({ length: 5 }, () => 0.55),
      ...Array.from({ length: 9 }, () => 0.62),
    ];
    const seen = looks(run(shares, {}));
    expect([seen.indexOf('+info'), seen.indexOf('-info'), told(run(shares, {}))]).toEqual([
      3,
      8,
      '+info -info',
    ]);
  });

  test('needs a real move if the share hardly ever moves', () => {
    const still = Array.from({ length: 960 }, (_, index) => row(index - 960, 0.55 + (index % 2) * 0.001));
    const { changes } = drive(detector, quick, [
      [start - 1, [{ symbol: 'BTCUSDT', rows: still }]],
      [at(1), [{ symbol: 'BTCUSDT', rows: [row(0, 0.57)] }]],
      [at(2), [{ symbol: 'BTCUSDT', rows: [row(1, 0.6)] }]],
    ]);
    expect(brief(changes)).toEqual('. . +info');
    const constant = Array.from({ length: 960 }, (_, index) => row(index - 960, 0.55));
    const none = drive(detector, quick, [
      [start - 1, [{ symbol: 'BTCUSDT', rows: constant }]],
      [at(1), [{ symbol: 'BTCUSDT', rows: [row(0, 0.9)] }]],
    ]);
    expect(brief(none.changes)).toEqual('. .');
  });

  test('needs a week of data to compare with', () => {
    const { state } = drive(detector, quick, [[start - 1, [{ symbol: 'BTCUSDT', rows: past.slice(-600) }]]]);
    expect(state).toEqual({ values: {}, memory: {} });
  });

  test('normalizes a sample whose shares do not sum to 1', () => {
    const { changes } = drive(detector, quick, [
      [start - 1, [{ symbol: 'BTCUSDT', rows: past }]],
      [at(1), [{ symbol: 'BTCUSDT', rows: [row(0, 0.44, 0.36)] }]],
      [at(2), [{ symbol: 'BTCUSDT', rows: [row(1, 0, 0)] }]],
      [at(3), [{ symbol: 'BTCUSDT', rows: [row(2, 0.61, 0.39)] }]],
    ]);
    expect(brief(changes)).toEqual('. . . +info');
  });

  test('is unknown if its rows are old', () => {
    const { changes } = drive(detector, quick, [
      [start - 1, [{ symbol: 'BTCUSDT', rows: past }]],
      [at(0) + 2 * hour, [{ symbol: 'BTCUSDT', rows: [row(0, 0.7)] }]],
    ]);
    expect(brief(changes)).toEqual('. .');
  });

  test('has labels that name the side, and facts with the comparison', () => {
    const change = run([0.61])[0]?.[0];
    expect(change).toMatchObject({
      labels: { kind: 'ratio-extreme', symbol: 'BTCUSDT', side: 'LONG' },
      annotations: {
        dataTime: at(0),
        chart: { marks: [{ value: expect.closeTo(55, 6) }, { value: expect.closeTo(60, 1) }] },
      },
    });
    expect(change && said(change)).toMatchObject({
      title: 'BTC longs crowded: 61.0% long (z +3.0)',
      facts: expect.arrayContaining([{ name: '30-day mean', value: '55.0% ± 2.0%' }]),
    });
  });

  test.each([
    [[0.61, 0.49], 'BTC long/short ratio is on the other side now: 49.0% long'],
    [[0.61, 0.56], 'BTC long/short ratio is back to normal: 56.0% long'],
  ])('with the shares %j ends with “%s”', (shares, title) => {
    expect(saidOf(run(shares), 'resolved')?.title).toBe(title);
  });

  test('is not compared with the usual share of another type', () => {
    const before = drive(detector, quick, [[start - 1, [{ symbol: 'BTCUSDT', rows: past }]]]).state;
    const options = detector.options.parse({ ...quick, type: 'top_position' });
    const rows = Array.from({ length: 96 }, (_, index) => row(index - 95, 0.7));
    const { changes, state } = detector.step(detector.state.parse(before), [{ symbol: 'BTCUSDT', rows }], {
      options,
      now: start + minute,
    });
    expect([changes, state.memory]).toEqual([[], {}]);
  });

  test('requests the whole past once a day, a few symbols at a time, and judges nothing without it', async () => {
    const { asked, data } = asking('lsRatioHistory');
    const { state } = drive(detector, quick, [[start - 1, [{ symbol: 'BTCUSDT', rows: past }]]]);
    const look = (now: number, symbols: string[]) =>
      observe(detector, data, { options: { maxSymbols: symbols.length }, state, symbols, now });
    await look(start + hour, ['BTCUSDT', 'ETHUSDT']);
    await look(start + day, ['BTCUSDT']);
    await look(start + hour, ['AUSDT', 'BUSDT', 'CUSDT', 'DUSDT', 'BTCUSDT']);
    const type = 'global_account';
    expect(asked).toEqual([
      { symbol: 'BTCUSDT', hours: 24, type },
      { symbol: 'ETHUSDT', hours: 720, type },
      { symbol: 'BTCUSDT', hours: 720, type },
      { symbol: 'AUSDT', hours: 720, type },
      { symbol: 'BUSDT', hours: 720, type },
      { symbol: 'CUSDT', hours: 720, type },
      { symbol: 'BTCUSDT', hours: 24, type },
    ]);
  });
});
