import fc from 'fast-check';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createTrueTime } from '#src/runtime/true-time.ts';
import { day, hour, minute, second } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import { fakeClock } from '#test/support/clock.ts';

/** A machine whose clock differs from that of servers. */
function fixture(ahead: number) {
  const real = fakeClock(start);
  const lines: { msg: string; ahead?: number }[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
  const machine = { ahead, slept: 0 };
  const wall = { ...real, now: () => real.now() + machine.ahead };
  const steady = { now: () => real.now() - machine.slept };
  const time = createTrueTime(wall, { steady, slept: () => machine.slept, log });
  const date = (at: number) => new Date(at).toUTCString();
  const hear = (server: string, { wrong = 0, times = 3 } = {}) => {
    for (let n = 0; n < times; n += 1) time.asking(server)()({ date: date(real.now() + wrong) });
  };
  const off = () => Math.round((time.wall.now() - real.now()) / second) * second;
  return { real, machine, time, lines, hear, off, date };
}

it.each([
  ['behind', -5 * minute],
  ['ahead', 2 * hour],
])(
  'a clock that is wrong by more than a minute, %s, is measured and reported, and not moved on a word',
  (_, ahead) => {
    const { time, lines, hear, off } = fixture(ahead);
    hear('telegram');
    expect(off()).toBe(ahead);
    expect(Math.abs(time.wrong() - ahead)).toBeLessThanOrEqual(second);
    expect(lines.map((line) => line.ahead)).toEqual([Math.round(ahead / second)]);
    hear('telegram', { times: 20 });
    expect(lines).toHaveLength(1);
  },
);

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
])(
  'a jump %s is believed once servers confirm it, or once it has stood for ten minutes',
  async (_, before) => {
    const confirmed = fixture(before);
    confirmed.machine.ahead = 0;
    expect(confirmed.off()).toBe(before);
    confirmed.hear('telegram');
    expect(confirmed.off()).toBe(0);
    expect(confirmed.time.wrong()).toBe(0);

    const alone = fixture(before);
    alone.machine.ahead = 0;
    expect(alone.off()).toBe(before);
    await alone.real.advance(9 * minute);
    expect(alone.off()).toBe(before);
    await alone.real.advance(minute);
    expect(alone.off()).toBe(0);
  },
);

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
      for (let n = 0; n < 5; n += 1) time.asking('data')()({ date: date(start - hour), age: '3600' });
    },
  ],
  [
    'what it waited long for',
    async ({ time, real, date }) => {
      for (let n = 0; n < 5; n += 1) {
        const heard = time.asking('data')();
        await real.advance(2 * minute);
        heard({ date: date(real.now() - 2 * minute) });
      }
    },
  ],
  ['no date', ({ time }) => time.asking('data')()({ date: 'yesterday' })],
  [
    'a server that most others contradict',
    ({ hear }) => {
      for (const server of ['telegram', 'discord']) hear(server);
      hear('elsewhere', { wrong: hour });
    },
  ],
])('the clock is not called wrong by %s', async (_, say) => {
  const f = fixture(0);
  await say(f);
  expect(f.time.wrong()).toBe(0);
  expect(f.off()).toBe(0);
});
