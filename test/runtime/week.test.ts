import { expect, it } from 'vitest';
import { mean } from '#src/runtime/statistics.ts';
import { day, hour } from '#src/runtime/units.ts';
import {
  addToWeek,
  factorAt,
  factorsOf,
  hourOfWeek,
  hoursOfWeek,
  newWeek,
  type Week,
} from '#src/runtime/week.ts';
import { normal, seeded } from '#test/support/random.ts';

const begin = Date.UTC(2026, 0, 4); // A Sunday.

function weekOf(weeks: number, sizeOf: (index: number, random: () => number) => number): Week {
  const random = seeded(3);
  const week = newWeek();
  for (let at = begin; at < begin + weeks * 7 * day; at += hour)
    addToWeek(week, { at, size: sizeOf(hourOfWeek(at), random) });
  return week;
}
const noise = (random: () => number) => Math.abs(normal(random));

it('a week begins on Sunday, UTC', () => {
  expect(hourOfWeek(begin)).toBe(0);
  expect(hourOfWeek(begin + 2.5 * hour)).toBe(2);
  expect(hourOfWeek(Date.UTC(2026, 0, 10, 23))).toBe(hoursOfWeek - 1);
});

it('hours that are all alike have factors near 1, of single hours of the week too', () => {
  const factors = factorsOf(weekOf(13, (_, random) => noise(random)));
  expect(mean(factors)).toBeCloseTo(1, 1);
  expect(Math.max(...factors)).toBeLessThan(1.5);
  expect(Math.min(...factors)).toBeGreaterThan(0.6);
});

it('a pattern of the day, of weekends and of a single day is found in half a year', () => {
  const isWeekend = (index: number) => index < 24 || index >= 144;
  const pattern = (index: number) =>
    (isWeekend(index) ? 0.6 : 1) *
    (index % 24 === 13 && !isWeekend(index) ? 1.6 : 1) *
    (index >= 24 && index < 48 ? 1.2 : 1);
  const factors = factorsOf(weekOf(26, (index, random) => pattern(index) * noise(random)));
  const of = (which: (index: number) => boolean) => mean(factors.filter((_, index) => which(index)));
  const weekdays = of((index) => index >= 48 && index < 144 && index % 24 !== 13);
  expect(of(isWeekend) / weekdays).toBeCloseTo(0.6, 1);
  expect(of((index) => index >= 48 && index < 144 && index % 24 === 13) / weekdays).toBeGreaterThan(1.35);
  expect(of((index) => index >= 24 && index < 48) / weekdays).toBeGreaterThan(1.08);
});

it('a single hour of the week that stands out for a year is found, and one crash is not', () => {
  const wild = factorsOf(weekOf(52, (index, random) => (index === 100 ? 2 : 1) * noise(random)));
  expect(wild[100]).toBeGreaterThan(1.25);
  const crash = weekOf(51, (_, random) => noise(random));
  addToWeek(crash, { at: begin + 100 * hour, size: 50 });
  expect(factorsOf(crash)[100]).toBeLessThan(1.2);
});

it('nothing is expected of the hour before three weeks are known', () => {
  expect(new Set(factorsOf(newWeek()))).toEqual(new Set([1]));
  expect(new Set(factorsOf(weekOf(2, (index) => 1 + index)))).toEqual(new Set([1]));
});

it('the factor between two hours lies between theirs', () => {
  const factors = Array.from({ length: hoursOfWeek }, (_, index) => index);
  expect(factorAt(factors, begin + 4.25 * hour)).toBeCloseTo(4.25, 9);
});
