import { join } from 'node:path';
import { expect, it } from 'vitest';
import { thresholdOf } from '#src/app/threshold.ts';
import type { Detector } from '#src/detectors/detector.ts';
import { plainReader, say } from '#src/language/say.ts';
import { loadPlugins } from '#src/runtime/plugins.ts';

const detectors = await loadPlugins<Detector>(
  join(import.meta.dirname, '../../src/detectors'),
  'detector.ts',
);
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
  ['a level', 'funding-extreme', {}, 'enter high'],
  ['a number', 'basis-flip', {}, 'level 0.02'],
  ['a length of time', 'basis-flip', {}, 'window 8 h'],
  ['one of a group', 'price-move', {}, '1h factor 8, 1h minPct 3, 24h factor 4'],
  ['one of a group that is given', 'price-move', { '1h': { factor: 5 } }, '1h factor 5, 1h minPct 3'],
  ['one by market', 'price-level', {}, 'steps BTCUSDT 5,000, steps ETHUSDT 250'],
  ['what funding must cost', 'funding-overheated', {}, 'floor yearlyPct 20, floor offResting 0.0001'],
])('the threshold of %s is named: %s', (_rule, name, given, expected) => {
  expect(said(detectorOf(name), given)).toContain(expected);
});

it('the number of markets requested is not a threshold', () => {
  expect(said(detectorOf('basis-flip'))).not.toContain('maxSymbols');
});

/** Counts the numbers and levels of the options, including groups. Lists contain markets, and switches have no level. */
const countOf = (options: object): number =>
  Object.entries(options)
    .filter(([name, value]) => name !== 'maxSymbols' && !Array.isArray(value) && typeof value !== 'boolean')
    .reduce((sum, [, value]) => sum + (typeof value === 'object' && value !== null ? countOf(value) : 1), 0);

it.each(detectors.map((detector) => [detector.name, detector] as const))(
  'every threshold of %s is named once',
  (_name, detector) => {
    const options = detector.options.parse({}) as object;
    const named = said(detector).split(', ');
    expect(named.filter((text) => text !== '')).toHaveLength(countOf(options));
    expect(new Set(named).size).toBe(named.length);
  },
);
