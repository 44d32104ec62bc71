import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Series } from '#src/alert/alert.ts';
import { modelOf, stacksOf } from '#src/chart/model.ts';
import { chartReader } from '#src/chart/plain-chart.ts';
import { prepare } from '#src/chart/prepare.ts';
import { plainReader } from '#src/language/say.ts';

const points = (...times: number[]) => times.map((at): [number, number] => [at, 1]);
const seriesOf = (series: Omit<Series<string>, 'name'>[]) =>
  prepare({ title: '', unit: '', series: series.map((each) => ({ name: '', ...each })) }).panels[0]?.series ??
  [];
/** Returns the numbers of points in the stretches that are drawn as one line. */
const stretches = (times: readonly number[]) =>
  (seriesOf([{ points: points(...times) }])[0]?.points ?? [])
    .map(([, value]) => (value === null ? '|' : '.'))
    .join('')
    .split('|')
    .map(({ length }) => length);

describe('a line', () => {
  it.each([
    ['is one where every value is there', [0, 1, 2, 3], [4]],
    ['bears one or two missing values', [0, 1, 2, 4, 7, 8], [6]],
    ['ends at a gap, so that sparse minutes are no ramps', [0, 1, 2, 9, 10, 11, 30], [3, 3, 1]],
    ['of irregular times is one', [0, 5, 9, 16], [4]],
    ['of one value is a point', [7], [1]],
  ])('%s', (_, times, lengths) => {
    expect(stretches(times)).toEqual(lengths);
  });

  it('loses no value, whatever the gaps', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1e6 })), (times) => {
        const all = points(...times.toSorted((a, b) => a - b));
        const drawn = seriesOf([{ points: all }])[0]?.points ?? [];
        expect(drawn.filter(([, value]) => value !== null)).toEqual(all);
      }),
    );
  });
});

describe('bars', () => {
  const bars = (...points: [number, number][]) => ({ shape: 'bars' as const, points });
  it('of one time are stacked, upward and downward separately', () => {
    const given = seriesOf([bars([0, 2], [1, -1]), bars([0, 3], [1, 4]), bars([0, -5], [1, -2])]);
    expect(stacksOf(given)).toEqual([
      [
        [0, 0, 2],
        [1, 0, -1],
      ],
      [
        [0, 2, 5],
        [1, 0, 4],
      ],
      [
        [0, 0, -5],
        [1, -1, -3],
      ],
    ]);
  });

  it('are not stacked with lines', () => {
    expect(stacksOf(seriesOf([{ points: points(0) }]))).toEqual([[]]);
  });
});

describe('the labels of a chart', () => {
  const reader = chartReader(plainReader);
  const model = (value: number, more = {}) =>
    modelOf(
      {
        title: 'x',
        unit: '%',
        series: [
          {
            name: 'a',
            points: [
              [0, -4],
              [1, 4],
            ],
          },
        ],
        marks: [{ name: 'm', value }],
        ...more,
      },
      reader,
    );

  it.each([
    ['above its line where it is positive', 2, 'above'],
    ['below it where it is negative, away from zero', -1, 'below'],
    ['above it where below is no room', -3.9, 'above'],
  ])('put the name of a level %s', (_, value, side) => {
    expect(model(value).panels[0]?.marks[0]?.side).toBe(side);
  });

  it('write out only the ends of the lower panel’s axis', () => {
    const below = { unit: '', series: [{ name: 'b', points: points(0, 1) }] };
    const { panels } = model(0, { below });
    expect(panels.map(({ ticks }) => ticks.length > 2)).toEqual([true, false]);
  });

  it('give series without a tone their colours in turn, over both panels', () => {
    const below = { unit: '', series: [{ name: 'b', points: points(0, 1) }] };
    expect(model(0, { below }).legend.map(({ colour }) => colour)).toEqual([0, 1]);
  });
});

describe('candles', () => {
  const candles = [
    [1, 5, 0, 9],
    [3, 4, 2, 0],
    [Number.NaN, 4, 2, 0],
    [9, 1, 8, -3],
  ] as const;
  const drawn = modelOf(
    {
      title: 'x',
      unit: 'USDT',
      series: [
        {
          name: 'BTC',
          points: [
            [0, 3],
            [1, 2],
            [2, 2],
            [3, 5],
          ],
          candles,
        },
      ],
    },
    chartReader(plainReader),
  );

  it('are held by their axis from the lowest low to the highest high, and end where their stretch of time does', () => {
    const { scale } = drawn.panels[0] ?? { scale: { min: 1, max: 1 } };
    expect([scale.min <= 0, scale.max >= 9]).toEqual([true, true]);
    expect([drawn.range?.from, drawn.range?.to]).toEqual([-0.5, 3.5]);
  });

  it('hold what they opened and closed at, and one without a number is a gap', () => {
    expect(drawn.panels[0]?.series[0]?.points).toEqual([
      [0, 3, 1, 5, 0, 9],
      [1, 2, 3, 4, 2, 0],
      [2, null],
      [3, 5, 9, 9, 5, 0],
    ]);
  });

  it('are in the legend with the last close', () => {
    expect(drawn.legend).toEqual([{ shape: 'candles', name: 'BTC', value: '5', colour: 0 }]);
  });
});

describe('lanes', () => {
  const lane = (name: string, unit: string, series: readonly string[]) => ({
    name,
    unit,
    series: series.map((each) => ({ name: each, points: points(0, 1) })),
  });
  const drawn = modelOf(
    {
      title: 'x',
      unit: 'USDT',
      series: [{ name: 'BTC', points: points(0, 1) }],
      lanes: [lane('Funding', '%', ['BTC']), lane('Open interest', 'contracts', ['a', 'b'])],
    },
    chartReader(plainReader),
  );

  it('say what they show, in which unit, and the last value of a single series', () => {
    expect(drawn.panels.map(({ caption }) => caption)).toEqual([
      undefined,
      'Funding  1.00%',
      'Open interest, contracts',
    ]);
  });

  it('are in the legend only where there is more than one series, and their units not beside the title', () => {
    expect(drawn.legend.map(({ name }) => name)).toEqual(['BTC', 'a', 'b']);
    expect(drawn.units).toEqual(['USDT']);
  });
});
