import { expect, it, onTestFinished } from 'vitest';
import { watchDataQuality } from '#src/app/data-quality.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, minute } from '#src/runtime/units.ts';
import { fakeClock } from '#test/support/clock.ts';
import { answers } from '#test/support/data.ts';

/** Starts to ask a data service that answers until `isAway` is set. */
function fixture() {
  const wall = fakeClock();
  const service = { isAway: false, asked: 0 };
  const logged: string[] = [];
  const quality = watchDataQuality({
    data: {
      async dataQuality() {
        service.asked += 1;
        if (service.isAway) throw new ApiError('/data/quality', 'unreachable', 'refused');
        return answers.dataQuality;
      },
    },
    market: () => ({ now: wall.now, speed: 1, wallUntil: () => 0 }),
    wall,
    log: { error: (_: unknown, text?: string) => void logged.push(String(text)) },
  });
  const asking = quality.start();
  onTestFinished(() => asking.stop());
  return { wall, service, logged, quality, asking };
}

it('the service is asked as often as its answer changes', async () => {
  const { wall, service, quality } = fixture();
  expect(quality.latest()).toBeUndefined();
  await wall.advance(11 * minute);
  expect(quality.latest()).toBe(answers.dataQuality);
  expect(service.asked).toBe(3);
});

it('an answer counts for a quarter of an hour, and a service that is away is no error', async () => {
  const { wall, service, logged, quality } = fixture();
  await wall.advance(minute);
  service.isAway = true;
  await wall.advance(13 * minute);
  expect(quality.latest()).toBe(answers.dataQuality);
  await wall.advance(3 * minute);
  expect(quality.latest()).toBeUndefined();
  await wall.advance(-2 * hour);
  expect(quality.latest()).toBeUndefined();
  expect(logged).toEqual([]);
});

it('a process that stops to watch reports nothing, as another one asks from then on', async () => {
  const { wall, quality, asking } = fixture();
  await wall.advance(minute);
  await asking.stop();
  expect(quality.latest()).toBeUndefined();
});
