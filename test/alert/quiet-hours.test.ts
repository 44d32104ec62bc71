import { expect, it } from 'vitest';
import { quietUntil } from '#src/alert/quiet-hours.ts';

const timeZone = 'Europe/Berlin';
const utc = (text: string): number => Date.parse(`${text}Z`);

it.each<[string, { from: string; to: string; now: string; ends: string | null }]>([
  ['a night', { from: '22:00', to: '07:00', now: '2026-01-10T23:00', ends: '2026-01-11T06:00' }],
  ['out of it', { from: '22:00', to: '07:00', now: '2026-01-10T12:00', ends: null }],
  ['into summer time', { from: '22:00', to: '07:00', now: '2026-03-28T23:00', ends: '2026-03-29T05:00' }],
  ['an end skipped', { from: '22:00', to: '02:30', now: '2026-03-28T23:00', ends: '2026-03-29T01:00' }],
  ['behind a skipped end', { from: '22:00', to: '02:30', now: '2026-03-29T01:00', ends: null }],
  [
    'an end twice, the first',
    { from: '22:00', to: '02:30', now: '2026-10-25T00:10', ends: '2026-10-25T00:30' },
  ],
  [
    'an end twice, the second',
    { from: '22:00', to: '02:30', now: '2026-10-25T01:10', ends: '2026-10-25T01:30' },
  ],
])('quiet hours end in the future: %s', (_, { from, to, now, ends }) => {
  expect(quietUntil({ from, to, timeZone }, utc(now))).toBe(ends === null ? null : utc(ends));
});

it.each(['2026-03-28T20:00', '2026-10-24T20:00'])(
  'quiet hours are right across the change of clocks in the night of %s',
  (evening) => {
    for (let now = utc(evening); now < utc(evening) + 14 * 3_600_000; now += 60_000) {
      const ends = quietUntil({ from: '21:30', to: '02:15', timeZone }, now);
      if (ends !== null) expect(ends).toBeGreaterThan(now);
    }
  },
);
