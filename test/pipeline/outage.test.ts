import { describe, expect, it } from 'vitest';
import { DeliveryError } from '#src/language/errors.ts';
import { backoff } from '#src/pipeline/send.ts';
import { createPace } from '#src/runtime/pace.ts';
import { minute, second } from '#src/runtime/units.ts';
import { change, receiver, silence, start } from '#test/support/alerts.ts';
import { fakeClock } from '#test/support/clock.ts';
import { ownPipeline, subscribed } from '#test/support/own-pipeline.ts';
import { type PipelineFixture, recorder } from '#test/support/pipeline.ts';

let f: PipelineFixture;

const unavailable = (accepted: 'no' | 'unknown' = 'no') =>
  new DeliveryError({ kind: 'unavailable', accepted }, '503');

/** Creates a platform that can be switched off; sending to the room `broken` always fails. Records every attempt. */
function switchable() {
  const attempts: { room: string; at: number }[] = [];
  const state = { on: true, broken: '' };
  const { sent, connection } = recorder(({ room }) => {
    attempts.push({ room, at: f.clock.now() });
    if (!state.on || room === state.broken) throw unavailable();
  });
  return { state, sent, connection, attempts };
}

it.each([
  [0, 0, second / 2],
  [0, 1, second],
  [3, 0, 4 * second],
  [3, 0.5, 6 * second],
  [20, 0, 2.5 * minute],
  [20, 1, 5 * minute],
])('after %i attempts, half of the wait for the next is random: %d makes %i ms', (attempts, random, wait) => {
  expect(backoff(attempts, () => random)).toBe(wait);
});

const subscribe = async (rooms: number) => {
  for (let n = 0; n < rooms; n++) {
    await f.subscribe({ receiver: receiver(n), kinds: [`kind ${n % 2}`, 'all'] });
  }
};

describe('after an outage', () => {
  it.each([30 * second, 10 * minute])(
    'of %i ms the first success releases all held messages of the platform',
    async (lasted) => {
      const { state, sent, connection, attempts } = switchable();
      f = await ownPipeline({ connection, expireAfter: 24 * 60 * minute });
      await subscribe(40);
      state.on = false;
      await f.report([change({ kind: 'all' })]);
      await f.clock.advance(lasted);
      expect(attempts.length).toBeLessThan(40 + lasted / second);
      state.on = true;
      await f.clock.advance(3 * second);
      expect(new Set(sent.map(({ room }) => room)).size).toBe(40);
      expect(sent).toHaveLength(40);
    },
  );

  it('an update of an old alert has waited since it was made', async () => {
    const { state, connection } = switchable();
    f = await ownPipeline({ connection });
    await subscribe(1);
    await f.report([change({ kind: 'all' })]);
    await f.skip(60 * minute);
    state.on = false;
    const made = f.clock.now();
    await f.report([change({ kind: 'all', status: 'updated', severity: 'critical' })]);
    await f.clock.advance(minute);
    expect((await f.store.outbox.backlog()).oldest).toBeGreaterThanOrEqual(made);
    expect((await f.store.outbox.backlog()).waiting).toBe(1);
  });

  it('this holds even with a single place', async () => {
    const { state, sent, connection } = switchable();
    f = await ownPipeline({ connection });
    await subscribe(1);
    state.on = false;
    await f.report([change({ kind: 'all' })]);
    await f.clock.advance(10 * minute);
    state.on = true;
    await f.clock.advance(3 * second);
    expect(sent).toHaveLength(1);
  });

  it('one message at a time tests during an outage whether it is over', async () => {
    const { state, connection, attempts } = switchable();
    f = await ownPipeline({ connection });
    await subscribe(40);
    state.on = false;
    await f.report([change({ kind: 'all' })]);
    await f.clock.advance(10 * second);
    const before = attempts.length;
    await f.clock.advance(20 * second);
    const later = attempts.slice(before).map(({ at }) => at);
    expect(later.length).toBeGreaterThan(5);
    expect(later.length).toBeLessThanOrEqual(11);
  });

  it('a chat that responded with 429 still gets its whole waiting time', async () => {
    let out = true;
    const { sent, connection } = recorder(({ room }) => {
      if (room === '0' && sent.length === 0)
        throw new DeliveryError({ kind: 'rate_limited', retryAfter: minute }, '429');
      if (out) throw unavailable();
    });
    f = await ownPipeline({ connection });
    await subscribe(10);
    await f.report([change({ kind: 'all' })]);
    await f.clock.advance(20 * second);
    out = false;
    await f.clock.advance(5 * second);
    expect(sent).toHaveLength(9);
    await f.clock.advance(minute);
    expect(sent).toHaveLength(10);
  });

  it('a chat that fails alone is tried ever more rarely, even if others succeed', async () => {
    const { state, connection, attempts } = switchable();
    f = await ownPipeline({ connection });
    await subscribe(6);
    state.broken = '0';
    await f.report([change({ kind: 'all' })]);
    for (let n = 0; n < 60; n++) {
      await f.report([change({ kind: 'kind 1', symbol: `S${n}USDT` })]);
      await f.clock.advance(10 * second);
    }
    expect(attempts.filter(({ room }) => room === '0').length).toBeLessThan(15);
  });
});

describe('alerts that ended during the outage', () => {
  const symbols = Array.from({ length: 38 }, (_, n) => `S${n}USDT`);
  const happened = async () => {
    const { state, sent, connection } = switchable();
    f = await subscribed({ receiver: receiver(0) }, { connection });
    await f.subscribe({ receiver: receiver(1), symbols: ['S1USDT'] });
    state.on = false;
    await f.report(symbols.map((symbol) => change({ symbol, severity: 'critical' })));
    await f.report(['GOES', 'ON'].map((symbol) => change({ symbol })));
    await f.clock.advance(minute);
    await f.report(symbols.map((symbol) => change({ symbol, severity: 'critical', status: 'resolved' })));
    await f.clock.advance(minute);
    state.on = true;
    await f.clock.advance(10 * second);
    return sent.filter(({ room }) => room === '0').map(({ notification }) => notification);
  };

  it('come as one silent digest per place; alerts that still fire come separately', async () => {
    const posts = await happened();
    const digest = posts.filter(({ card }) => /38 alerts began and ended/.test(card.title));
    expect(digest.map(({ card, loud }) => [card.table?.rows.length, loud])).toEqual([[38, false]]);
    const others = posts.filter((each) => !digest.includes(each)).map(({ card }) => card.title);
    expect(others.sort()).toEqual(['GOES funding-extreme', 'ON funding-extreme']);
  });

  it('are all in the log, and a single one is sent as a normal post', async () => {
    await happened();
    const deliveries = await f.store.deliveries.recent(receiver(0), 200);
    const symbolsSent = new Set(
      deliveries.flatMap(({ alert, outcome }) => (outcome === 'sent' ? (alert?.labels.symbol ?? []) : [])),
    );
    expect(symbolsSent.size).toBe(40);
    expect(await f.store.deliveries.waiting(receiver(0), 5)).toEqual([]);
    expect((await f.store.deliveries.recent(receiver(1), 5)).map(({ outcome }) => outcome)).toContain('sent');
  });

  it('are left out if their beginning was suppressed', async () => {
    const { state, sent, connection } = switchable();
    f = await subscribed({ receiver: receiver(0) }, { connection });
    await f.store.silences.add(silence({ receiver: receiver(0), endsAt: start + 1 }));
    await f.report(symbols.slice(0, 3).map((symbol) => change({ symbol })));
    await f.clock.advance(minute);
    state.on = false;
    await f.report([change({ symbol: 'HELD' })]);
    await f.report([...symbols.slice(0, 3), 'HELD'].map((symbol) => change({ symbol, status: 'resolved' })));
    state.on = true;
    await f.clock.advance(10 * second);
    expect(sent.map(({ notification: { card } }) => card.table?.rows ?? card.title)).toEqual([
      [['HELD funding-extreme', 'Warning', expect.anything()]],
    ]);
  });

  it('are looked for under the same post id if the digest may have been posted', async () => {
    const ids = new Set<string>();
    let answers = 0;
    const { connection } = recorder(({ notification }) => {
      if (/began and ended/.test(notification.card.title))
        ids.add(`${notification.id} ${notification.doubt}`);
      answers += 1;
      if (answers < 6) throw unavailable(answers > 3 ? 'unknown' : 'no');
    });
    f = await subscribed({ receiver: receiver(0) }, { connection });
    await f.report([change()]);
    await f.report(['A', 'B', 'C'].map((symbol) => change({ symbol })));
    await f.report(['BTCUSDT', 'A', 'B', 'C'].map((symbol) => change({ symbol, status: 'resolved' })));
    await f.clock.advance(minute);
    const posts = new Set([...ids].map((each) => each.split(' ')[0]));
    expect(posts.size).toBe(1);
    expect([...ids].some((each) => each.endsWith('true'))).toBe(true);
  });
});

it('only messages that had begun to be sent are doubtful', async () => {
  const answered = Promise.withResolvers<void>();
  const { connection } = recorder(() => answered.promise);
  const pace = createPace({ total: { per: minute, max: 2 } }, fakeClock(start));
  f = await ownPipeline({ outlets: [{ name: 'web', connection, concurrency: 64, pace }] });
  await subscribe(40);
  await f.report([change({ kind: 'all' })]);
  await f.clock.advance(second);
  // What a bot that starts after a kill would find.
  expect(await f.store.outbox.recover('web')).toEqual({ begun: 2 });
  answered.resolve();
});
