import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gatherSeen } from '#src/rules/past-readings.ts';
import { ruleIndexOf } from '#src/rules/rule-index.ts';
import { rulesDetector } from '#src/rules/rules-detector.ts';
import { hour, minute } from '#src/runtime/units.ts';
import { firingsOf, type Level, type SeriesPoints } from '#src/web/firings.ts';
import { boundsOf, roundStep, roundTo, ticksOf } from '#src/web/level-scale.ts';
import { dataClient } from '#test/support/data.ts';
import { rule } from '#test/support/rules.ts';

const over: Level = { side: 'above', level: 2, slack: 0.5, hold: 0 };
const hourly = (values: readonly (number | null)[]): SeriesPoints =>
  values.map((value, index) => [index * hour, value] as const);

describe('the firings over a level', () => {
  it.each([
    ['what is beyond it from the beginning is no news', [3, 3, 1], over, []],
    ['crossing tells once', [1, 3, 4, 3, 1], over, [[1, 4]]],
    [
      'what wavers between the level and its end goes on',
      [1, 3, 1.8, 3, 1.5, 3],
      over,
      [
        [1, 4],
        [5, null],
      ],
    ],
    ['falling below', [3, 1, 3], { ...over, side: 'below' }, [[1, 2]]],
    ['exactly at the level is not beyond it', [1, 2, 1], over, []],
    ['it must last', [1, 3, 1, 3, 3, 3, 1], { ...over, hold: 2 * hour }, [[5, 6]]],
    ['what is unknown changes nothing', [1, 3, null, 3, 1], over, [[1, 4]]],
    ['nothing known, nothing told', [null, null], over, []],
  ] as const)('%s', (_, values, given, expected) => {
    const found = firingsOf(hourly(values), given);
    expect(found.map(({ at, to }) => [at / hour, to === null ? null : to / hour])).toEqual(expected);
  });

  it('keep the most prominent value', () => {
    expect(firingsOf(hourly([1, 3, 5, 4, 1]), over)[0]?.peak).toBe(5);
    expect(firingsOf(hourly([3, 1, -2, 3]), { ...over, side: 'below' })[0]?.peak).toBe(-2);
  });

  it('are those that the bot itself would report for the same values', async () => {
    const values = fc.array(
      fc.integer({ min: -4, max: 4 }).map((n) => n / 2),
      { minLength: 1, maxLength: 12 },
    );
    const property = fc.asyncProperty(values, fc.constantFrom('above', 'below'), async (given, side) => {
      const points = given.map((value, index) => [(index + 1) * 5 * minute, value] as const);
      const sign = side === 'above' ? '>' : '<';
      const ruleIndex = ruleIndexOf([
        rule({ condition: `basis.pct ${sign} 0.5`, clear: null, symbols: ['BTCUSDT'] }),
      ]);
      const detector = rulesDetector({
        ruleIndex: () => ruleIndex,
        universe: () => ['BTCUSDT'],
        ask: gatherSeen(
          points.map(([time, value]) => ({
            symbol: 'BTCUSDT',
            time,
            at: time,
            values: { 'basis.pct': value },
          })),
        ),
      });
      const options = detector.options.parse({});
      const signal = new AbortController().signal;
      let state: Parameters<typeof detector.step>[0];
      const told: number[] = [];
      for (const [now] of points) {
        const asked = { data: dataClient(), options, state, symbols: ['BTCUSDT'], now, signal };
        const stepped = detector.step(state, await detector.observe(asked), { options, now });
        state = stepped.state;
        if (stepped.changes.some(({ status }) => status === 'firing')) told.push(now);
      }
      const level = { side, level: 0.5, slack: 0.02, hold: 0 } as const;
      expect(firingsOf(points, level).map(({ at }) => at)).toEqual(told);
    });
    await fc.assert(property, { numRuns: 40 });
  });
});

describe('the scale of a level', () => {
  it.each([
    [10, 5, 2],
    [1, 6, 0.2],
    [23_000, 200, 200],
    [0.004, 200, 0.00002],
  ])('has, over %d with at most %d steps, the step %d', (span, most, step) => {
    expect(roundStep(span, most)).toBeCloseTo(step, 12);
  });

  it('has round ticks within bounds, and rounds a level to the nearest tick', () => {
    const bounds = fc
      .tuple(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.double({ min: 1e-3, max: 1e6, noNaN: true }))
      .map(([low, span]) => [low, low + span] as const);
    fc.assert(
      fc.property(bounds, ([low, high]) => {
        const ticks = ticksOf([low, high], 6);
        const step = roundStep(high - low, 6);
        expect(ticks.length).toBeLessThanOrEqual(7);
        const room = step * 1e-6;
        expect(ticks.every((tick) => tick >= low - room && tick <= high + room)).toBe(true);
        expect(Math.abs(roundTo(low, step) - low)).toBeLessThanOrEqual(step / 2 + room);
      }),
    );
  });

  it('has bounds that include all values and the level, even if all are equal', () => {
    expect(boundsOf([1, 5], 3)).toEqual([expect.closeTo(0.68), expect.closeTo(5.32)]);
    expect(boundsOf([1, 5], 9)[1]).toBeGreaterThan(9);
    const [low, high] = boundsOf([2, 2], 2);
    expect(low).toBeLessThan(2);
    expect(high).toBeGreaterThan(2);
  });
});
