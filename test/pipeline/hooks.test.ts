import { pino } from 'pino';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Hook } from '#src/alert/hook.ts';
import { openHooks } from '#src/app/hooks.ts';
import { plainReader, say } from '#src/language/say.ts';
import { makeHookCalls } from '#src/places/calls.ts';
import { maxOpenCalls } from '#src/places/limits.ts';
import { day, hour, second } from '#src/runtime/units.ts';
import { receiver, silence, start } from '#test/support/alerts.ts';
import { keptHook } from '#test/support/hooks.ts';
import { ownPipeline } from '#test/support/own-pipeline.ts';
import type { PipelineFixture } from '#test/support/pipeline.ts';

let f: PipelineFixture;
let ahead = 0;
beforeEach(async () => {
  ahead = 0;
  f = await ownPipeline();
});

const mine = receiver('mine');
const acts = () => f.sent.map(({ act, room, notification }) => `${act} ${room} ${notification.card.status}`);

/** Opens the hooks as one process does. */
const opened = (given: Partial<Parameters<typeof openHooks>[0]> = {}) =>
  openHooks({
    store: f.store,
    universe: () => ['BTCUSDT', 'ETHUSDT'],
    priceOf: () => undefined,
    now: () => f.clock.now() + ahead,
    wall: f.clock,
    steady: f.clock,
    log: pino({ level: 'silent' }),
    ...given,
  });

/** Makes alerts of what was received, until the test has finished. */
function make(hooks = opened()) {
  const making = hooks.start(f.pipeline);
  onTestFinished(() => making.stop());
  return making;
}

/** Makes a hook and a process that receives by it. */
async function received(over: Partial<Hook> = {}, given: Parameters<typeof opened>[0] = {}) {
  const { hook, secret } = await keptHook(f.store, { receiver: mine, ...over });
  const hooks = opened(given);
  const bring = (body: string) =>
    hooks.receive({ id: hook.id, secret, headers: {}, body: Buffer.from(body) });
  return { hook, hooks, bring };
}

/** The same, with a process that makes alerts of what it receives. */
async function brought(...given: Parameters<typeof received>) {
  const { hooks, ...rest } = await received(...given);
  make(hooks);
  return rest;
}

const pass = async (ms: number) => {
  await f.clock.advance(ms);
  await f.clock.advance(second);
};

describe('an alert received by a hook', () => {
  it('is sent to the hook’s place without any subscription, and to no other place', async () => {
    await f.subscribe({ receiver: receiver('all') });
    const { bring } = await brought();
    expect((await bring('{"symbol":"BTCUSDT","alert":"Breakout"}')).status).toBe(202);
    await pass(second);
    expect(acts()).toEqual(['send mine firing']);
    await bring('{"symbol":"BTCUSDT","alert":"Breakout","status":"resolved"}');
    await pass(second);
    expect(acts()).toEqual(['send mine firing', 'edit mine resolved']);
  });

  it('makes one alert and one post of ten equal messages, at once or with different timestamps', async () => {
    const { bring } = await brought();
    for (let n = 0; n < 10; n += 1) await bring('BTCUSDT Crossing 65,000.00');
    await pass(second);
    expect(acts()).toEqual(['send mine firing']);
    // The same message, with a different time in each copy.
    for (let n = 0; n < 9; n += 1) {
      await bring(`{"symbol":"BTCUSDT","alert":"Crossing","timenow":${n}}`);
      await pass(second);
    }
    expect(acts().filter((act) => act.startsWith('send'))).toHaveLength(2);
    const alerts = await f.store.deliveries.recent(mine, 100);
    expect(new Set(alerts.map(({ alertId }) => alertId)).size).toBe(2);
  });

  it('can be silenced by its kind, and the delivery log says so', async () => {
    const { hook, bring } = await brought();
    await f.store.silences.add(silence({ kinds: [`hook/${hook.id}`], receiver: mine }));
    await bring('BTCUSDT up');
    await pass(second);
    expect(acts()).toEqual([]);
    const [row] = await f.store.deliveries.recent(mine, 1);
    expect(row).toMatchObject({ outcome: 'suppressed', reason: { code: 'silenced' } });
  });

  it('shares one post with the other alerts of the same request body', async () => {
    const { bring } = await brought();
    await bring('[{"symbol":"BTCUSDT","alert":"Breakout"},{"symbol":"ETHUSDT","alert":"Breakout"}]');
    await pass(2 * second);
    expect(acts()).toEqual(['send mine firing']);
    const { card } = f.sent[0]?.notification ?? {};
    expect([card?.title, card?.table?.rows.map(([row]) => row).toSorted()]).toEqual([
      '2 alerts: breakouts',
      ['BTC: Breakout', 'ETH: Breakout'],
    ]);
  });

  it('of a storm of 201 in one body is in the chat, and so is how many its sender had cut', async () => {
    const { bring } = await brought();
    const alerts = Array.from({ length: 201 }, (_, n) => ({ labels: { alertname: `A${n}` } }));
    await bring(JSON.stringify({ version: '4', alerts, truncatedAlerts: 450 }));
    await pass(2 * second);
    expect(acts()).toEqual(['send mine firing']);
    const { card } = f.sent[0]?.notification ?? {};
    expect(new Set(card?.table?.rows.map(([row]) => row)).size).toBe(201);
    expect(card?.facts).toContainEqual({ name: 'Not shown', value: 'and 450 more' });
  });

  it('tells that messages were refused, and ends by itself', async () => {
    const { bring } = await brought();
    expect((await bring('{"a":')).status).toBe(400);
    await pass(second);
    expect(f.sent.map(({ notification: { card } }) => card.title)).toEqual([
      'breakouts: messages were refused',
    ]);
    expect(f.sent[0]?.notification.card.summary).toMatch(/could not be read.*\n.*hook show \w+ shows/);
  });

  it('is not sent while its place is resting', async () => {
    const { bring } = await brought();
    await f.store.receivers.suspend([mine], { at: start, wall: start, reason: 'removed' });
    await bring('BTCUSDT up');
    await pass(second);
    expect(acts()).toEqual([]);
  });

  it('counts for the record, with the stated direction, if it names a market', async () => {
    const { hook, bring } = await brought();
    await bring('{"symbol":"BTCUSDT","side":"sell"}');
    await bring('{"alert":"disk full"}');
    await pass(second);
    const due = await f.store.outcomes.due('', { now: start + day, limit: 10 });
    expect(due.map(({ symbol }) => symbol)).toEqual(['BTCUSDT']);
    expect(await f.store.outcomes.posted('', { kind: `hook/${hook.id}` })).toMatchObject([
      { prediction: 'down' },
    ]);
    expect((await f.store.outcomes.posted('')).map(({ kind }) => kind)).toEqual([`hook/${hook.id}`]);
  });
});

describe('a hook that makes calls', () => {
  const enter = (ticker: string, side: string) =>
    JSON.stringify({ ticker: `BINANCE:${ticker}.P`, action: `enter_${side}` });
  const made = async () =>
    (await f.store.calls.of(mine)).map(({ symbol, side, horizon, createdBy, name, at }) =>
      [symbol, side, horizon / hour, createdBy, name, at - start].join(' '),
    );

  it('calls where its entries say, as its own caller, once each', async () => {
    const { hook, bring } = await brought({ calls: 4 * hour });
    await bring(enter('BTCUSDT', 'long'));
    await bring(enter('BTCUSDT', 'long'));
    await bring('{"ticker":"BINANCE:BTCUSDT.P","action":"exit_long"}');
    await bring(enter('ETHUSDT', 'short'));
    await bring('{"alert":"disk full"}');
    await pass(second);
    expect(await made()).toEqual([
      `BTCUSDT long 4 hook/${hook.id} breakouts 0`,
      `ETHUSDT short 4 hook/${hook.id} breakouts 0`,
    ]);
  });

  it('has one open call per market, whatever it posts', async () => {
    const { bring } = await brought({ calls: hour });
    for (const side of ['long', 'short', 'long']) {
      await bring(enter('BTCUSDT', side));
      await pass(second);
    }
    expect((await made()).map((each) => each.split(' ')[1])).toEqual(['long']);
    ahead = 2 * hour;
    await bring(enter('BTCUSDT', 'short'));
    await pass(second);
    expect((await made()).map((each) => each.split(' ')[1])).toEqual(['long', 'short']);
  });

  it('has as many open calls as a person may have', async () => {
    const symbols = Array.from({ length: maxOpenCalls + 2 }, (_, n) => `C${n}USDT`);
    const { hook, bring } = await brought({ calls: day }, { universe: () => symbols });
    await bring(JSON.stringify(symbols.map((symbol) => ({ symbol, side: 'buy' }))));
    await pass(second);
    expect(await made()).toHaveLength(maxOpenCalls);
    // Those of another caller are not counted.
    const entry = { hook: hook.id, symbol: 'ETHUSDT', side: 'long', at: start } as const;
    const other = await keptHook(f.store, { receiver: mine, name: 'other', calls: day });
    await f.store.dispatch((unit) => makeHookCalls([{ ...entry, hook: other.hook.id }, entry], unit));
    expect(await made()).toHaveLength(maxOpenCalls + 1);
  });

  it('makes none while it is set to make none, and none after it was deleted; those it made stay', async () => {
    const { hook, bring } = await brought({ calls: day });
    await bring(enter('BTCUSDT', 'long'));
    await pass(second);
    await f.store.hooks.update({ ...hook, calls: null });
    await bring(enter('ETHUSDT', 'long'));
    await pass(second);
    await f.store.hooks.remove(hook.id, mine);
    const entry = { hook: hook.id, symbol: 'ETHUSDT', side: 'long', at: start } as const;
    await f.store.dispatch((unit) => makeHookCalls([entry], unit));
    expect(await made()).toEqual([`BTCUSDT long 24 hook/${hook.id} breakouts 0`]);
  });

  it.each([
    ['before anything is stored', false],
    ['after the alert and the call are stored', true],
  ])('makes each call once, though the process is killed %s', async (_, isStored) => {
    const { hooks, bring } = await received({ calls: day });
    await bring(enter('BTCUSDT', 'long'));
    const first = hooks.start({
      async dispatch(detector, given) {
        if (isStored) await f.pipeline.dispatch(detector, given);
        throw new Error('killed');
      },
    });
    await pass(second);
    await first.stop();
    expect(await made()).toHaveLength(isStored ? 1 : 0);
    make();
    await pass(3 * second);
    expect(await made()).toHaveLength(1);
    expect(await f.store.deliveries.recent(mine, 10)).toHaveLength(1);
  });
});

describe('a process that is killed', () => {
  it('after it accepted a message loses nothing: the next process makes the alert', async () => {
    const { bring } = await received();
    expect((await bring('BTCUSDT up')).status).toBe(202);
    make();
    await pass(second);
    expect(acts()).toEqual(['send mine firing']);
  });

  it('between storing an alert and marking its message as handled makes no second alert', async () => {
    const finish = () => Promise.reject(new Error('killed'));
    const { hooks, bring } = await received(
      {},
      { store: { ...f.store, inbox: { ...f.store.inbox, finish } } },
    );
    // The process dies while it marks the message as handled.
    await bring('BTCUSDT up');
    const first = hooks.start({
      async dispatch(detector, given) {
        await f.pipeline.dispatch(detector, given);
        throw new Error('killed');
      },
    });
    await pass(second);
    await first.stop();
    make();
    await pass(3 * second);
    expect(await f.store.inbox.waiting(10)).toEqual([]);
    const rows = await f.store.deliveries.recent(mine, 10);
    expect(rows.map(({ outcome, title }) => [outcome, say(title, plainReader)])).toEqual([
      ['sent', 'BTCUSDT up'],
    ]);
  });

  it('leaves behind an alert that the next process ends on time', async () => {
    const { hooks, bring } = await received();
    const making = make(hooks);
    await bring('BTCUSDT up');
    await pass(second);
    await making.stop();
    ahead = hour;
    await f.skip(hour);
    make();
    await pass(second);
    expect(acts()).toEqual(['send mine firing', 'edit mine ended']);
  });
});
