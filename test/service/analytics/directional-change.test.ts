import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hour } from '#src/runtime/units.ts';
import {
  conviction,
  type DirectionalState,
  directionalStart,
  stepDirectional,
} from '#src/service/analytics/directional-change.ts';

const walk = (moves: readonly number[]): DirectionalState =>
  moves.reduce((state, move, i) => stepDirectional(state, (i + 1) * hour, move), directionalStart(0));
const still = (count: number) => Array.from({ length: count }, () => 0);

describe('stepDirectional', () => {
  it.each<[string, number[], -1 | 0 | 1]>([
    ['begins stalled', [], 0],
    ['rises once 2 σ from the low have stood on 3 closes', [2, 0, 0], 1],
    ['waits for the third close', [2, 0], 0],
    ['is not moved by 1.9 σ', [1.9, ...still(9)], 0],
    ['forgets a spike that did not stand', [2, 0, -1, 0, 0], 0],
    ['falls once 2 σ from the high have stood', [-2, 0, 0], -1],
    ['reverses at 1.75 σ from the high', [2, 0, 0, 1, -1.75, 0, 0], -1],
    ['holds through 1.7 σ', [2, 0, 0, 1, -1.7, 0, 0], 1],
    ['stalls after 72 hours without a new high, on the third close', [2, ...still(2), ...still(74)], 0],
    ['has not stalled at the second', [2, ...still(2), ...still(73)], 1],
    ['a stalled rise begins again at 2 σ', [2, ...still(76), 2, 0, 0], 1],
    ['a stalled rise falls at 1.75 σ', [2, ...still(76), -1.75, 0, 0], -1],
    ['a stalled fall rises at 1.75 σ', [-2, ...still(76), 1.75, 0, 0], 1],
    ['a stalled fall does not fall on at 1.75 σ', [-2, ...still(76), -1.75, 0, 0], 0],
  ])('%s', (_, moves, position) => {
    expect(walk(moves).position).toBe(position);
  });

  const moves = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 300 });

  it('falls exactly where its mirror rises', () => {
    fc.assert(
      fc.property(moves, (path) => {
        const state = walk(path);
        const mirror = walk(path.map((move) => -move));
        expect(mirror.position + 0).toBe(-state.position + 0);
        const time = path.length * hour;
        expect(conviction(mirror, time)).toBeCloseTo(-conviction(state, time), 9);
      }),
    );
  });

  it('conviction has the sign and the range of its position', () => {
    fc.assert(
      fc.property(moves, (path) => {
        const state = walk(path);
        const value = conviction(state, path.length * hour);
        if (state.position === 0) expect(Math.abs(value)).toBeLessThanOrEqual(0.25);
        else expect(value * state.position).toBeGreaterThanOrEqual(0.5);
        expect(Math.abs(value)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
