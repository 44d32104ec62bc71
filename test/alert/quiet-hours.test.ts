import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { quietUntil } from '#src/alert/quiet-hours.ts';
import { aroundChange, changesOf } from '#test/support/clock-changes.ts';

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

it.each([
  ['Europe/Berlin', '02:00', '2026-03-29T01:00'],
  ['Europe/London', '01:00', '2026-03-29T01:00'],
  ['Africa/Cairo', '00:00', '2026-04-23T22:00'],
])(
  'quiet hours that end in the minute that the clocks skip end at the change: %s',
  (timeZone, to, change) => {
    const end = utc(change);
    for (const minutes of [300, 60, 1])
      expect(quietUntil({ from: '16:00', to, timeZone }, end - minutes * 60_000)).toBe(end);
    expect(quietUntil({ from: '16:00', to, timeZone }, end)).toBe(null);
  },
);

it.each([
  ['an unknown zone', { from: '22:00', to: '07:00', timeZone: 'Mars/Olympus' }],
  ['no time', { from: '22:00', to: '24:30', timeZone: 'UTC' }],
  ['nothing', {} as never],
])('quiet hours that cannot be read hold nothing back: %s', (_, quietHours) => {
  expect(quietUntil(quietHours, utc('2026-01-10T23:00'))).toBe(null);
});

/** Every change of clocks in two years, of every zone, once for each set of zones that change at the same times. */
const changes = changesOf(utc('2026-01-01T00:00'), utc('2028-01-01T00:00'));
/** A wall clock by Intl, which the code under test does not use. */
const clockOf = (zone: string) => {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeStyle: 'short', hourCycle: 'h23' });
  return (at: number) => format.format(at);
};
const isIn = (time: string, { from, to }: { from: string; to: string }) =>
  from > to ? time >= from || time < to : time >= from && time < to;

test('in every zone, around every change of clocks in two years, quiet hours end after now and at their end', () => {
  expect(changes.length).toBeGreaterThan(80);
  for (const { zone, at } of changes) {
    const clock = clockOf(zone);
    const [before, after] = [clock(at - 60_000), clock(at)];
    // Quiet hours with an edge at, before and behind what is skipped or repeated.
    for (const edge of [before, after, clock(at + 30 * 60_000), clock(at - 30 * 60_000)])
      for (const hours of [
        { from: '16:00', to: edge },
        { from: edge, to: '07:00' },
      ])
        for (const now of aroundChange.map((offset) => at + offset)) {
          const said = `${zone} ${hours.from}-${hours.to} at ${new Date(now).toISOString()}`;
          const end = quietUntil({ ...hours, timeZone: zone }, now);
          expect(end !== null, said).toBe(isIn(clock(now), hours));
          if (end === null) continue;
          expect(end, said).toBeGreaterThan(now);
          expect(isIn(clock(end), hours), said).toBe(false);
          expect(isIn(clock(end - 60_000), hours), said).toBe(true);
        }
  }
});

test('in every zone, at any minute of two years, any quiet hours end after now', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
      fc.integer({ min: utc('2026-01-01T00:00') / 60_000, max: utc('2028-01-01T00:00') / 60_000 }),
      fc.integer({ min: 0, max: 1_439 }),
      fc.integer({ min: 0, max: 1_439 }),
      (timeZone, now, from, to) => {
        const end = quietUntil({ from: clockText(from), to: clockText(to), timeZone }, now * 60_000);
        if (end === null) return;
        expect(end).toBeGreaterThan(now * 60_000);
        expect(end - now * 60_000).toBeLessThanOrEqual(25 * 3_600_000);
      },
    ),
    { numRuns: 2_000 },
  );
});

const clockText = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((each) => String(each).padStart(2, '0')).join(':');

test('across the date line, where a day is skipped, quiet hours end', () => {
  const hours = { from: '22:00', to: '07:00', timeZone: 'Pacific/Apia' };
  expect(quietUntil(hours, utc('2011-12-30T09:30'))).toBe(utc('2011-12-30T17:00'));
});
