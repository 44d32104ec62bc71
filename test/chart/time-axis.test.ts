import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timeTicks } from '#src/chart/time-axis.ts';
import { dateLocaleOf, type Language } from '#src/language/languages.ts';
import { day, hour, minute } from '#src/runtime/units.ts';

const labels = (from: string, length: number, timeZone: string, count = 5, language: Language = 'en') =>
  timeTicks({
    from: Date.parse(from),
    to: Date.parse(from) + length,
    count,
    timeZone,
    dates: dateLocaleOf(language),
  }).map(({ label }) => label);

describe('an axis of time', () => {
  it.each([
    [
      'of a day shows hours, and the date at midnight',
      '2025-11-20T14:05Z',
      day,
      'UTC',
      ['18:00', '21 Nov', '06:00', '12:00'],
    ],
    [
      'counts in the zone’s hours',
      '2025-11-20T14:05Z',
      day,
      'Asia/Kolkata',
      ['21 Nov', '06:00', '12:00', '18:00'],
    ],
    ['of an hour shows quarters', '2025-11-20T14:05Z', hour, 'UTC', ['14:15', '14:30', '14:45', '15:00']],
    [
      'of a week shows every other day',
      '2025-11-14T00:00Z',
      7 * day,
      'UTC',
      ['14 Nov', '16 Nov', '18 Nov', '20 Nov'],
    ],
    [
      'of a month shows Mondays',
      '2025-11-01T00:00Z',
      29 * day,
      'UTC',
      ['3 Nov', '10 Nov', '17 Nov', '24 Nov'],
    ],
    [
      'of months shows months',
      '2025-09-15T00:00Z',
      120 * day,
      'UTC',
      ['Oct 2025', 'Nov 2025', 'Dec 2025', 'Jan 2026'],
    ],
    ['of years shows years', '2020-06-01T00:00Z', 4 * 365 * day, 'UTC', ['2021', '2022', '2023', '2024']],
    [
      'keeps round hours when the clocks go back',
      '2025-10-25T20:00Z',
      20 * hour,
      'Europe/Berlin',
      ['26 Oct', '04:00', '08:00', '12:00', '16:00'],
    ],
  ])('%s', (_, from, length, timeZone, expected) => {
    expect(labels(from, length, timeZone)).toEqual(expected);
  });

  it('is in the reader’s language', () => {
    expect(labels('2025-11-14T00:00Z', 7 * day, 'UTC', 5, 'es')).toContain('16 nov');
    expect(labels('2025-11-14T00:00Z', 7 * day, 'UTC', 5, 'zh')).toContain('11月16日');
  });

  it('is sorted, inside the span, and has no more ticks than requested', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(1901, 0), max: Date.UTC(2150, 0) }),
        fc.oneof(fc.integer({ min: 0, max: day / minute }), fc.integer({ min: 0, max: 200 * 365 * 24 * 60 })),
        fc.constantFrom('UTC', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'),
        (from, minutes, timeZone) => {
          const to = Math.min(from + minutes * minute, Date.UTC(2199, 0));
          const times = timeTicks({ from, to, count: 5, timeZone, dates: 'en-GB' }).map(({ at }) => at);
          expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
          expect(times.every((at) => at >= from && at <= to)).toBe(true);
          expect(times.length).toBeLessThanOrEqual(7);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('across a change of clocks', () => {
  const berlin = { timeZone: 'Europe/Berlin', dates: 'en-GB' } as const;
  const clockAt = (at: number) =>
    new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Berlin',
      hour: '2-digit',
      minute: '2-digit',
    }).format(at);
  const labels = (day: number) =>
    timeTicks({ ...berlin, from: day - 60 * minute, to: day + 6 * hour, count: 8 }).map(({ at, label }) => ({
      at,
      label,
    }));

  it.each([
    ['spring: the hour that is skipped has no tick', Date.UTC(2026, 2, 28, 23), ['01:00', '03:00', '04:00']],
    [
      'autumn: the hour that comes twice has two',
      Date.UTC(2026, 9, 24, 22),
      ['01:00', '02:00', '02:00', '03:00'],
    ],
  ])('%s', (_, midnight, expected) => {
    const ticks = labels(midnight);
    const texts = ticks.map(({ label }) => label);
    expect(texts.join(' ')).toContain(expected.join(' '));
    for (const { at, label } of ticks.filter((tick) => /:/.test(tick.label))) expect(clockAt(at)).toBe(label);
    const times = ticks.map(({ at }) => at);
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
  });
});
