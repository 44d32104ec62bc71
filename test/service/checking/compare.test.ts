import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { day, minute } from '#src/runtime/units.ts';
import { compare, type Tolerance } from '#src/service/checking/compare.ts';

const now = Date.UTC(2026, 0, 1);
const verdict = (
  [published, asked]: readonly [number, number],
  {
    apart = 0,
    taken = 0,
    late,
    ...tolerance
  }: Tolerance & { apart?: number; taken?: number; late?: boolean } = {},
) =>
  compare(
    {
      published: { value: published, time: now - apart, ...(taken > 0 && { takenAt: now - apart + taken }) },
      asked: { value: asked, time: now },
    },
    { tolerance, late: late ?? false },
  ).verdict;

describe('comparing a published value with the exchange’s', () => {
  it.each([
    ['the same is the same', [0.0001, 0.0001], {}, 'WITHIN'],
    ['nothing is nothing', [0, 0], {}, 'WITHIN'],
    ['what may not differ may not differ by a little', [0.0001, 0.00010001], {}, 'BEYOND'],
    [
      'what is published in eight decimals is rounded',
      [0.0001, 0.000100005],
      { absolute: 0.51e-8 },
      'WITHIN',
    ],
    ['a rate of the other sign is another rate', [0.0001, -0.0001], { absolute: 0.51e-8 }, 'BEYOND'],
    ['something for nothing is wrong', [0, 5], { relative: 0.5 }, 'BEYOND'],
    ['of one moment it may differ by what it differs at once', [100, 100.04], { relative: 0.0005 }, 'WITHIN'],
    ['and no further', [100, 100.06], { relative: 0.0005 }, 'BEYOND'],
    ['what moves may have moved since', [100, 100.8], { move: 0.001, apart: 5 * minute }, 'WITHIN'],
    ['but not in no time', [100, 100.8], { move: 0.001 }, 'BEYOND'],
    [
      'from when it was taken on, before that moment',
      [100, 100.8],
      { move: 0.001, taken: 4.9 * minute },
      'WITHIN',
    ],
    ['or after', [100, 100.8], { move: 0.001, apart: 5 * minute, taken: 4.9 * minute }, 'BEYOND'],
    ['nor if it moves slowly', [100, 100.8], { move: 0.0001, apart: 5 * minute }, 'BEYOND'],
    ['nor is an old value excused by its age', [100, 120], { move: 0.002, apart: 10 * day }, 'BEYOND'],
    ['but by a quarter of an hour', [100, 103], { move: 0.002, apart: 10 * day }, 'WITHIN'],
    ['and no more', [100, 104], { move: 0.002, apart: 10 * day }, 'BEYOND'],
    ['nor a wild one by its wildness', [100, 120], { move: 0.5, apart: 5 * minute }, 'BEYOND'],
    ['ours is late where the venue has long had a newer one', [100, 100], { late: true }, 'LATE'],
  ] as const)('%s', (_, values, tolerance, expected) => {
    expect(verdict(values, tolerance)).toBe(expected);
  });

  it('gives a share of the larger value with its sign, between −2 and 2, and always a number', () => {
    const value = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 });
    fc.assert(
      fc.property(value, value, fc.nat(day), (published, asked, apart) => {
        const compared = compare(
          { published: { value: published, time: now - apart }, asked: { value: asked, time: now } },
          { tolerance: { relative: 0.001, absolute: 0.01, move: 0.001, timeSlack: minute } },
        );
        expect(Math.abs(compared.difference)).toBeLessThanOrEqual(2);
        expect(Math.sign(compared.difference) + 0).toBe(Math.sign(published - asked) + 0);
        expect(Number.isFinite(compared.allowed)).toBe(true);
      }),
      { examples: [[0, 0, 0]] },
    );
  });
});
