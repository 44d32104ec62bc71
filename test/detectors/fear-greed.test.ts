import { describe, expect, test } from 'vitest';
import type { Answer } from '#src/contract/index.ts';
import detector from '#src/detectors/fear-greed.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { answers } from '#test/support/data.ts';
import { brief, drive } from './drive.ts';

const start = Date.UTC(2026, 0, 1);
const at = (index: number) => start + index * 15 * minute;
const overview = (time: number, index: number | undefined): Answer<'marketOverview'> => {
  const { fearGreed: _, ...rest } = answers.marketOverview;
  return { ...rest, timestamp: iso(time), ...(index === undefined ? {} : { fearGreed: index }) };
};
const quick = { confirm: 1, calm: 1, cooldown: '0s' };
const run = (indices: readonly (number | undefined)[], options: Record<string, unknown> = quick) =>
  drive(
    detector,
    options,
    indices.map((index, each) => [at(each) + 50_000, overview(at(each), index)] as const),
  ).told;

describe('fear and greed', () => {
  test.each<[string, (number | undefined)[], string[]]>([
    ['the band at the baseline is not told, nor its end', [10, 12, 50], ['', '', '']],
    ['25 is fear, and below it extreme', [50, 25, 24], ['', '', 'firing warning']],
    ['75 is extreme greed', [50, 74, 75], ['', '', 'firing warning']],
    [
      'it is left a margin inside its border',
      [50, 24, 26, 29, 30],
      ['', 'firing warning', '', '', 'resolved warning'],
    ],
    [
      'from one end to the other: two alerts',
      [50, 80, 20],
      ['', 'firing warning', 'resolved warning, firing warning'],
    ],
    [
      'an index that hovers about the border is one alert',
      [50, 24, 26, 24, 27, 24],
      ['', 'firing warning', '', '', '', ''],
    ],
    ['no index is unknown', [50, 80, undefined, 80], ['', 'firing warning', '', '']],
  ])('%s', (_rule, indices, expected) => {
    expect(brief(run(indices))).toEqual(expected);
  });

  test('by default four looks in a row, each at newer data, and three days between two of a kind', () => {
    expect(brief(run([50, 20, 20, 20, 20], {})).at(-1)).toBe('firing warning');
    const seen = [at(0), 50] as const;
    const again = drive(detector, {}, [
      [at(0), overview(...seen)],
      ...Array.from({ length: 6 }, (_, index) => [at(2) + index, overview(at(1), 20)] as const),
    ]);
    expect(brief(again.told).join('')).toBe('');
    const back = run([50, 80, 80, 80, 80, 50, 50, 50, 50, 80, 80, 80, 80, 80], {});
    expect(brief(back).filter((each) => each !== '')).toEqual(['firing warning', 'resolved warning']);
  });

  test('an overview of an hour ago, or of the future, is unknown', () => {
    const { told } = drive(detector, quick, [
      [at(0), overview(at(0), 50)],
      [at(1) + 2 * hour, overview(at(1), 10)],
      [at(1), overview(at(2), 10)],
    ]);
    expect(brief(told)).toEqual(['', '', '']);
  });

  test('labels name the band, facts hold the numbers', () => {
    expect(run([50, 20])[1]?.[0]).toMatchObject({
      labels: { kind: 'fear-greed', band: 'EXTREME_FEAR' },
      annotations: { dataTime: at(1) },
    });
  });

  test('bands that overlap are refused', () => {
    expect(detector.options.safeParse({ fear: 45, greed: 50 }).success).toBe(false);
  });
});
