import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pagesOf, rowsIn } from '#src/service/collecting/pages.ts';

describe('pages of a gap', () => {
  it('contain every missing time once, newest first, none longer than a page', () => {
    fc.assert(
      fc.property(
        fc.nat(1_000),
        fc.nat(500),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 50 }),
        (first, rows, step, pageSteps) => {
          const gap = { from: first * step, to: (first + rows) * step };
          const pages = pagesOf(gap, step, pageSteps);
          const times = pages.flatMap(({ from, to }) => {
            const length = rowsIn({ from, to }, step);
            expect(length).toBeGreaterThan(0);
            expect(length).toBeLessThanOrEqual(pageSteps);
            return Array.from({ length }, (_, index) => to - index * step);
          });
          expect(times).toEqual(Array.from({ length: rows + 1 }, (_, index) => gap.to - index * step));
        },
      ),
    );
  });

  it('do not exist for a gap that ends before it begins', () => {
    expect(pagesOf({ from: 10, to: 5 }, 5, 10)).toEqual([]);
  });
});
