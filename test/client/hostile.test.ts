import { describe, expect, test } from 'vitest';
import type { Asker } from '#src/client/request-budget.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { minute, second } from '#src/runtime/units.ts';
import { clientOf, json, serve, testWall } from './service.ts';

const momentum = {
  symbol: 'X',
  data: [],
  dataPoints: 0,
  avgRatePct: 0,
  maxAcceleration: 0,
  signal: 'STABLE',
};
const limits = { limit: 300, reserve: 60, window: 15 * minute };
const guaranteed = limits.limit - limits.reserve;
const impatient = { attempt: 9_999, patience: 0 };

/** Returns a query that was not made before, so that no cache answers it. */
let asked = 0;
const anew = () => {
  asked += 1;
  return { symbol: `C${asked}USDT` };
};

/** How a request ended: answered, or the reason why not. */
const outcome = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => 'answered',
    (error) => (error instanceof ApiError ? error.reason : Promise.reject(error)),
  );

/** Sends one request after another until one is refused. Returns how many were answered. */
async function asMuchAsAllowed(ask: () => Promise<unknown>): Promise<number> {
  let answered = 0;
  while ((await outcome(ask())) === 'answered') answered += 1;
  return answered;
}

const attacks: readonly (readonly [string, readonly Asker[]])[] = [
  ['one person in a private chat', [{ chat: 'eve', person: 'eve' }]],
  ['one person in 30 groups', Array.from({ length: 30 }, (_, n) => ({ chat: `group ${n}`, person: 'eve' }))],
  ['30 people in one group', Array.from({ length: 30 }, (_, n) => ({ chat: 'group', person: `eve ${n}` }))],
  ['a place that tells nobody apart', [{ chat: 'console' }]],
];

describe.each(attacks)('%s, asking as fast as possible', (_, attackers) => {
  test('deprives no detector of data and leaves room for others, in every window', async () => {
    const { baseUrl } = await serve(json(momentum));
    const wall = testWall();
    const { polls, questions } = clientOf(baseUrl, { wall, budget: limits, timeouts: impatient });
    const bob = questions({ chat: 'bob', person: 'bob' });
    const every = limits.window / guaranteed;
    for (let polled = 0; polled * every < 3 * limits.window; polled += 1) {
      expect(await outcome(polls.oiMomentum(anew()))).toBe('answered');
      if (polled % 8 === 0) {
        for (const attacker of attackers) await asMuchAsAllowed(() => questions(attacker).oiMomentum(anew()));
      }
      if (polled % 32 === 1) expect(await outcome(bob.oiMomentum(anew()))).toBe('answered');
      wall.advance(every);
    }
  });
});

describe('a user who has asked too much', () => {
  test('is told so and when to try again, and then gets answers', async () => {
    const { baseUrl } = await serve(json(momentum));
    const wall = testWall();
    const { questions, feeds } = clientOf(baseUrl, { wall, budget: limits, timeouts: impatient });
    const eve = questions({ chat: 'eve', person: 'eve' });
    for (let n = 0; n < 15; n += 1) {
      await eve.oiMomentum(anew());
      wall.advance(second);
    }
    expect(await asMuchAsAllowed(() => eve.oiMomentum(anew()))).toBe(15);
    const refused = { reason: 'share_spent', retryAfter: limits.window - 15 * second };
    await expect(eve.oiMomentum(anew())).rejects.toMatchObject(refused);
    expect(feeds().every(({ problem }) => problem === undefined)).toBe(true);
    wall.advance(refused.retryAfter);
    expect(await outcome(eve.oiMomentum(anew()))).toBe('answered');
  });

  test('still gets cached responses, however old within the window', async () => {
    const { baseUrl } = await serve(json(momentum));
    const wall = testWall();
    const { polls, questions } = clientOf(baseUrl, { wall, budget: limits, timeouts: impatient });
    const eve = questions({ chat: 'eve', person: 'eve' });
    const known = anew();
    await polls.oiMomentum(known);
    await asMuchAsAllowed(() => eve.oiMomentum(anew()));
    expect(await outcome(eve.oiMomentum(known))).toBe('answered');
    wall.advance(10 * minute);
    expect(await outcome(eve.oiMomentum(known))).toBe('answered');
  });

  test('does not affect a detector that asks the same at the same time, nor anyone else', async () => {
    const { baseUrl } = await serve(json(momentum));
    const { polls, questions } = clientOf(baseUrl, { budget: limits, timeouts: impatient });
    const [eve, bob] = ['eve', 'bob'].map((person) => questions({ chat: person, person }));
    if (eve === undefined || bob === undefined) throw new Error('nobody');
    await asMuchAsAllowed(() => eve.oiMomentum(anew()));
    for (const other of [polls, bob]) {
      const same = anew();
      expect(await Promise.all([eve.oiMomentum(same), other.oiMomentum(same)].map(outcome))).toEqual([
        'answered',
        'answered',
      ]);
    }
  });
});

test('has half of the people’s reserve if alone, and a third if there are two', async () => {
  const { baseUrl } = await serve(json(momentum));
  const counts = async (askers: number) => {
    const { questions } = clientOf(baseUrl, { budget: limits, timeouts: impatient });
    const answered = Array.from({ length: askers }, () => 0);
    for (let round = 0; round < limits.reserve; round += 1) {
      for (const [n] of answered.entries()) {
        const answer = questions({ chat: `${n}`, person: `${n}` }).oiMomentum(anew());
        if ((await outcome(answer)) === 'answered') answered[n] = (answered[n] ?? 0) + 1;
      }
    }
    return answered;
  };
  expect(await counts(1)).toEqual([30]);
  expect(await counts(2)).toEqual([20, 20]);
  expect(await counts(3)).toEqual([15, 15, 15]);
});
