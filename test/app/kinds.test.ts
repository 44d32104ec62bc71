import { expect, it } from 'vitest';
import { dataBlind } from '#src/alert/alert.ts';
import { thresholdOf } from '#src/app/kinds.ts';
import type { Detector } from '#src/detectors/detector.ts';
import { catalogueOf, english, languages } from '#src/language/languages.ts';
import { plainReader, say } from '#src/language/say.ts';
import { detectors } from '#test/support/detectors.ts';

const detectorOf = (name: string) => {
  const found = detectors.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no detector ${name}`);
  return found;
};
const said = (detector: Detector, given: object = {}): string => {
  const text = thresholdOf(detector, detector.options.parse(given));
  return text === undefined ? '' : say(text, plainReader);
};

it.each([
  ['data-quality', {}, 'two checks in a row; at most one every 6 h'],
  ['data-quality', { confirm: 3, cooldown: '1h' }, 'three checks in a row; at most one every 1 h'],
  ['funding-extreme', {}, 'begins at high; ends at elevated; at most one every 1 d'],
  ['volatility-regime', {}, 'holds for 12 h'],
  ['basis-flip', {}, '12 checks in a row; at most one every 1 d'],
  ['regime-transition', {}, ''],
])('the rule of %s with %o is told in words: %s', (name, given, expected) => {
  expect(said(detectorOf(name), given)).toBe(expected);
});

it.each(detectors.map((detector) => [detector.name, detector] as const))(
  'the rule of %s names no option, and no number without its unit',
  (_name, detector) => {
    const text = said(detector);
    for (const key of Object.keys(detector.options.parse({}) as object))
      expect(text).not.toContain(`${key} `);
    expect(text).not.toMatch(/\d+(?! (checks|s|min|h|d)\b)(?![\d.])/);
  },
);

it.each(languages)('no kind is called by its slug in %s', (language) => {
  const { labels } = catalogueOf(language);
  const names = [...detectors.map(({ name }) => name), dataBlind];
  expect(names.filter((name) => !labels.has(name) && (language !== english || name.includes('-')))).toEqual(
    [],
  );
});
