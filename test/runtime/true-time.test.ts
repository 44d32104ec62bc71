import fc from 'fast-check';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createTrueTime } from '#src/runtime/true-time.ts';
import { day, hour, minute, second } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import { fakeClock } from '#test/support/clock.ts';

/** A machine whose clock is ahead of the time. */
function fixture(ahead: number) {
  const real = fakeClock(start);
  const lines: { msg: string; ahead?: number }[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
  const machine = { ahead, slept: 0 };
  const wall = { ...real, now: () => real.now() + machine.ahead };
  const steady = { now: () => real.now() - machine.slept };
  const time = createTrueTime(wall, { steady, slept: () => machine.slept, log });
  const off = () => Math.round((time.wall.now() - real.now()) / second) * second;
  return { real, machine, time, lines, off };
}

it.each([
  ['ahead', day],
  ['behind', -day],
])('a clock that is a day %s for seconds changes nothing, and it is said', async (_, by) => {
  const { real, machine, time, lines, off } = fixture(0);
  await real.advance(hour);
  machine.ahead = by;
  expect(off()).toBe(0);
  expect(time.wrong()).toBe(by);
  expect(lines).toMatchObject([{ ahead: by / second, msg: expect.stringContaining('NTP') }]);
  await real.advance(4 * second);
  expect(off()).toBe(0);
  machine.ahead = 0;
  expect(off()).toBe(0);
  expect(time.wrong()).toBe(0);
  expect(lines.at(-1)?.msg).toContain('right again');
});

it.each([
  ['ahead', -day],
  ['back', day],
])('a jump %s is believed once it has stood for ten minutes', async (_, before) => {
  const { real, machine, time, off } = fixture(before);
  machine.ahead = 0;
  expect(off()).toBe(before);
  await real.advance(10 * minute - 1);
  expect(off()).toBe(before);
  expect(time.wrong()).toBe(-before);
  await real.advance(1);
  expect(off()).toBe(0);
  expect(time.wrong()).toBe(0);
});

it('a step of a minute is followed, a longer one is not', () => {
  const { machine, off } = fixture(0);
  machine.ahead = minute;
  expect(off()).toBe(minute);
  machine.ahead = 2 * minute + 1;
  expect(off()).toBe(minute);
});

it('a machine that has slept is not taken for one whose clock was set', async () => {
  const { real, machine, off, time } = fixture(0);
  await real.advance(8 * hour);
  machine.slept = 8 * hour;
  expect(off()).toBe(0);
  expect(time.wrong()).toBe(0);
});

it('a smaller error, or one that grows little by little, is followed', async () => {
  const { real, machine, off } = fixture(0);
  for (let n = 0; n < 100; n += 1) {
    machine.ahead += 30 * second;
    await real.advance(minute);
    expect(off()).toBe(machine.ahead);
  }
});

it('whatever the clock jumps to, within ten minutes it is the steady clock that goes on', async () => {
  const jump = fc.record({
    to: fc.integer({ min: -40 * day, max: 40 * day }),
    after: fc.integer({ min: 0, max: minute }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(jump, { maxLength: 9 }), async (jumps) => {
      const { real, machine, time } = fixture(0);
      for (const { to, after } of jumps) {
        machine.ahead = to;
        await real.advance(after);
        const now = time.wall.now();
        expect(Number.isInteger(now)).toBe(true);
        expect(Math.abs(now - real.now())).toBeLessThanOrEqual(9 * minute);
      }
      machine.ahead = 0;
      expect(time.wall.now()).toBe(real.now());
    }),
  );
});
