import { beforeEach, describe, expect, test } from 'vitest';
import { dataBlind } from '#src/alert/alert.ts';
import { kindOfRule, ownRule, type Rule } from '#src/alert/rule.ts';
import { stepBlindness } from '#src/pipeline/blindness.ts';
import { minute } from '#src/runtime/units.ts';
import { receiver, silence, start } from '#test/support/alerts.ts';
import { ownPipeline } from '#test/support/own-pipeline.ts';
import type { PipelineFixture } from '#test/support/pipeline.ts';
import { priced, rule, ruleDetector } from '#test/support/rules.ts';

let f: PipelineFixture;
beforeEach(async () => {
  f = await ownPipeline();
});

const mine = receiver('mine');
const acts = () => f.sent.map(({ act, room, notification }) => `${act} ${room} ${notification.card.status}`);

/**
 * Evaluates rules at these prices, one per minute, and dispatches the resulting changes. A plain number is the price of
 * BTCUSDT. Without rules, one rule of `mine` is used.
 */
async function live(
  prices: readonly (number | Readonly<Record<string, number>>)[],
  ...given: readonly Rule[]
) {
  const rules = given.length === 0 ? [rule({ receiver: mine })] : given;
  const detector = ruleDetector(() => rules);
  const options = detector.options.parse({});
  const signal = new AbortController().signal;
  let now = start;
  for (const price of prices) {
    now += minute;
    const state = detector.state.safeParse(await f.store.detectors.state(detector.name)).data;
    const data = priced(typeof price === 'number' ? { BTCUSDT: price } : price, now);
    const observation = await detector.observe({ data, options, state, symbols: [], now, signal });
    const stepped = detector.step(state, observation, { options, now });
    const { name, groupWait = 0 } = detector;
    await f.pipeline.dispatch({ name, groupWait }, { state: stepped.state, changes: stepped.changes });
    await f.clock.advance(1);
    await f.skip(minute - 1);
  }
}

describe('a person’s own alert', () => {
  test('is sent to the place of its rule without any subscription, and to no other place', async () => {
    await f.subscribe({ receiver: receiver('all') });
    await live([99, 101, 102, 99]);
    expect(acts()).toEqual(['send mine firing', 'edit mine resolved']);
  });

  test('is sent at once even if the place gets everything else in a digest', async () => {
    const digest = { every: 'day', at: '08:00', timeZone: 'UTC' } as const;
    await f.subscribe({ receiver: mine, digest });
    await live([99, 101]);
    expect(acts()).toEqual(['send mine firing']);
  });

  test('can be silenced like any other alert', async () => {
    await f.store.silences.add(silence({ receiver: mine }));
    await live([99, 101]);
    expect(acts()).toEqual([]);
  });

  test('is not sent while its place is resting', async () => {
    await f.store.receivers.suspend([mine], { at: start, wall: start, reason: 'removed' });
    await live([99, 101]);
    expect(acts()).toEqual([]);
  });

  test('is shown as unknown while its detector gets no data, and as known again afterwards', async () => {
    await live([99, 101]);
    const turn = (hasRun: boolean) => {
      const sight = { kind: ownRule, seen: start, hasRun, overdue: !hasRun };
      const { state, changes } = stepBlindness({ blind: hasRun ? { [ownRule]: start } : {} }, [sight], start);
      return f.pipeline.dispatch({ name: dataBlind, groupWait: 0 }, { state, changes });
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

  test('is hidden from everyone else, and is deleted with its place', async () => {
    await live([99, 101]);
    expect(await f.store.alerts.firing()).toEqual([]);
    expect(await f.store.alerts.recent(10)).toEqual([]);
    await f.store.forgetPlace(mine);
    await live([101, 101], rule({ receiver: mine, paused: true }));
    expect(acts()).toEqual(['send mine firing']);
    expect(await f.store.deliveries.latest(10)).toEqual([]);
  });
});

describe('a rule about many symbols', () => {
  const many = rule({ receiver: mine, symbols: ['AUSDT', 'BUSDT', 'CUSDT', 'DUSDT'], name: 'Breakout' });
  const calm = { AUSDT: 99, BUSDT: 99, CUSDT: 99, DUSDT: 99 };
  const high = { ...calm, AUSDT: 101, BUSDT: 130, CUSDT: 110 };
  const cards = () =>
    f.sent.map(({ act, notification: { card } }) => `${act} ${card.title}: ${card.summary}`);
  const rows = () => f.sent.at(-1)?.notification.card.table?.rows.map((row) => row.join(' | '));

  test('makes one post of all symbols that met it in one round, ranked by how far they exceed the level', async () => {
    await live([calm, high], many);
    expect(cards()).toEqual([
      'send 3 alerts: Breakout: Your alert: price above 100. Clears when: price at or below 99.5.',
    ]);
    expect(rows()).toEqual([
      'B price 130.00 | Warning | Firing',
      'C price 110.00 | Warning | Firing',
      'A price 101.00 | Warning | Firing',
    ]);
  });

  test('marks ended symbols in that post by an edit, and posts separately what fires later', async () => {
    await live([calm, high, { ...high, BUSDT: 90, DUSDT: 105 }], many);
    expect(cards().toSorted()).toEqual([
      'edit 3 alerts: Breakout: 2 going on, 1 resolved.\nYour alert: price above 100. Clears when: price at or below 99.5.',
      'send 3 alerts: Breakout: Your alert: price above 100. Clears when: price at or below 99.5.',
      'send D: Breakout: Your alert: price above 100. Clears when: price at or below 99.5.',
    ]);
    const actions = f.sent.find(({ act }) => act === 'edit')?.notification.card.actions ?? [];
    expect(actions.map(({ command }) => command)).toContain('silence own-rule/r1');
  });

  test('sends a single symbol at once, and keeps different rules in separate posts', async () => {
    const other = rule({ ...many, id: 'r2', name: 'Other', condition: 'price.last > 120' });
    await live([calm, high], many, other);
    expect(cards()).toEqual([
      'send B: Other: Your alert: price above 120. Clears when: price at or below 119.4.',
      'send 3 alerts: Breakout: Your alert: price above 100. Clears when: price at or below 99.5.',
    ]);
  });

  test('leaves silenced symbols out of its post', async () => {
    const about = { symbols: ['BUSDT'], kinds: [kindOfRule(many.id)] };
    await f.store.silences.add(silence({ ...about, receiver: mine }));
    await live([calm, high], many);
    expect(cards()[0]).toMatch(/^send 2 alerts/);
    const outcomes = (await f.store.deliveries.recent(mine, 9)).map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual(['sent', 'sent', 'suppressed']);
  });
});

test.each([
  ['all of one’s own', ownRule],
  ['one rule', kindOfRule('r1')],
])('a silence mutes %s', async (_, kind) => {
  await f.store.silences.add(silence({ kinds: [kind], receiver: mine }));
  await live([99, 101], rule({ receiver: mine }), rule({ receiver: mine, id: 'r2', name: 'Loud' }));
  expect(acts()).toEqual(kind === ownRule ? [] : ['send mine firing']);
});
