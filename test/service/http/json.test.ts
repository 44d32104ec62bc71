import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainDecimal } from '#src/service/handlers/decimal.ts';
import { toJson } from '#src/service/http/json.ts';

describe('numbers are written as plain decimals', () => {
  it.each([
    [1e-8, '0.00000001'],
    [-1.5e-7, '-0.00000015'],
    [1.25e21, '1250000000000000000000'],
    [1.23e-10, '0.000000000123'],
    [0, '0'],
    [60000.5, '60000.5'],
  ])('%d is %s', (value, text) => {
    expect(plainDecimal(value)).toBe(text);
    expect(toJson({ value })).toBe(`{"value":${text}}`);
  });

  it('any finite number reads back as itself, without an exponent', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = plainDecimal(value);
        expect(text).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(text)).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  it('any JSON reads back as itself, strings that look like exponents included', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(toJson({ value, text: '1e-8' }))).toEqual(
          JSON.parse(JSON.stringify({ value, text: '1e-8' })),
        );
      }),
    );
  });
});
