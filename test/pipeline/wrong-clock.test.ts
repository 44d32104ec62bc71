import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { openHooks } from '#src/app/hooks.ts';
import { DeliveryError } from '#src/language/errors.ts';
import type { Connection } from '#src/platforms/notifier.ts';
import { day, hour, minute, second } from '#src/runtime/units.ts';
import { change, receiver, silence, start } from '#test/support/alerts.ts';
import { keptHook } from '#test/support/hooks.ts';
import { ownPipeline, subscribed } from '#test/support/own-pipeline.ts';
import type { PipelineFixture } from '#test/support/pipeline.ts';
import { rule } from '#test/support/rules.ts';

let f: PipelineFixture;
/** How far the machine's clock is ahead. */
let ahead = 0;
/** Market ms that have passed without the wall clock: hours of it would take a test seconds. */
let passed = 0;
beforeEach(async () => {
  ahead = 0;
  passed = 0;
  f = await ownPipeline({ now: () => now() });
});

const now = () => f.clock.now() + passed + ahead;
const pass = async (ms: number) => {
  passed += ms;
  await f.clock.advance(2 * second);
};
const beat = () => f.store.heartbeat({ market: now(), wall: now() }, minute);
const acts = () => f.sent.map(({ act, room, notification }) => `${act} ${room} ${notification.card.status}`);

describe.each([
  ['an hour', hour],
  ['a day', day],
  ['a century', 36_500 * day],
])('what was accepted by a clock that was %s ahead', (_, by) => {
  it('is sent after the correction, and over a restart', async () => {
    const { hook, secret } = await keptHook(f.store, { receiver: receiver('mine') });
    ahead = by;
    await beat();
    const open = () =>
      openHooks({
        store: f.store,
        universe: () => ['BTCUSDT'],
        now,
        priceOf: () => undefined,
        wall: { ...f.clock, now },
        steady: f.clock,
        log: pino({ level: 'silent' }),
      });
    const hooks = open();
    const making = hooks.start(f.pipeline);
    const bring = (body: string) =>
      hooks.receive({ id: hook.id, secret, headers: {}, body: Buffer.from(body) });
    const body = JSON.stringify([
      { symbol: 'BTCUSDT', alert: 'Breakout' },
      { symbol: 'ETHUSDT', alert: 'Breakout' },
    ]);
    expect((await bring(body)).status).toBe(202);
    await f.clock.advance(1);
    await making.stop();
    ahead = 0;
    await f.clock.advance(5 * second);
    expect(acts()).toEqual([]);
    expect(await beat()).toBe(true);
    await f.clock.advance(second);
    expect(acts()).toEqual(['send mine firing']);

    // Its state was written by the clock that was ahead, too: the alert ends as if it had come now.
    const again = open().start(f.pipeline);
    await pass(2 * second);
    await pass(8 * day);
    await pass(minute);
    expect(acts().at(-1)).toMatch(/ended$/);
    await again.stop();
    expect(await beat()).toBe(false);
  });

  it('waits for the end of the quiet hours that there are now', async () => {
    await f.subscribe({ quietHours: { from: '00:00', to: '08:00', timeZone: 'UTC' } });
    ahead = by + 30 * minute;
    await beat();
    await f.report([change()]);
    ahead = 0;
    await beat();
    await pass(7 * hour);
    expect(acts()).toEqual([]);
    await pass(hour);
    expect(acts()).toEqual(['send a firing']);
  });

  it('leaves people’s silences and rules the time that they were given', async () => {
    ahead = by;
    await beat();
    const at = now();
    await f.store.silences.add(silence({ startsAt: at, endsAt: at + 30 * day }));
    const add = (createdAt: number, expiresAt: number) =>
      f.store.rules.add({ ...rule({ receiver: receiver(), expiresAt }), createdAt });
    const made = await add(at, at + day);
    const before = await add(start, start + hour);
    ahead = 0;
    const revision = await f.store.rules.revision();
    await beat();
    const base = at - by;
    expect(await f.store.silences.of(receiver(), base)).toMatchObject([
      { startsAt: base, endsAt: base + 30 * day },
    ]);
    const rules = (await f.store.rules.of(receiver())).map(({ id, expiresAt }) => [id, expiresAt]);
    expect(Object.fromEntries(rules)).toEqual({ [made.id]: base + day, [before.id]: start + hour });
    // Whoever keeps rules in memory has dropped what had expired, and reads it again.
    expect(await f.store.rules.revision()).toBeGreaterThan(revision);
  });
});

it('a post that may have arrived before the correction is repeated as the same post', async () => {
  const attempts: string[] = [];
  const connection: Connection = {
    async send({ id, version }) {
      attempts.push(`${id} ${version}`);
      if (attempts.length === 1)
        throw new DeliveryError({ kind: 'unavailable', accepted: 'unknown' }, 'reset');
      return 'm1';
    },
  };
  f = await subscribed({}, { now: () => now(), connection });
  ahead = hour;
  await beat();
  await f.report([change()]);
  ahead = 0;
  expect(await beat()).toBe(true);
  await pass(minute);
  expect(attempts).toHaveLength(2);
  expect(attempts[1]).toBe(attempts[0]);
});

it('a digest that was planned by the right clock is not sent early by the correction', async () => {
  await f.subscribe({ digest: { every: 'day', at: '08:00', timeZone: 'UTC' } });
  await f.report([change()]);
  ahead = 3 * hour;
  await beat();
  ahead = 0;
  expect(await beat()).toBe(true);
  await pass(7 * hour);
  expect(acts()).toEqual([]);
  await pass(hour);
  expect(acts()).toHaveLength(1);
});

it('a market that goes back by the delay of an answer at its speed is not based anew', async () => {
  await f.store.heartbeat({ market: start, wall: start, speed: 240 }, minute);
  const later = { market: start - 15 * minute, wall: start + 1, speed: 240 };
  expect(await f.store.heartbeat(later, minute)).toBe(false);
});
