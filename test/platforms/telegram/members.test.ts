import { expect, it } from 'vitest';
import { createMembers } from '#src/platforms/telegram/members.ts';
import { day, second } from '#src/runtime/units.ts';
import { fakeClock } from '#test/support/clock.ts';

it.each([
  ['for less than a minute', 59 * second, 0, true],
  ['for a minute at most', 60 * second, 0, false],
  ['and not at all once the clock was set back', 0, -day, false],
])('who was an administrator is taken for one %s', async (_, later, setBack, manages) => {
  const clock = fakeClock();
  let wrong = 0;
  let status = 'administrator';
  const members = createMembers({ call: async () => ({ status }) as never } as never, {
    wall: { ...clock, now: () => clock.now() + wrong },
    botId: 1,
    stopping: new AbortController().signal,
  });
  expect(await members.manages('-1', 7)).toBe(true);
  status = 'member';
  await clock.advance(later);
  wrong = setBack;
  expect(await members.manages('-1', 7)).toBe(manages);
});
