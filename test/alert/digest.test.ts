import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestDue } from '#src/alert/digest.ts';
import type { Weekday } from '#src/alert/subscription.ts';
import { hour, minute } from '#src/runtime/units.ts';
import { aroundChange, changesOf } from '#test/support/clock-changes.ts';

const at = (text: string) => Date.parse(`2026-${text}Z`);
const day = (time: string, timeZone: string) => ({ every: 'day', at: time, timeZone }) as const;
const weekly = (weekday: Weekday, time: string, timeZone: string) =>
  ({ every: 'week', weekday, at: time, timeZone }) as const;
const hourly = (timeZone: string) => ({ every: 'hour', at: '08:00', timeZone }) as const;
const night = { from: '22:00', to: '07:00', timeZone: 'UTC' } as const;

test.each([
  ['later this week if the day is to come', weekly('saturday', '08:00', 'UTC'), '01-01T05:00', '01-03T08:00'],
  ['today if only its hour is to come', weekly('thursday', '08:00', 'UTC'), '01-01T05:00', '01-01T08:00'],
  ['next week from its minute on', weekly('thursday', '08:00', 'UTC'), '01-01T08:00', '01-08T08:00'],
  ['the weekday is the local one', weekly('monday', '08:00', 'Asia/Tokyo'), '01-04T12:00', '01-04T23:00'],
  ['in summer time earlier', weekly('monday', '08:00', 'Europe/Berlin'), '03-23T07:00', '03-30T06:00'],
  ['after summer time later', weekly('monday', '08:00', 'Europe/Berlin'), '10-19T06:00', '10-26T07:00'],
  ['an hour later if skipped', weekly('sunday', '02:30', 'Europe/Berlin'), '03-28T12:00', '03-29T01:30'],
  ['the next full hour', hourly('UTC'), '01-01T05:20', '01-01T06:00'],
  ['at the full hour itself, the one after', hourly('UTC'), '01-01T05:00', '01-01T06:00'],
  ['full hours of a half-hour zone', hourly('Asia/Kolkata'), '01-01T05:20', '01-01T05:30'],
  ['again after a half hour that is set back', hourly('Australia/Lord_Howe'), '04-04T15:15', '04-04T15:30'],
  ['within the half hour before it', hourly('Australia/Lord_Howe'), '04-04T14:45', '04-04T15:00'],
  ['today if it is to come', day('08:00', 'UTC'), '01-01T05:00', '01-01T08:00'],
  ['tomorrow from its minute on', day('08:00', 'UTC'), '01-01T08:00', '01-02T08:00'],
  ['by the local clock', day('08:00', 'Asia/Tokyo'), '01-01T00:00', '01-01T23:00'],
  ['in summer time earlier in UTC', day('08:00', 'Europe/Berlin'), '03-28T12:00', '03-29T06:00'],
  ['after summer time later in UTC', day('08:00', 'Europe/Berlin'), '10-24T12:00', '10-25T07:00'],
  ['an hour later if its time is skipped', day('02:30', 'Europe/Berlin'), '03-28T12:00', '03-29T01:30'],
])('a digest is due: %s, %o', (_, digest, after, due) => {
  expect(digestDue(digest, { quiet: null, after: at(after) })).toBe(at(due));
});

test.each([
  ['at their end', hourly('UTC'), '01-01T22:10', '01-02T07:00'],
  ['at their end itself, then', hourly('UTC'), '01-01T06:10', '01-01T07:00'],
  ['with what came since its own time', day('06:00', 'UTC'), '01-02T06:30', '01-02T07:00'],
  ['also in a night of eight hours', day('00:30', 'Europe/Berlin'), '03-29T02:30', '03-29T07:00'],
  ['also of the evening before', weekly('sunday', '23:00', 'UTC'), '01-05T01:00', '01-05T07:00'],
  ['but not with what comes from their end on', day('06:00', 'UTC'), '01-02T07:00', '01-03T07:00'],
  ['nor what came before an end in which none was due', day('12:00', 'UTC'), '01-02T06:30', '01-02T12:00'],
  ['a weekly one that falls into them too', weekly('monday', '06:00', 'UTC'), '01-02T12:00', '01-05T07:00'],
])('in quiet hours: %s', (_, digest, after, due) => {
  expect(digestDue(digest, { quiet: night, after: at(after) })).toBe(at(due));
});

test('any time: the next digest is later than now, and within a day and an hour', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2027, 0) }),
      fc.constantFrom('Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'),
      fc.constantFrom('00:00', '02:30', '08:00', '23:59'),
      fc.boolean(),
      (after, zone, time, isDaily) => {
        const due = digestDue(isDaily ? day(time, zone) : hourly(zone), { quiet: null, after });
        expect(due).toBeGreaterThan(after);
        expect(due - after).toBeLessThanOrEqual(isDaily ? 25 * hour : 1.5 * hour);
      },
    ),
  );
});

test('around every change of clocks in two years, every digest is later than now, also after quiet hours', () => {
  for (const { zone, at: change } of changesOf(Date.UTC(2026, 0), Date.UTC(2028, 0))) {
    const format = new Intl.DateTimeFormat('en', {
      timeZone: zone,
      timeStyle: 'short',
      hourCycle: 'h23',
    });
    const edge = format.format(change);
    const quiet = { from: '16:00', to: edge, timeZone: zone };
    const skipped = format.format(change - minute);
    for (const after of aroundChange.map((offset) => change + offset))
      for (const digest of [hourly(zone), day(edge, zone), day(skipped, zone), weekly('sunday', edge, zone)])
        for (const hours of [null, quiet]) {
          const due = digestDue(digest, { quiet: hours, after });
          expect(due, `${zone} ${digest.every} ${digest.at} ${after}`).toBeGreaterThan(after);
        }
  }
});
