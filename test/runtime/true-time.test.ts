import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createTrueTime } from '#src/runtime/true-time.ts';
import { hour, minute, second } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import { fakeClock } from '#test/support/clock.ts';

/** A machine whose clock differs from that of servers. */
function fixture(ahead: number) {
  const real = fakeClock(start);
  const lines: { msg: string; ahead?: number }[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
  const machine = { ahead };
  const wall = { ...real, now: () => real.now() + machine.ahead };
  const time = createTrueTime(wall, { steady: real, log });
  const date = (at: number) => new Date(at).toUTCString();
  const hear = (server: string, { wrong = 0, trusted = true, times = 3 } = {}) => {
    for (let n = 0; n < times; n += 1) time.asking(server, trusted)()({ date: date(real.now() + wrong) });
  };
  const off = () => Math.round((time.wall.now() - real.now()) / second) * second;
  return { real, machine, time, lines, hear, off, date };
}

it.each([
  ['behind', -5 * minute],
  ['ahead', 2 * hour],
])('a clock that is wrong by more than a minute, %s, is measured, corrected and reported', (_, ahead) => {
  const { time, lines, hear, off } = fixture(ahead);
  expect(off()).toBe(ahead);
  hear('telegram');
  expect(Math.abs(off())).toBeLessThanOrEqual(second);
  expect(Math.abs(time.wrong() - ahead)).toBeLessThanOrEqual(second);
  expect(lines.map((line) => line.ahead)).toEqual([Math.round(ahead / second)]);
  hear('telegram', { times: 20 });
  expect(lines).toHaveLength(1);
});

it('a smaller error is left as it is', () => {
  const { hear, off } = fixture(50 * second);
  hear('telegram');
  expect(off()).toBe(50 * second);
});

it('a clock that was set right, or jumps, is followed', () => {
  const { machine, lines, hear, off } = fixture(2 * hour);
  hear('telegram');
  machine.ahead = 0;
  hear('telegram');
  expect(off()).toBe(0);
  expect(lines.at(-1)?.msg).toContain('right again');
  machine.ahead = -hour;
  hear('telegram');
  expect(Math.abs(off())).toBeLessThanOrEqual(second);
});

it.each<[string, (f: ReturnType<typeof fixture>) => void | Promise<void>]>([
  ['two answers', ({ hear }) => hear('telegram', { times: 2, wrong: hour })],
  [
    'answers that contradict each other',
    ({ hear }) => {
      for (const wrong of [hour, 2 * hour, hour, 0]) hear('telegram', { times: 1, wrong });
    },
  ],
  [
    'what a cache kept',
    ({ time, date }) => {
      for (let n = 0; n < 5; n += 1) time.asking('data', false)()({ date: date(start - hour), age: '3600' });
    },
  ],
  [
    'what it waited long for',
    async ({ time, real, date }) => {
      for (let n = 0; n < 5; n += 1) {
        const heard = time.asking('data', false)();
        await real.advance(2 * minute);
        heard({ date: date(real.now() - 2 * minute) });
      }
    },
  ],
  ['no date', ({ time }) => time.asking('data', false)()({ date: 'yesterday' })],
  [
    'a server that most others contradict',
    ({ hear }) => {
      for (const server of ['telegram', 'discord']) hear(server);
      hear('elsewhere', { wrong: hour });
    },
  ],
  [
    'a data service that a platform contradicts',
    ({ hear }) => {
      hear('telegram');
      hear('data', { wrong: hour, trusted: false });
    },
  ],
])('the clock is not corrected by %s', async (_, say) => {
  const f = fixture(0);
  await say(f);
  expect(f.time.wrong()).toBe(0);
});
