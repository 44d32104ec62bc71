import { expect, it } from 'vitest';
import type { WallClock } from '#src/runtime/clock.ts';
import { resolvesWithin } from '#src/runtime/within.ts';
import { fakeClock } from '#test/support/clock.ts';

it('work is in time until the time has passed, and never if it fails', async () => {
  const clock = fakeClock();
  const asked = (work: Promise<unknown>) => resolvesWithin(1000, { work, clock });
  const [early, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const found = Promise.all([asked(early.promise), asked(late.promise), asked(Promise.reject(new Error()))]);
  await clock.advance(999);
  early.resolve();
  await clock.advance(1);
  late.resolve();
  expect(await found).toEqual([true, false, false]);
});

it('an answer that came while the process was stopped is in time', async () => {
  const clock = fakeClock();
  const answer = Promise.withResolvers<void>();
  // After a stop the first timer is called before anything is read that arrived meanwhile.
  const stopped: WallClock = {
    now: clock.now,
    async sleep(ms, signal) {
      await clock.sleep(ms, signal);
      setImmediate(answer.resolve);
    },
  };
  const found = resolvesWithin(1000, { work: answer.promise, clock: stopped });
  await clock.advance(5000);
  expect(await found).toBe(true);
});
