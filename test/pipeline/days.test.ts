import { expect, it } from 'vitest';
import { DeliveryError, type DeliveryFailure } from '#src/language/errors.ts';
import { plainReader, say } from '#src/language/say.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import { change, receiver, start } from '#test/support/alerts.ts';
import { fakeClock } from '#test/support/clock.ts';
import { subscribed } from '#test/support/own-pipeline.ts';
import { recorder } from '#test/support/pipeline.ts';

/** Runs a pipeline with one subscription, whose wall clock and market can pass days at once. */
async function fixture(respond: Parameters<typeof recorder>[0] = () => {}) {
  const clock = fakeClock(start);
  let ahead = 0;
  const now = () => clock.now() + ahead;
  const { sent, connection } = recorder(respond);
  // A lease outlasts the days that the wall clock jumps: it would end as after a machine's sleep, and is not the subject.
  const f = await subscribed({}, { clock, connection, now, wall: { ...clock, now }, ttl: 365 * day });
  const subscriptions = () => f.store.subscriptions.of(receiver());
  const audit = async () =>
    (await f.store.audit.of(receiver(), 10)).map(({ what }) => say(what, plainReader));
  const pass = async (ms: number) => {
    ahead += ms;
    await clock.advance(1_000);
  };
  return { ...f, sent, now, pass, subscriptions, audit };
}

const failing = (kind: DeliveryFailure['kind'] & ('gone' | 'missing')) => {
  const state = { broken: true, asked: 0 };
  const respond = () => {
    state.asked += 1;
    if (state.broken) throw new DeliveryError({ kind }, '404');
  };
  return { state, respond };
};

it('a place that is not found is tried now and then for three days before its subscriptions end', async () => {
  const { state, respond } = failing('missing');
  const f = await fixture(respond);
  await f.report([change()]);
  for (let n = 0; n < 71; n += 1) await f.pass(hour);
  expect(state.asked).toBeGreaterThan(20);
  expect(state.asked).toBeLessThan(40);
  expect(await f.subscriptions()).toHaveLength(1);
  await f.report([change({ symbol: 'ETHUSDT' })]);
  await f.pass(2 * hour);
  expect(await f.subscriptions()).toEqual([]);
  expect(await f.outcomes()).toContain('failed: 404');
  expect(await f.audit()).toEqual([
    'Subscriptions and alerts here ended: 404',
    'Nothing can be posted here for now: 404',
  ]);
});

it('a place that was not found once and not tried again keeps its subscriptions', async () => {
  const { state, respond } = failing('missing');
  const f = await fixture(respond);
  await f.report([change()]);
  state.broken = false;
  await f.store.prune({ now: f.now(), before: 0, requests: 0, record: 0, wall: f.now() + 90 * day });
  expect(await f.subscriptions()).toHaveLength(1);
});

it('a place that is found again gets all alerts, and three new days if it is lost again', async () => {
  const { state, respond } = failing('missing');
  const f = await fixture(respond);
  await f.report([change()]);
  await f.report([change({ symbol: 'ETHUSDT' })]);
  state.broken = false;
  await f.pass(minute);
  expect(f.sent).toHaveLength(2);
  await f.pass(4 * day);
  state.broken = true;
  await f.report([change({ symbol: 'SOLUSDT' })]);
  await f.pass(2 * day);
  expect(await f.subscriptions()).toHaveLength(1);
});

it('subscriptions end at once if the platform says that the place is gone for good', async () => {
  const { state, respond } = failing('gone');
  const f = await fixture(respond);
  await f.report([change()]);
  expect([state.asked, await f.subscriptions()]).toEqual([1, []]);
});

it('an alert older than retention still gets its end', async () => {
  const f = await fixture();
  await f.report([change(), change({ symbol: 'ETHUSDT' })]);
  const prune = () =>
    f.store.prune({ now: f.now(), before: f.now() - 30 * day, requests: 0, record: 0, wall: 0 });
  await f.pass(40 * day);
  await prune();
  await f.report([change({ status: 'resolved' })]);
  expect(f.sent.slice(2).map(({ act, reference }) => `${act} ${reference}`)).toEqual([
    `edit ${f.sent[0]?.reference}`,
  ]);
  // This holds even if the end can be sent only after its own retention.
  await f.store.sending.pause({ by: 'op', at: start });
  await f.report([change({ symbol: 'ETHUSDT', status: 'resolved' })]);
  await f.pass(40 * day);
  await prune();
  await f.store.sending.resume();
  await f.pass(1_000);
  expect(f.sent.slice(3).map(({ act, reference }) => `${act} ${reference}`)).toEqual([
    `edit ${f.sent[1]?.reference}`,
  ]);
  await f.pass(31 * day);
  await prune();
  expect(await f.store.alerts.recent(5)).toEqual([]);
});
