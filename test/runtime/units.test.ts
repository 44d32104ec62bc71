import fc from 'fast-check';
import { expect, test } from 'vitest';
import { iso } from '#src/runtime/units.ts';

test('a time reads back as it was written', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), (ms) => {
      expect(Date.parse(iso(ms))).toBe(ms);
    }),
  );
});
