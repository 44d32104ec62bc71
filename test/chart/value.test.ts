import { describe, expect, it } from 'vitest';
import { niceScale } from '#src/chart/scale.ts';
import { axisText, valueText } from '#src/chart/value.ts';
import { digitsOf, plainReader, say } from '#src/language/say.ts';

describe('a value is written as on the cards', () => {
  it.each([
    ['dollars short', 1_234_567, 'USD', '$1.23M'],
    ['prices in full', 61_204.5, 'USDT', '61,204.50'],
    ['prices of cents with their digits', 0.000021253, 'USDT', '0.000021253'],
    ['rates with four decimals', 0.0436, '%', '0.0436%'],
    ['percent above one with two', -24.2, '%', '−24.20%'],
    ['percent of something', 1.5, '% in 5 min', '1.50%'],
    ['amounts short', 98_123, 'contracts', '98.12K'],
    ['thousands in full', 1_234.5, '', '1,235'],
    ['what no market has, all the same', 4.2e21, '', '4.20e+21'],
  ])('%s', (_, value, unit, expected) => {
    expect(say(valueText(value, unit), plainReader)).toBe(expected);
  });
});

describe('the labels of an axis differ from each other', () => {
  it.each([
    ['prices', [59_100, 60_400], 'USDT'],
    ['narrow prices', [61_200.1, 61_200.9], 'USDT'],
    ['dollars on both sides', [-2_070_000, 1_590_000], 'USD'],
    ['rates', [-0.0184, 0.0442], '%'],
    ['large amounts', [97_570, 101_500], 'contracts'],
    ['huge amounts', [4.13e21, 4.34e21], ''],
    ['tiny ones', [1.1e-9, 1.4e-9], ''],
  ])('%s', (_, values, unit) => {
    const scale = niceScale(values);
    const text = axisText(scale, { unit, digits: digitsOf('en') });
    const lines = Array.from({ length: 6 }, (_, index) => scale.min + index * scale.step).filter(
      (value) => value <= scale.max + scale.step / 2,
    );
    const labels = lines.map(text);
    expect(new Set(labels).size).toBe(labels.length);
    expect(Math.max(...labels.map(({ length }) => length))).toBeLessThanOrEqual(11);
  });

  it('zero is written without rounding errors', () => {
    const scale = { min: -0.3, max: 0.3, step: 0.1 };
    expect(axisText(scale, { unit: '%', digits: digitsOf('en') })(-0.3 + 0.1 + 0.1 + 0.1)).toBe('0%');
  });
});

it.each([
  ['dollars in English', 'en', 'USD', 2.5e9, ['$0', '$1.0B', '$2.5B']],
  ['dollars in Spanish', 'es', 'USD', 2.5e9, ['0 $', '1,0 mil M $', '2,5 mil M $']],
  ['amounts in Chinese', 'zh', '', 2.5e9, ['0', '10亿', '25亿']],
  ['less than ten thousand has no word in Chinese', 'zh', 'USD', 2_500, ['$0', '$1,000', '$2,500']],
  ['percent in Spanish', 'es', '%', 2.5, ['0 %', '1,0 %', '2,5 %']],
] as const)('an axis is in the reader’s language: %s', (_, language, unit, max, expected) => {
  const text = axisText({ min: 0, max, step: max / 5 }, { unit, digits: digitsOf(language) });
  const labels = [0, (max / 5) * 2, max].map((value) => text(value).replaceAll('\u00a0', ' '));
  expect(labels).toEqual(expected);
});
