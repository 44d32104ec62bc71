import { describe, expect, test } from 'vitest';
import detector from '#src/detectors/max-pain.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { brief, drive, said, told } from './drive.ts';

/** The last Friday of January 2026, 08:00 UTC. */
const expiry = Date.UTC(2026, 0, 30, 8);
const strike = 100_000;
const quick = { confirm: 1, cooldown: '0s' };

/** [hours to the expiry, percent from max pain; null: the price is unknown]. */
type Moment = readonly [number, number | null];
const momentOf = (written: string): Moment => {
  const [hours = '', away = ''] = written.split(' ');
  return [Number.parseFloat(hours), away === '?' ? null : Number.parseFloat(away)];
};
const look = ([hours, away]: Moment, age = 0) => {
  const now = expiry - hours * hour;
  const row = {
    timestamp: iso(now - age),
    callOI: 10,
    putOI: 5,
    putCallRatio: 0.5,
    maxPain: strike,
    avgIV: 40,
  };
  const price = away === null ? undefined : strike * (1 + away / 100);
  return [now, { at: now, markets: [{ currency: 'BTC', rows: [row], price }] }] as const;
};
const run = (moments: readonly Moment[], options: Record<string, unknown> = quick) =>
  drive(
    detector,
    options,
    moments.map((moment) => look(moment)),
  ).changes;

describe('max pain', () => {
  test.each<[string, string, string]>([
    ['near at the baseline is not told, nor its end', '40h 0%, 30h 0%, 20h 9%', '. . .'],
    ['near days before the expiry is nothing', '90h 0%, 60h 0%', '. .'],
    ['near within two days of it is told', '60h 0%, 47h 0.9%', '. +info'],
    ['below it is as near as above it', '60h 0%, 47h -0.9%', '. +info'],
    ['not near is nothing', '60h 0%, 47h 1.1%', '. .'],
    ['further away it stays, and far away it ends', '60h 0%, 47h 0%, 46h 2.9%, 45h 3.1%', '. +info . -info'],
    [
      'a price that hovers about the distance is one alert',
      '60h 2%, 47h 0.9%, 46h 1.1%, 45h 0.9%, 44h 1.1%',
      '. +info . . .',
    ],
    ['it ends with the expiry', '60h 0%, 10h 0%, 1h 0%, -0.5h 0%', '. +info . -info'],
    ['also where the price is not known by then', '60h 0%, 10h 0%, -0.5h ?', '. +info -info'],
    ['an unknown price before it changes nothing', '60h 0%, 10h 0%, 5h ?, 4h 0%', '. +info . .'],
  ])('%s: hours to the expiry, and percent from max pain, %s', (_rule, moments, expected) => {
    expect(brief(run(moments.split(', ').map(momentOf)))).toBe(expected);
  });

  test('by default needs four prices in a row, and fires once per expiry', () => {
    const moments: Moment[] = [60, 47, 46, 45, 44, 43].map((hours) => [hours, 0.5]);
    expect(brief(run(moments, {}))).toEqual('. . . . +info .');
    const again: Moment[] = [...moments, [42, 5], [41, 0], [40, 0], [39, 0], [38, 0], [37, 0]];
    expect(told(run(again, {}))).toBe('+info -info');
  });

  test('is unknown if the chain or the price is old', () => {
    const [, old] = look([47, 0], 2 * hour);
    const { changes } = drive(detector, quick, [look([60, 0]), [expiry - 47 * hour, old]]);
    expect(brief(changes)).toEqual('. .');
    const [, late] = look([47, 0]);
    const [now] = look([46.5, 0]);
    expect(brief(drive(detector, quick, [look([60, 0]), [now, late]]).changes)).toEqual('. .');
  });

  test('is about one expiry, and says how far away it is', () => {
    const change = run([
      [60, 0],
      [47, 0.5],
    ])[1]?.[0];
    expect(change?.labels).toEqual({ kind: 'max-pain', symbol: 'BTCUSDT', expiry: '2026-01-30' });
    expect(change && said(change).title).toBe('BTC is near max pain, 1 d 23 h before the monthly expiry');
  });

  test.each([
    ['the last Friday', Date.UTC(2026, 1, 27, 8)],
    ['a month that ends on a Friday', Date.UTC(2026, 6, 31, 8)],
    ['the turn of the year', Date.UTC(2026, 11, 25, 8)],
  ])('takes %s as the expiry', (_rule, at) => {
    const near = (now: number) =>
      [
        now,
        {
          at: now,
          markets: [
            {
              currency: 'ETH',
              rows: [{ timestamp: iso(now), callOI: 1, putOI: 1, putCallRatio: 1, maxPain: 100, avgIV: 1 }],
              price: 100,
            },
          ],
        },
      ] as const;
    const { changes } = drive(detector, quick, [
      near(at - 49 * hour),
      near(at - 47 * hour),
      near(at + minute),
    ]);
    expect(brief(changes)).toEqual('. +info -info');
  });
});
