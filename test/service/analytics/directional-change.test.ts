import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hour } from '#src/runtime/units.ts';
import {
  type DirectionalState,
  directionalStart,
  stepDirectional,
} from '#src/service/analytics/directional-change.ts';

const walk = (moves: readonly number[]): DirectionalState =>
  moves.reduce(
    (state, move, i) => stepDirectional(state, { time: (i + 1) * hour, move }),
    directionalStart(0),
  );
const still = (count: number) => Array.from({ length: count }, () => 0);

describe('stepDirectional', () => {
  // A rise that began at hour 1; by hour 50 the caution after it has nearly faded.
  const risen = [2.01, ...still(49)];
  it.each<[string, number[], -1 | 0 | 1]>([
    ['begins stalled', [], 0],
    ['rises 2 σ from the low, at once', [2], 1],
    ['is not moved by 1.9 σ', [1.9, ...still(9)], 0],
    ['falls 2 σ from the high', [-2], -1],
    ['reverses 1.8 σ from the high', [...risen, -1.8], -1],
    ['holds through 1.7 σ', [...risen, -1.7], 1],
    ['cautious: an hour after a change 1.9 σ do not reverse it', [2.01, -1.9], 1],
    ['cautious: an hour after a change 2.05 σ do', [2.01, -2.05], -1],
    ['stalls after 84 hours without a new high', [2.01, ...still(84)], 0],
    ['has not stalled an hour before', [2.01, ...still(83)], 1],
    ['a stalled rise begins again at 2 σ, once calm', [2.01, ...still(184), 2.01], 1],
    ['a stalled rise falls at 1.75 σ, once calm', [2.01, ...still(184), -1.76], -1],
    ['a stalled fall rises at 1.75 σ, once calm', [-2.01, ...still(184), 1.76], 1],
    ['a stalled fall does not fall on at 1.75 σ', [-2.01, ...still(184), -1.76], 0],
  ])('%s', (_, moves, position) => {
    expect(walk(moves).position).toBe(position);
  });

  const moves = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 300 });

  it('falls exactly where the mirrored prices rise', () => {
    fc.assert(
      fc.property(moves, (path) => {
        const state = walk(path);
        const mirror = walk(path.map((move) => -move));
        expect(mirror.position + 0).toBe(-state.position + 0);
      }),
    );
  });
});
