import { expect, it } from 'vitest';
import { hour } from '#src/runtime/units.ts';
import {
  stepVolatility,
  type VolatilityState,
  volatilityPercentile,
  volatilityRegime,
  volatilityStart,
} from '#src/service/analytics/volatility.ts';

const after = (returns: readonly number[], from: VolatilityState = volatilityStart): VolatilityState =>
  returns.reduce((state, r, i) => stepVolatility(state, { time: i * hour, logReturn: r, hours: 1 }), from);
const alternating = (size: number, count: number) =>
  Array.from({ length: count }, (_, i) => (i % 2 === 0 ? size : -size));
const deviation = ({ square, weight }: VolatilityState) => Math.sqrt(square / weight);

it('a return over a gap counts as that of one of its hours', () => {
  const whole = after(alternating(0.01, 30));
  expect(deviation(stepVolatility(whole, { time: 40 * hour, logReturn: 0.02, hours: 4 }))).toBeCloseTo(
    deviation(whole),
    12,
  );
});

it('the past fades by the hours that have passed, also over a gap', () => {
  const moved = after(alternating(0.01, 30));
  const overGap = stepVolatility(moved, { time: 40 * hour, logReturn: 0, hours: 4 });
  expect(deviation(overGap)).toBeCloseTo(deviation(after([0, 0, 0, 0], moved)), 12);
});

it('the percentile is among one sample a day, over at most a year', () => {
  const calm = after(alternating(0.01, 400 * 24));
  expect(calm.daily).toHaveLength(365);
  expect(volatilityPercentile(after(alternating(0.05, 24), calm))).toBeGreaterThan(99);
  expect(volatilityPercentile(after(alternating(0.001, 24), calm))).toBeLessThan(1);
});

it.each([
  [24.9, 'LOW_VOL'],
  [25, 'NORMAL_VOL'],
  [75, 'NORMAL_VOL'],
  [75.1, 'HIGH_VOL'],
])('percentile %d is %s', (percentile, regime) => {
  expect(volatilityRegime(percentile)).toBe(regime);
});
