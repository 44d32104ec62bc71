import { describe, expect, test } from 'vitest';
import { fit, pad, take, width, wrap } from '#src/card/width.ts';

describe('width', () => {
  test.each([
    ['plain letters', 'BTCUSDT', 7],
    ['a letter with its accent apart', 'e\u0301', 1],
    ['Han and Kana', '漢字カナ', 8],
    ['halfwidth Kana', 'ｶﾅ', 2],
    ['fullwidth letters', 'ＢＴＣ', 6],
    ['Hangul', '한국', 4],
    ['a picture', '🚀', 2],
    ['a family of one picture', '👨‍👩‍👧', 2],
    ['a flag', '🇩🇪', 2],
    ['a sign made a picture', '☀️', 2],
    ['bars of a chart', '▁▅█', 3],
    ['nothing visible', '\u200d', 0],
  ])('%s', (_, text, columns) => expect(width(text)).toBe(columns));
});

test('take and fit never cut within a visible character', () => {
  expect(take('a👨‍👩‍👧b', 2)).toBe('a');
  expect(fit('漢字漢字', 5)).toBe('漢字…');
  expect(fit('漢字', 1)).toBe('…');
  expect(fit('x', 0)).toBe('');
});

test('pad fills up to the columns, on either side', () => {
  expect(pad('漢', { columns: 4 })).toBe('漢  ');
  expect(pad('1.5', { columns: 5, align: 'right' })).toBe('  1.5');
  expect(pad('too long', { columns: 4 })).toBe('too…');
});

test('wrap breaks between words and drops what cannot be shown', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('漢', 1)).toEqual([]);
});
