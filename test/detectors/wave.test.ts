import { expect, test } from 'vitest';
import { joinWaves, type Waves } from '#src/detectors/kit/wave.ts';
import { hour, minute } from '#src/runtime/units.ts';
import { change, start } from '#test/support/alerts.ts';

const begin = (past: Waves, at: number, side = 'DOWN', status: 'firing' | 'updated' = 'firing') => {
  const sides = { now: start + at, length: hour, sideOf: () => side };
  const { waves, changes } = joinWaves(past, { ...sides, changes: [change({ status })] });
  return { waves, burst: changes[0]?.burst, joins: changes[0]?.joins };
};

test('an alert that begins within the wave’s length of the last one joins its wave, however long it lasts', () => {
  const first = begin({}, 0);
  const second = begin(first.waves, 50 * minute);
  const third = begin(second.waves, 100 * minute);
  expect([second.burst, third.burst]).toEqual([first.burst, first.burst]);
  expect(third.joins).toBe(true);
});

test('an alert that begins later, or on another side, begins another wave', () => {
  const first = begin({}, 0);
  const other = begin(first.waves, minute, 'UP');
  const later = begin(other.waves, 62 * minute, 'DOWN');
  expect(new Set([first.burst, other.burst, later.burst]).size).toBe(3);
});

test('an update of an alert begins no wave', () => {
  expect(begin({}, 0, 'DOWN', 'updated')).toEqual({ waves: {}, burst: undefined, joins: undefined });
});
