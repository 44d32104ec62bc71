import { expect, it } from 'vitest';
import { hour } from '#src/runtime/units.ts';
import { estimateFearGreed } from '#src/service/analytics/fear-greed.ts';
import { transition } from '#src/service/analytics/transition.ts';
import type { RegimeRow } from '#src/service/archive/archive.ts';

/** Creates one row an hour: [state, p(RISK_ON), p(RISK_OFF)]. */
const rows = (...given: readonly [RegimeRow['state'], number, number][]): RegimeRow[] =>
  given.map(([state, on, off], i) => ({
    time: i * hour,
    state,
    label: 'MARKUP',
    probabilities: { RISK_ON: on, RISK_OFF: off, TRANSITION: 1 - on - off },
    score: 0,
    multiplier: 1,
    volatility: 'NORMAL_VOL',
    volatilityPercentile: 50,
    model: 'test',
  }));
const steady = (count: number) => Array.from({ length: count }, () => ['RISK_ON', 0.9, 0.05] as const);

it.each<[string, RegimeRow[], unknown]>([
  ['null: nothing known', [], null],
  [
    'null: one state throughout',
    rows(...steady(30).map((row) => [...row] as [RegimeRow['state'], number, number])),
    null,
  ],
  [
    'LEAVING: another state has become the likeliest',
    rows(['RISK_ON', 0.9, 0.05], ['RISK_ON', 0.25, 0.5]),
    { from: 'RISK_ON', to: 'RISK_OFF', type: 'LEAVING', magnitude: 0.25 },
  ],
  [
    'ENTERING: confirmed within the day',
    rows(['TRANSITION', 0.25, 0.25], ['RISK_ON', 0.75, 0.25]),
    { from: 'TRANSITION', to: 'RISK_ON', type: 'ENTERING', magnitude: 0.75 },
  ],
  ['null: a tie is no change', rows(['RISK_OFF', 0.5, 0.5]), null],
  [
    'null: confirmed more than a day ago',
    rows(['RISK_OFF', 0, 1], ...steady(25).map((row) => [...row] as [RegimeRow['state'], number, number])),
    null,
  ],
])('%s', (_, given, wanted) => {
  expect(transition(given)).toEqual(wanted);
});

it.each([
  ['unknown without a regime', undefined, [], undefined],
  ['neutral', { score: 0, volatilityPercentile: 50 }, [], 50],
  ['greed at its bound', { score: 100, volatilityPercentile: 0 }, [1, 1], 100],
  ['fear at its bound', { score: -100, volatilityPercentile: 100 }, [-1, -0.6], 0],
  ['volatility alone', { score: 0, volatilityPercentile: 100 }, [0], 35],
])('the estimate of fear and greed: %s', (_, regime, signals, wanted) => {
  expect(estimateFearGreed(regime, signals)).toBe(wanted);
});
