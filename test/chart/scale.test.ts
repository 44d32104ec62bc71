import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDrawable, niceScale } from '#src/chart/scale.ts';

describe('an axis of values', () => {
  it.each([
    ['ends on round numbers', [0.3, 9.6], { min: 0, max: 10, step: 2 }],
    ['leaves little room unused', [59_100, 60_400], { min: 59_000, max: 60_500, step: 500 }],
    ['holds zero where values lie on both sides', [-0.018, 0.044], { min: -0.025, max: 0.05, step: 0.025 }],
    ['puts a flat line in its middle', [100, 100], { min: 95, max: 105, step: 2.5 }],
    ['is there without values', [], { min: 0, max: 1, step: 0.2 }],
  ])('%s', (_, values, expected) => {
    const scale = niceScale(values);
    for (const key of ['min', 'max', 'step'] as const) expect(scale[key]).toBeCloseTo(expected[key], 9);
  });

  it('holds every value, with three to five steps between its ends', () => {
    fc.assert(
      fc.property(fc.array(fc.double(), { minLength: 1, maxLength: 20 }), (values) => {
        const { min, max, step } = niceScale(values);
        expect(Number.isFinite(min) && Number.isFinite(max) && step > 0).toBe(true);
        for (const value of values.filter(isDrawable)) {
          expect(value).toBeGreaterThanOrEqual(min - step * 1e-6);
          expect(value).toBeLessThanOrEqual(max + step * 1e-6);
        }
        const steps = (max - min) / step;
        expect(Math.round(steps)).toBeGreaterThanOrEqual(3);
        expect(Math.round(steps)).toBeLessThanOrEqual(5);
      }),
    );
  });
});
