import { expect, test } from 'vitest';
import { readNumber } from '#src/language/typed-number.ts';

test.each<[string, number | undefined]>([
  ['2.5', 2.5],
  ['-3', -3],
  ['100k', 100_000],
  ['$5M', 5_000_000],
  ['1,250.5', 1_250.5],
  ['1,250', 1_250],
  ['100,000k', 100_000_000],
  ['-1,250,000', -1_250_000],
  ['2,5', 2.5],
  ['0,015', 0.015],
  ['−0,01%', -0.01],
  ['1.250,5', undefined],
  ['1,2,3', undefined],
  ['1250,500,5', undefined],
  ['2%', 2],
  ['', undefined],
  ['k', undefined],
  ['1e5', undefined],
  ['1..2', undefined],
])('a level typed as %s is %s', (text, value) => expect(readNumber(text)).toBe(value));
