import { expect, test } from 'vitest';
import { severityRank } from '#src/alert/alert.ts';
import { presetKinds, presets } from '#src/alert/presets.ts';

const detectors = [
  { name: 'spread', preset: 'everything' },
  { name: 'regime', preset: 'quiet' },
  { name: 'funding', preset: 'standard' },
] as const;

test.each([
  ['quiet has its own alone', 'quiet', ['regime']],
  ['standard has those of quiet too', 'standard', ['regime', 'funding']],
  ['everything has all, in the order given', 'everything', ['spread', 'regime', 'funding']],
] as const)('%s', (_rule, name, kinds) => expect(presetKinds(name, detectors)).toEqual(kinds));

test('each preset includes at least the alerts of the preset before it', () => {
  const ranks = presets.map(({ minSeverity }) => severityRank(minSeverity));
  expect(ranks).toEqual([...ranks].sort((a, b) => b - a));
});
