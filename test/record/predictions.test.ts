import { expect, it } from 'vitest';
import type { Labels } from '#src/alert/alert.ts';
import { predictionOf } from '#src/detectors/detector.ts';
import { detectors } from '#test/support/detectors.ts';

it.each([
  ['funding-extreme', { direction: 'OVERLEVERAGED_LONG' }, 'down'],
  ['funding-extreme', { direction: 'OVERLEVERAGED_SHORT' }, 'up'],
  ['funding-overheated', { direction: 'OVERLEVERAGED_LONG' }, 'down'],
  ['funding-overheated', { direction: 'OVERLEVERAGED_SHORT' }, 'up'],
  ['ratio-extreme', { side: 'LONG' }, 'down'],
  ['ratio-extreme', { side: 'SHORT' }, 'up'],
  ['cvd-divergence', { side: 'BEARISH' }, 'down'],
  ['cvd-divergence', { side: 'BULLISH' }, 'up'],
  ['regime-transition', { to: 'RISK_OFF' }, 'move'],
  ['liquidation-burst', {}, 'move'],
  ['price-move', { direction: 'UP' }, 'move'],
  ['data-quality', {}, null],
])('%s %j claims about the price: %s', (name, labels, prediction) => {
  const detector = detectors.find((each) => each.name === name);
  expect(detector && predictionOf(detector)({ kind: name, ...labels } as Labels)).toBe(prediction);
});
