import { expect, it } from 'vitest';
import { createTokenHold } from '#src/platforms/token-hold.ts';
import { minute, second } from '#src/runtime/units.ts';

function setUp() {
  const clock = { time: 0, now: () => clock.time };
  const reports: string[] = [];
  const hold = createTokenHold({
    steady: clock,
    reportTokenRefused: (reason) => void reports.push(String(reason)),
    reportTokenAccepted: () => void reports.push('accepted'),
  });
  return { clock, reports, hold };
}

it('a token that stays refused is asked again after 1, 2, 4 and then every 5 minutes, and reported once', () => {
  const { clock, reports, hold } = setUp();
  hold.refused('no');
  const asked: number[] = [];
  for (; clock.time <= 30 * minute; clock.time += second) {
    if (hold.held() !== undefined) continue;
    asked.push(clock.time / minute);
    hold.refused('no');
  }
  expect(asked).toEqual([1, 3, 7, 12, 17, 22, 27]);
  expect(reports).toEqual(['no']);
});

it('one request at a time asks again, and another one follows if that is never answered', () => {
  const { clock, hold } = setUp();
  hold.refused('no');
  clock.time = minute;
  expect(hold.held()).toBeUndefined();
  expect(hold.held()).toEqual({ reason: 'no', retryAfter: 10 * second });
  clock.time += 10 * second;
  expect(hold.held()).toBeUndefined();
});

it('requests that were on their way at the first refusal do not lengthen the pause', () => {
  const { clock, hold } = setUp();
  for (let each = 0; each < 64; each++) expect(hold.refused('no').retryAfter).toBe(minute);
  clock.time = minute;
  expect(hold.held()).toBeUndefined();
});

it('an accepted request lifts the hold, which is reported once', () => {
  const { clock, reports, hold } = setUp();
  hold.accepted();
  hold.refused('no');
  clock.time = minute;
  hold.held();
  hold.accepted();
  hold.accepted();
  expect(hold.held()).toBeUndefined();
  expect(reports).toEqual(['no', 'accepted']);
});
