import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EndpointAnswer } from '#src/contract/index.ts';
import detector from '#src/detectors/volatility-regime.ts';
import { hour, iso } from '#src/runtime/units.ts';
import { answers } from '#test/support/data.ts';
import { brief, drive, said, told } from './drive.ts';

const start = Date.UTC(2026, 0, 1);
const classOf = (percentile: number) =>
  percentile < 25 ? 'LOW_VOL' : percentile > 75 ? 'HIGH_VOL' : 'NORMAL_VOL';
const at = (
  index: number,
  percentile: number,
  over = {},
): readonly [number, EndpointAnswer<'regimeProbabilities'>] => {
  const now = start + index * 2 * hour;
  const volatilityRegime = { regime: classOf(percentile), percentile };
  return [now, { ...answers.regimeProbabilities, volatilityRegime, timestamp: iso(now), ...over }];
};
const brisk = { confirm: '3h', margin: 5 };
/** Observes one percentile every 2 hours. */
const run = (percentiles: readonly number[], options = {}) =>
  brief(
    drive(
      detector,
      { ...brisk, ...options },
      percentiles.map((each, index) => at(index, each)),
    ).changes,
  );

describe('volatility regime', () => {
  test.each<[string, number[], string]>([
    ['the class of the baseline is not told, nor its end', [90, 90, 50, 50, 50], '. . . . .'],
    ['a new class is told once it has stood', [50, 90, 90, 90], '. . . +warning'],
    ['low volatility is routine', [50, 10, 10, 10], '. . . +info'],
    ['a blip is none', [50, 90, 50, 90, 50], '. . . . .'],
    ['beside the edge it is not another class', [74, 76, 77, 78, 78], '. . . . .'],
    ['the ordinary class ends it', [50, 90, 90, 90, 50, 50, 50], '. . . +warning . . -warning'],
    [
      'it lives as long as the class, brought up to date once a day',
      [50, 90, 90, 90, ...Array.from({ length: 13 }, () => 90)],
      `. . . +warning ${'. '.repeat(11)}~warning .`,
    ],
    ['from high to low it ends and begins', [50, 90, 90, 90, 9, 9, 9], '. . . +warning . . -warning+info'],
  ])('%s', (_rule, percentiles, expected) => expect(run(percentiles)).toEqual(expected));

  test('a percentile that oscillates about a border fires at most once', () => {
    const about = fc.array(fc.double({ min: 72.6, max: 77.4, noNaN: true }), {
      minLength: 20,
      maxLength: 60,
    });
    fc.assert(
      fc.property(about, (percentiles) => {
        expect(run([50, ...percentiles]).split('+').length).toBeLessThanOrEqual(2);
      }),
    );
  });

  test('the class is unknown while its data is down, and an old timestamp is ignored', () => {
    const down = { dataHealth: 'DOWN' };
    const steps = [at(0, 50), at(1, 90, down), at(2, 90, down), at(3, 90, down), at(3, 90), at(2, 90)];
    expect(told(drive(detector, brisk, steps).changes)).toBe('');
  });

  test('an unknown class is reported as it is', () => {
    const other = { volatilityRegime: { regime: 'PANIC_VOL', percentile: 99 } };
    const { changes } = drive(detector, brisk, [at(0, 50), at(1, 0, other), at(3, 0, other)]);
    expect(changes[2]?.[0]?.labels).toEqual({ kind: 'volatility-regime', regime: 'PANIC_VOL' });
  });

  test('an update says since when and how long', () => {
    const { changes } = drive(detector, brisk, [at(0, 50), at(1, 91), at(3, 92), at(15, 93)]);
    expect(changes[3]?.map((each) => said(each).title)).toEqual([
      'Market volatility: high vol since 1 Jan 2026, 02:00 UTC, 1 d 4 h',
    ]);
  });

  test('says the class, how unusual it is, and since when', () => {
    const changes = drive(detector, brisk, [at(0, 50), at(1, 91), at(3, 92)]).changes[2] ?? [];
    expect(changes.map(said)).toEqual([
      {
        title: 'Market volatility: high vol',
        summary:
          'Moves are larger than on most days of the last year, either way: the same position risks more.',
        facts: [
          { name: 'Percentile of the last year', value: '92' },
          { name: 'Since', value: '1 Jan 2026, 02:00 UTC' },
          { name: 'Regime', value: 'Risk-on' },
        ],
      },
    ]);
  });
});
