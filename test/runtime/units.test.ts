import fc from 'fast-check';
import { expect, test } from 'vitest';
import { iso, msOf } from '#src/runtime/units.ts';

test('a time reads back as it was written', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), (ms) => {
      expect(msOf(iso(ms))).toBe(ms);
    }),
  );
});

const digits = fc.array(fc.constantFrom(...'0123456789-:.TZ '), { minLength: 24, maxLength: 24 });
const near = fc
  .tuple(fc.integer({ min: 0, max: 4e12 }), fc.nat(23), fc.constantFrom(...'0123456789:TZ x'))
  .map(([ms, at, put]) => {
    const text = iso(ms);
    return text.slice(0, at) + put + text.slice(at + 1);
  });

test('any other text is read as by Date.parse', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        digits.map((all) => all.join('')),
        near,
      ),
      (text) => {
        expect(msOf(text)).toEqual(Date.parse(text));
      },
    ),
    { numRuns: 2_000 },
  );
});
