import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { niceScale, shortened, shortNumber, stacked, timeTicks, unbroken } from '#src/web/scale.ts';

const finite = fc.double({ min: -1e15, max: 1e15, noNaN: true });

describe('the value axis', () => {
  it.each([
    ['round ticks hold the values', [3, 97], 4, [0, 50, 100]],
    ['below zero too', [-0.8, 0.9], 4, [-1, 0, 1]],
    ['nothing gives an axis all the same', [], 3, [0, 0.5, 1]],
    ['what is no number is passed over', [Number.NaN, 0, 10], 3, [0, 5, 10]],
  ])('%s', (_rule, values, count, ticks) => {
    expect(niceScale(values, count).ticks).toEqual(ticks);
  });

  it('holds every value with few ticks, whatever they are', () => {
    fc.assert(
      fc.property(fc.array(finite, { minLength: 1, maxLength: 50 }), (values) => {
        const { min, max, ticks } = niceScale(values, 4);
        const slack = (max - min) * 1e-6;
        expect(Math.min(...values)).toBeGreaterThanOrEqual(min - slack);
        expect(Math.max(...values)).toBeLessThanOrEqual(max + slack);
        expect(max).toBeGreaterThan(min);
        expect(ticks.length).toBeLessThanOrEqual(7);
      }),
    );
  });
});

describe('the time axis', () => {
  it('ticks stand at round times of the zone', () => {
    const at = (text: string) => Date.parse(text);
    const ticks = timeTicks({
      from: at('2026-01-01T00:30Z'),
      to: at('2026-01-03T00:00Z'),
      count: 2,
      offsetAt: () => 3_600_000,
    });
    expect(ticks.map((tick) => new Date(tick).toISOString())).toEqual([
      '2026-01-01T23:00:00.000Z',
      '2026-01-02T23:00:00.000Z',
    ]);
  });

  it.each([
    ['a day of 25 hours', '2025-10-25T22:00Z', '2025-10-27T23:00Z'],
    ['a day of 23 hours', '2026-03-28T00:00Z', '2026-03-30T22:00Z'],
  ])('ticks stay at round hours over %s', (_, from, to) => {
    const offsetAt = (at: number) =>
      at >= Date.parse('2025-10-26T01:00Z') && at < Date.parse('2026-03-29T01:00Z') ? 3_600_000 : 7_200_000;
    const ticks = timeTicks({ from: Date.parse(from), to: Date.parse(to), count: 10, offsetAt });
    const hours = ticks.map((tick) => new Date(tick + offsetAt(tick)).getUTCHours());
    expect(hours.every((hour) => hour % 6 === 0)).toBe(true);
    expect(new Set(ticks).size).toBe(ticks.length);
    expect(ticks.length).toBeGreaterThan(5);
  });

  it('few ticks, all inside, whatever the span', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2e12 }), fc.integer({ min: 1, max: 4e11 }), (from, span) => {
        const ticks = timeTicks({ from, to: from + span, count: 6, offsetAt: () => 0 });
        expect(ticks.length).toBeLessThanOrEqual(7);
        expect(ticks.every((tick) => tick >= from && tick <= from + span)).toBe(true);
      }),
    );
  });
});

describe('numbers on an axis', () => {
  it.each([
    [0, '0'],
    [1_250_000, '1.25M'],
    [-8_000_000_000, '−8B'],
    [61_204, '61.2K'],
    [2_500, '2500'],
    [0.0001, '0.0001'],
    [0.05, '0.05'],
    [-1.005e-12, '−1.01E−12'],
    [-0.0125, '−0.0125'],
    [2.5, '2.5'],
    [100, '100'],
  ])('%d is %s', (value, text) => {
    expect(shortNumber(value, 'en')).toBe(text);
  });

  it.each([
    ['es', '1,25\u00a0M'],
    ['zh-CN', '125万'],
  ])('speak the language of the page: %s', (locale, text) => {
    expect(shortNumber(1_250_000, locale)).toBe(text);
  });

  it('are short, whatever they are', () => {
    fc.assert(
      fc.property(finite, (value) => {
        expect(shortNumber(value, 'en').length).toBeLessThanOrEqual(16);
      }),
    );
  });
});

const bars = (...points: [number, number][]) => ({ shape: 'bars' as const, points });

describe('bars', () => {
  it('of one time stand on each other, upward and downward apart', () => {
    expect(stacked([bars([0, 2], [1, -1]), bars([0, 3], [1, 4]), bars([0, -5], [1, -2])])).toEqual([
      [
        [0, 2],
        [0, -1],
      ],
      [
        [2, 5],
        [0, 4],
      ],
      [
        [0, -5],
        [-1, -3],
      ],
    ]);
  });

  it('are not made of lines', () => {
    expect(stacked([{ points: [[0, 1]] }])).toEqual([[]]);
  });
});

describe('a line', () => {
  const points = (...times: number[]) => times.map((at): [number, number] => [at, 1]);
  it.each([
    ['is one where every value is there', [0, 1, 2, 3], [4]],
    ['bears one or two missing values', [0, 1, 2, 4, 7, 8], [6]],
    ['ends at a gap, so that sparse minutes are no ramps', [0, 1, 2, 9, 10, 11, 30], [3, 3, 1]],
    ['of irregular times is one', [0, 5, 9, 16], [4]],
    ['of nothing is none', [], []],
    ['of one value is a point', [7], [1]],
  ])('%s', (_, times, lengths) => {
    expect(unbroken(points(...times)).map(({ length }) => length)).toEqual(lengths);
  });

  it('loses no value, whatever the gaps', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1e6 })), (times) => {
        const all = points(...times.toSorted((a, b) => a - b));
        expect(unbroken(all).flat()).toEqual(all);
      }),
    );
  });
});

it('a name is as long as its room', () => {
  expect([shortened('EXTREME', 70), shortened('A very long name of a mark', 70)]).toEqual([
    'EXTREME',
    'A very lo…',
  ]);
});
