import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestDue } from '#src/alert/digest.ts';
import type { Weekday } from '#src/alert/subscription.ts';
import { hour } from '#src/runtime/units.ts';

const at = (text: string) => Date.parse(text);
const day = (time: string, timeZone: string) => ({ every: 'day', at: time, timeZone }) as const;
const weekly = (weekday: Weekday, time: string, timeZone: string) =>
  ({ every: 'week', weekday, at: time, timeZone }) as const;
const hourly = (timeZone: string) => ({ every: 'hour', at: '08:00', timeZone }) as const;
const night = (timeZone: string) => ({ from: '22:00', to: '07:00', timeZone });

test.each([
  [
    'weekly: later this week where the day is still to come',
    weekly('saturday', '08:00', 'UTC'),
    null,
    '2026-01-01T05:00Z',
    '2026-01-03T08:00Z',
  ],
  [
    'weekly: today where only its hour is still to come',
    weekly('thursday', '08:00', 'UTC'),
    null,
    '2026-01-01T05:00Z',
    '2026-01-01T08:00Z',
  ],
  [
    'weekly: next week from its minute on',
    weekly('thursday', '08:00', 'UTC'),
    null,
    '2026-01-01T08:00Z',
    '2026-01-08T08:00Z',
  ],
  [
    'weekly: the weekday is the local one',
    weekly('monday', '08:00', 'Asia/Tokyo'),
    null,
    '2026-01-04T12:00Z',
    '2026-01-04T23:00Z',
  ],
  [
    'weekly: an hour earlier in UTC once summer time has begun',
    weekly('monday', '08:00', 'Europe/Berlin'),
    null,
    '2026-03-23T07:00Z',
    '2026-03-30T06:00Z',
  ],
  [
    'weekly: an hour later in UTC once summer time has ended',
    weekly('monday', '08:00', 'Europe/Berlin'),
    null,
    '2026-10-19T06:00Z',
    '2026-10-26T07:00Z',
  ],
  [
    'weekly: an hour later where the change skips its hour',
    weekly('sunday', '02:30', 'Europe/Berlin'),
    null,
    '2026-03-28T12:00Z',
    '2026-03-29T01:30Z',
  ],
  [
    'weekly: at the end of the quiet hours it falls into',
    weekly('monday', '06:00', 'UTC'),
    night('UTC'),
    '2026-01-02T12:00Z',
    '2026-01-05T07:00Z',
  ],
  ['hourly: the next full hour', hourly('UTC'), null, '2026-01-01T05:20Z', '2026-01-01T06:00Z'],
  [
    'hourly: at the full hour itself, the one after',
    hourly('UTC'),
    null,
    '2026-01-01T05:00Z',
    '2026-01-01T06:00Z',
  ],
  [
    'hourly: full hours of a half-hour zone',
    hourly('Asia/Kolkata'),
    null,
    '2026-01-01T05:20Z',
    '2026-01-01T05:30Z',
  ],
  [
    'daily: today where it is still to come',
    day('08:00', 'UTC'),
    null,
    '2026-01-01T05:00Z',
    '2026-01-01T08:00Z',
  ],
  ['daily: tomorrow from its minute on', day('08:00', 'UTC'), null, '2026-01-01T08:00Z', '2026-01-02T08:00Z'],
  ['daily: by the local clock', day('08:00', 'Asia/Tokyo'), null, '2026-01-01T00:00Z', '2026-01-01T23:00Z'],
  [
    'daily: an hour earlier in UTC once summer time has begun',
    day('08:00', 'Europe/Berlin'),
    null,
    '2026-03-28T12:00Z',
    '2026-03-29T06:00Z',
  ],
  [
    'daily: an hour later in UTC once it has ended',
    day('08:00', 'Europe/Berlin'),
    null,
    '2026-10-24T12:00Z',
    '2026-10-25T07:00Z',
  ],
  [
    'daily: a time that is skipped comes an hour later',
    day('02:30', 'Europe/Berlin'),
    null,
    '2026-03-28T12:00Z',
    '2026-03-29T01:30Z',
  ],
  ['in quiet hours: at their end', hourly('UTC'), night('UTC'), '2026-01-01T22:10Z', '2026-01-02T07:00Z'],
  ['at the end of quiet hours: then', hourly('UTC'), night('UTC'), '2026-01-01T06:10Z', '2026-01-01T07:00Z'],
])('%s', (_, digest, quiet, after, due) => {
  expect(new Date(digestDue(digest, quiet, at(after))).toISOString()).toBe(new Date(at(due)).toISOString());
});

test('any time: later than asked, and within a day and an hour', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: at('2026-01-01'), max: at('2027-01-01') }),
      fc.constantFrom('Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'),
      fc.constantFrom('00:00', '02:30', '08:00', '23:59'),
      fc.boolean(),
      (after, zone, time, isDaily) => {
        const due = digestDue(isDaily ? day(time, zone) : hourly(zone), null, after);
        expect(due).toBeGreaterThan(after);
        expect(due - after).toBeLessThanOrEqual(isDaily ? 25 * hour : 1.5 * hour);
      },
    ),
  );
});
