import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import detector from '#src/detectors/price-level.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { answers } from '#test/support/data.ts';
import { drive, said } from './drive.ts';

const start = Date.UTC(2026, 0, 1);
const at = (ms: number, price: number | undefined, symbol = 'BTCUSDT', age = 0) => {
  const coin = { symbol, price: price ?? 0, signal: 0, funding: 0, master: 50 };
  const coins = price === undefined ? [] : [coin];
  return [start + ms, { ...answers.marketOverview, coins, timestamp: iso(start + ms - age) }] as const;
};
/** Observes one price a minute, with steps of 1,000 and a margin of 100. */
const options = { steps: { BTCUSDT: 1_000 } };
const run = (prices: readonly (number | undefined)[], given = {}) =>
  drive(
    detector,
    { ...options, ...given },
    prices.map((price, index) => at(index * minute, price)),
  ).changes;
const brief = (...input: Parameters<typeof run>) =>
  run(...input)
    .map((changes) =>
      changes.map(({ status, labels }) => `${status} ${labels.direction} ${labels.level}`).join(', '),
    )
    .join('|');

describe('price level', () => {
  test.each<[string, (number | undefined)[], string]>([
    ['within a band nothing is told', [9_500, 9_950, 9_050, 9_500], '|||'],
    ['a level crossed upward is', [9_500, 10_150, 10_160], '||firing UP 10000'],
    ['and downward', [9_500, 8_850, 8_800], '||firing DOWN 9000'],
    ['less than the margin beyond it is no crossing', [9_500, 10_050, 10_090, 10_099], '|||'],
    ['one look is no crossing', [9_500, 10_150, 9_990, 10_150, 9_990], '||||'],
    [
      'a price that is not known is none, and in between it breaks nothing',
      [9_500, 10_150, undefined, 10_150],
      '|||firing UP 10000',
    ],
    ['a price of zero is none', [9_500, 0, 0, 0], '|||'],
    ['of several levels the last is told', [9_500, 12_150, 12_200], '||firing UP 12000'],
    [
      'the next level ends the one before',
      [9_500, 10_150, 10_150, 11_150, 11_150],
      '||firing UP 10000||resolved UP 10000, firing UP 11000',
    ],
    [
      'back across it ends, and is not told anew',
      [9_500, 10_150, 10_150, 9_850, 9_850],
      '||firing UP 10000||resolved UP 10000',
    ],
  ])('%s', (_rule, prices, expected) => expect(brief(prices)).toBe(expected));

  test('a level that holds for 12 h is settled, and may fire again after the cooldown', () => {
    const steps = [at(0, 9_500), at(minute, 10_150), at(2 * minute, 10_150), at(13 * hour, 10_200)];
    const again = [26, 27].map((hours) => at(hours * hour, 9_850));
    const { changes } = drive(detector, options, [...steps, ...again]);
    const texts = changes.map((changes) =>
      changes.map(({ status, labels }) => `${status} ${labels.direction}`).join(),
    );
    expect(texts).toEqual(['', '', 'firing UP', 'resolved UP', '', 'firing DOWN']);
  });

  test('a price that hovers about a level fires at most once within a day', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 9_100, max: 10_890 }), { minLength: 10, maxLength: 200 }),
        (prices) => {
          expect(brief([9_500, ...prices]).split('firing').length).toBeLessThanOrEqual(2);
        },
      ),
    );
  });

  test('a price that is stale or older than the last one changes nothing', () => {
    const old = [
      at(0, 9_500),
      at(hour, 10_150, 'BTCUSDT', 20 * minute),
      at(hour + minute, 10_150, 'BTCUSDT', 20 * minute),
    ];
    expect(drive(detector, options, old).changes.flat()).toEqual([]);
    const back = [at(5 * minute, 9_500), at(4 * minute, 10_150), at(3 * minute, 10_150)];
    expect(drive(detector, options, back).changes.flat()).toEqual([]);
  });

  test('after a change of the step the detector starts afresh, and an open alert ends', () => {
    const driven = drive(detector, options, [at(0, 9_500), at(minute, 10_150), at(2 * minute, 10_150)]);
    const parsed = detector.options.parse({ steps: { BTCUSDT: 500 } });
    const [now, observation] = at(3 * minute, 10_700);
    const next = detector.step(detector.state.parse(driven.state), observation, { options: parsed, now });
    expect(next.changes.map(({ status }) => status)).toEqual(['resolved']);
  });

  test('says the level and the price', () => {
    const [change] = run([9_500, 10_150, 10_160])[2] ?? [];
    expect(change?.labels).toEqual({
      kind: 'price-level',
      symbol: 'BTCUSDT',
      level: '10000',
      direction: 'UP',
    });
    expect(change && said(change)).toMatchObject({ title: 'BTC rose above 10,000: 10,160.00' });
  });
});
