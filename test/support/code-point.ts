import fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };

/**
 * Any character but a lone surrogate: `fc.string({ unit: codePoint })`. The unit `binary` of fast-check gives the same, after
 * two seconds in which it lists them all.
 */
export const codePoint = fc
  .nat(0x10ffff - surrogates.count)
  .map((nth) => String.fromCodePoint(nth < surrogates.first ? nth : nth + surrogates.count));
