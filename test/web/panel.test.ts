import { describe, expect, it } from 'vitest';
import { stacked } from '#src/web/panel.ts';

const bars = (...points: [number, number][]) => ({ name: 'b', shape: 'bars' as const, points });

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
    expect(stacked([{ name: 'l', points: [[0, 1]] }])).toEqual([[]]);
  });
});
