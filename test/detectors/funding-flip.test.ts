import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import detector from '#src/detectors/funding-flip.ts';
import { hour, iso } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import { brief, drive, said, told } from './drive.ts';

type Observation = Parameters<typeof detector.step>[1];
const at = (index: number, rate: number | undefined, symbol = 'BTCUSDT'): readonly [number, Observation] => {
  const time = start + index * 8 * hour;
  const row = { symbol, rate: String(rate), annualized: '0', timestamp: iso(time) };
  const rows = rate === undefined ? [] : [row];
  return [time + 20_000, { rows, hours: new Map([['BTCUSDT', 4]]), past: new Map() }];
};
const options = { confirm: 2, stood: 3 };
/** Observes one settlement per rate, in units of 0.01 %. */
const run = (rates: readonly (number | undefined)[], given: object = options, symbol = 'BTCUSDT') =>
  drive(
    detector,
    given as Record<string, unknown>,
    rates.map((rate, index) => at(index, rate === undefined ? undefined : rate / 10_000, symbol)),
  ).changes;

describe('funding flip', () => {
  test.each<[string, (number | undefined)[], string]>([
    ['the first side is not told', [1, 1, 1, 1], '. . . .'],
    ['a flip that stays is', [1, 1, 1, -1, -1], '. . . . +warning'],
    ['one settlement is no flip', [1, 1, 1, -1, 1, -1, 1], '. . . . . . .'],
    ['about zero is no side', [1, 1, 1, -0.4, -0.4, -0.4], '. . . . . .'],
    ['about zero in between is not in a row', [1, 1, 1, -1, 0, -1, 0, -1], '. . . . . . . .'],
    ['about zero before it changes nothing', [1, 1, 1, 0.1, -0.1, -1, -1], '. . . . . . +warning'],
    ['a side that was no side long enough is left in silence', [1, 1, -1, -1, 1, 1], '. . . . . .'],
    ['it settles after 24 h', [1, 1, 1, -1, -1, -1, -1, -1], '. . . . +warning . . -warning'],
    [
      'a flip back ends it, and is none itself before it has stood',
      [1, 1, 1, -1, -1, 1, 1],
      '. . . . +warning . -warning',
    ],
    ['what costs little is told to nobody', [1, 1, 1, -0.8, -0.8, -0.8, -0.8], '. . . . . . .'],
    [
      'it is told once it costs enough, while it is young',
      [1, 1, 1, -0.8, -0.8, -0.8, -1],
      '. . . . . . +warning',
    ],
    ['one that is old by then is not told', [1, 1, 1, -0.8, -0.8, -0.8, -0.8, -0.8, -1], '. . . . . . . . .'],
    [
      'two calm settlements end it',
      [1, 1, 1, -1, -1, -0.8, -1, -0.8, -0.8],
      '. . . . +warning . . -warning .',
    ],
    ['off its side is calm as well', [1, 1, 1, -1, -1, -0.8, 2], '. . . . +warning . -warning'],
    [
      'after its end no other for 24 h',
      [1, 1, 1, -1, -1, -0.8, -0.8, 2, 2, 2],
      '. . . . +warning . -warning . . +warning',
    ],
    [
      'a symbol that is not answered is unknown',
      [1, 1, 1, undefined, -1, undefined, -1],
      '. . . . . . +warning',
    ],
  ])('%s', (_rule, rates, expected) => expect(brief(run(rates))).toBe(expected));

  test('is routine for other symbols', () => {
    expect(brief(run([1, 1, 1, -1, -2], options, 'DOGEUSDT'))).toBe('. . . . +info');
  });

  test('counts settlements, not polls, and ignores old ones', () => {
    const [now, rows] = at(3, -0.0001);
    const stood = [at(0, 0.0001), at(1, 0.0001), at(2, 0.0001)];
    const { changes } = drive(detector, options, [
      ...stood,
      [now, rows],
      [now + hour, rows],
      [now + 99 * hour, at(4, -1)[1]],
    ]);
    expect(told(changes)).toBe('');
  });

  test('fires at most once for a rate that oscillates about zero or about its minimum', () => {
    const about = (centre: number) => fc.double({ min: centre - 0.45, max: centre + 0.45, noNaN: true });
    const series = fc
      .constantFrom(0, 0.5, -0.5)
      .chain((centre) => fc.array(about(centre), { minLength: 30 }));
    fc.assert(
      fc.property(series, (rates) => {
        expect(brief(run([1, 1, 1, ...rates], options)).split('+').length).toBeLessThanOrEqual(2);
      }),
    );
  });

  test('uses the market’s own interval, and does not guess an unknown one', () => {
    const [change] = run([1, 1, 1.2, -1, -2], options, 'ETHUSDT')[4] ?? [];
    expect(JSON.stringify(change && said(change))).not.toMatch(/ per |Per year/);
  });

  test('says who pays now, and what the rate was', () => {
    const [change] = run([1, 1, 1.2, -1, -1.5])[4] ?? [];
    expect(change?.labels).toEqual({ kind: 'funding-flip', symbol: 'BTCUSDT', to: 'NEGATIVE' });
    expect(change && said(change)).toEqual({
      title: 'BTC funding turned negative: −0.0150% per 4 h',
      summary: 'Shorts pay longs now; before, longs paid shorts.',
      facts: [
        { name: 'Rate', value: '−0.0150% per 4 h' },
        { name: 'Per year', value: '−32.9%' },
        { name: 'Before the flip', value: '+0.0120% per 4 h' },
        { name: 'Settlements in a row', value: '2' },
        { name: 'Settled', value: '2 Jan 2026, 08:00 UTC' },
      ],
    });
    const back = run([1, 1, 1, -1, -1, 1, 1])[6]?.map(said)[0];
    expect(back).toMatchObject({
      title: 'BTC funding turned positive again: +0.0100% per 4 h',
      summary: 'Longs pay shorts now; before, shorts paid longs.',
    });
  });

  test('says for how many settlements it has stood if it comes to cost enough only then', () => {
    const [change] = run([1, 1, 1, -0.8, -0.8, -0.8, -1])[6] ?? [];
    expect(change && said(change).facts).toContainEqual({ name: 'Settlements in a row', value: '4' });
  });

  test('forgets a market that is no longer listed', () => {
    const { state } = drive(detector, {}, [at(0, 0.0001, 'GONEUSDT'), at(30, 0.0001)]);
    expect(Object.keys((state as { memory: object }).memory)).toEqual(['BTCUSDT']);
  });
});
