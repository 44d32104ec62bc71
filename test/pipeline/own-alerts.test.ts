import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dataBlind } from '#src/alert/alert.ts';
import { ownRule } from '#src/alert/rule.ts';
import { stepBlindness } from '#src/pipeline/blindness.ts';
import { ruleDetector } from '#src/rules/detector.ts';
import { minute } from '#src/runtime/units.ts';
import { receiver, start, subscription } from '#test/support/alerts.ts';
import { pipelineFixture } from '#test/support/pipeline.ts';
import { priced, rule } from '#test/support/rules.ts';

let f: Awaited<ReturnType<typeof pipelineFixture>>;
beforeEach(async () => {
  f = await pipelineFixture();
});
afterEach(() => f.close());

const mine = receiver('mine');
const told = () => f.sent.map(({ act, room, notification }) => `${act} ${room} ${notification.card.status}`);

/** Dispatches what a rule of `mine` makes of these prices, a minute each. */
async function live(prices: readonly number[], given = rule({ receiver: mine })) {
  const detector = ruleDetector(() => [given]);
  const options = detector.options.parse({});
  const signal = new AbortController().signal;
  let now = start;
  for (const price of prices) {
    now += minute;
    const state = detector.state.safeParse(await f.store.detectors.state(detector.name)).data;
    const data = priced({ BTCUSDT: price }, now);
    const observation = await detector.observe({ data, options, state, symbols: [], now, signal });
    const stepped = detector.step(state, observation, { options, now });
    await f.pipeline.dispatch({ name: detector.name, groupWait: 0 }, stepped.state, stepped.changes);
    await f.clock.advance(1);
  }
}

describe('an alert of one’s own', () => {
  test('is told where its rule is, without any subscription, and nowhere else', async () => {
    await f.store.subscriptions.add(subscription({ receiver: receiver('all') }));
    await live([99, 101, 102, 99]);
    expect(told()).toEqual(['send mine firing', 'edit mine resolved']);
  });

  test('is told at once where everything else comes in a digest', async () => {
    const digest = { every: 'day', at: '08:00', timeZone: 'UTC' } as const;
    await f.store.subscriptions.add(subscription({ receiver: mine, digest }));
    await live([99, 101]);
    expect(told()).toEqual(['send mine firing']);
  });

  test('is silenced like any other', async () => {
    const silence = { kinds: ['*'], symbols: ['*'], startsAt: 0, endsAt: start * 2, createdBy: 'ada' };
    await f.store.silences.add({ ...silence, receiver: mine });
    await live([99, 101]);
    expect(told()).toEqual([]);
  });

  test('is not told where its place is gone for now', async () => {
    await f.store.receivers.rest([mine], start * 2);
    await live([99, 101]);
    expect(told()).toEqual([]);
  });

  test('is said to be unknown while its detector sees nothing, and no more when it sees again', async () => {
    await live([99, 101]);
    const turn = (sees: boolean) => {
      const sight = { kind: ownRule, seen: start, sees, overdue: !sees };
      const { state, changes } = stepBlindness({ blind: sees ? { [ownRule]: start } : {} }, [sight]);
      return f.pipeline.dispatch({ name: dataBlind, groupWait: 0 }, state, changes);
    };
    const unknown = () =>
      f.sent.map(({ act, notification: { card } }) => [act, /Unknown/.test(card.summary ?? '')]);
    await turn(false);
    await f.clock.advance(minute);
    expect(unknown()).toEqual([
      ['send', false],
      ['edit', true],
    ]);
    await turn(true);
    await f.clock.advance(minute);
    expect(unknown().slice(2)).toEqual([['edit', false]]);
  });

  test('is nobody else’s to see, and is forgotten with its place', async () => {
    await live([99, 101]);
    expect(await f.store.alerts.firing()).toEqual([]);
    expect(await f.store.alerts.recent(10)).toEqual([]);
    await f.store.forgetPlace(mine);
    await live([101, 101], rule({ receiver: mine, paused: true }));
    expect(told()).toEqual(['send mine firing']);
    expect(await f.store.deliveries.latest(10)).toEqual([]);
  });
});
