import { describe, expect, test } from 'vitest';
import type { EndpointAnswer } from '#src/contract/index.ts';
import detector from '#src/detectors/fear-greed.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import { answers, dataClient } from '#test/support/data.ts';
import { brief, drive, looks, observe, said, told } from './drive.ts';

const at = (index: number) => start + index * 15 * minute;
type Observation = EndpointAnswer<'marketOverview'> & { readonly estimated: boolean };
const overview = (time: number, index: number | undefined, estimated = false): Observation => {
  const { fearGreed: _, ...rest } = answers.marketOverview;
  return { ...rest, estimated, timestamp: iso(time), ...(index === undefined ? {} : { fearGreed: index }) };
};
const quick = { confirm: 1, calm: 1, cooldown: '0s' };
const run = (indices: readonly (number | undefined)[], options: Record<string, unknown> = quick) =>
  drive(
    detector,
    options,
    indices.map((index, each) => [at(each) + 50_000, overview(at(each), index)] as const),
  ).changes;

describe('fear and greed', () => {
  test.each<[string, (number | undefined)[], string]>([
    ['the band at the baseline is not told, nor its end', [10, 12, 50], '. . .'],
    ['25 is fear, and below it extreme', [50, 25, 24], '. . +warning'],
    ['75 is extreme greed', [50, 74, 75], '. . +warning'],
    ['it is left a margin inside its border', [50, 24, 26, 29, 30], '. +warning . . -warning'],
    ['from one end to the other: two alerts', [50, 80, 20], '. +warning -warning+warning'],
    ['an index that hovers about the border is one alert', [50, 24, 26, 24, 27, 24], '. +warning . . . .'],
    ['no index is unknown', [50, 80, undefined, 80], '. +warning . .'],
  ])('%s', (_rule, indices, expected) => {
    expect(brief(run(indices))).toEqual(expected);
  });

  test('by default needs four looks in a row with new data, and three days between alerts of a kind', () => {
    expect(looks(run([50, 20, 20, 20, 20], {})).at(-1)).toBe('+warning');
    const seen = [at(0), 50] as const;
    const again = drive(detector, {}, [
      [at(0), overview(...seen)],
      ...Array.from({ length: 6 }, (_, index) => [at(2) + index, overview(at(1), 20)] as const),
    ]);
    expect(told(again.changes)).toBe('');
    const back = run([50, 80, 80, 80, 80, 50, 50, 50, 50, 80, 80, 80, 80, 80], {});
    expect(told(back)).toBe('+warning -warning');
  });

  test('treats an overview that is an hour old, or from the future, as unknown', () => {
    const { changes } = drive(detector, quick, [
      [at(0), overview(at(0), 50)],
      [at(1) + 2 * hour, overview(at(1), 10)],
      [at(1), overview(at(2), 10)],
    ]);
    expect(brief(changes)).toEqual('. . .');
  });

  test('has labels that name the band, and facts with the numbers', () => {
    expect(run([50, 20])[1]?.[0]).toMatchObject({
      labels: { kind: 'fear-greed', band: 'EXTREME_FEAR' },
      annotations: { dataTime: at(1) },
    });
  });

  const ofEstimate = (options: object) =>
    drive(
      detector,
      { ...quick, ...options },
      [50, 96, 50].map((index, each) => [at(each), overview(at(each), index, true)] as const),
    ).changes;

  test('never alerts on an estimate by default', () => {
    expect(brief(ofEstimate({}))).toEqual('. . .');
  });

  test('names an estimate as such in the title if alerts on estimates are turned on', () => {
    expect(
      ofEstimate({ estimate: true })
        .flat()
        .map((each) => said(each).title),
    ).toEqual([
      'Estimated fear and greed: extreme greed, 96 of 100',
      'Estimated fear and greed has left extreme greed: 50 of 100',
    ]);
    expect(
      run([50, 96])
        .flat()
        .map((each) => said(each).title),
    ).toEqual(['The market is in extreme greed: 96 of 100']);
  });

  test.each<[string, EndpointAnswer<'meta'> | ApiError, boolean]>([
    ['the service says it is published', { ...answers.meta, fearGreed: 'published' }, false],
    ['the service says it is estimated', { ...answers.meta, fearGreed: 'estimated' }, true],
    ['the service does not say', answers.meta, true],
    ['the service has no /meta', new ApiError('/meta', 'not_offered', 'no such extension'), true],
  ])('is published or estimated: %s', async (_rule, meta, estimated) => {
    expect((await observe(detector, dataClient({ meta }))).estimated).toBe(estimated);
  });

  test('refuses bands that overlap', () => {
    expect(detector.options.safeParse({ fear: 45, greed: 50 }).success).toBe(false);
  });
});
