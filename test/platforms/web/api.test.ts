import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { request } from 'undici';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Receiver } from '#src/alert/subscription.ts';
import { createAlertFeed } from '#src/app/console/alert-feed.ts';
import { createApiData } from '#src/app/console/api-data.ts';
import { openDatabase } from '#src/database/open.ts';
import { type ApiKeys, apiItems } from '#src/platforms/web/ports/api.ts';
import { marketClock } from '#src/runtime/clock.ts';
import { Secret } from '#src/runtime/secret.ts';
import { hour } from '#src/runtime/units.ts';
import type { CommandContext } from '#src/shell/command.ts';
import { migrations } from '#src/store/migrations.ts';
import { openStore } from '#src/store/open.ts';
import { receiverColumns } from '#src/store/rows.ts';
import type { Tables } from '#src/store/tables.ts';
import { firing } from '#test/support/alerts.ts';
import { commandContext, commands } from '#test/support/commands.ts';
import { startConsole } from '#test/support/console.ts';
import { now } from '#test/support/data.ts';
import { ownFolder } from '#test/support/folder.ts';
import { claimsOf, enqueued } from '#test/support/posting.ts';

const started = new AsyncDisposableStack();
afterAll(() => started.disposeAsync());

const here: Receiver = { notifier: 'webhook', address: { url: 'https://example.com/secret-path' } };
const there: Receiver = { notifier: 'web', address: { room: 'main' } };
const keys: ApiKeys = {
  async findHolder(text) {
    const name = text.split('_')[1] ?? '';
    const scopes = new Set(name === 'all' ? ['read', 'ask', 'manage'] : [name]);
    return ['all', 'read', 'ask', 'manage'].includes(name)
      ? { id: name, name, receiver: here, scopes }
      : undefined;
  },
};

/**
 * Starts the console over a real store and the real commands.
 * @param meanwhile is done while a command runs
 */
async function start(
  url = 'file::memory:',
  meanwhile: () => Promise<unknown> = async () => {},
  over: Partial<CommandContext> = {},
) {
  const store = started.adopt(await openStore(url), (each) => each.close());
  const score = { sense: 'way', n: 3, days: 2, estimated: 0 } as const;
  const records = { scores: async () => [{ kind: 'funding-extreme', horizon: 4 * hour, ...score }] };
  const clock = marketClock({ now: () => 0 }, { market: now, wall: 0, speed: 1 });
  const console = await startConsole({
    commands,
    keys,
    token: new Secret('a-token-of-the-console'),
    api: createApiData({
      store,
      records,
      now: () => now,
      async contextOf(caller) {
        await meanwhile();
        return commandContext({ caller, store, ...over });
      },
    }),
    feed: createAlertFeed({
      log: store.log,
      clock: () => clock,
      source: () => 'simulated',
      shown: (each) => each,
      afterOf: async () => undefined,
    }),
  });
  started.defer(() => console.close());
  const send = async (
    line: string,
    { key = 'all', ...body }: { readonly key?: string | null } & Record<string, unknown> = {},
  ) => {
    const [method = '', path = ''] = line.split(' ');
    const changes = method === 'POST' || method === 'PATCH';
    const answer = await request(`${console.url}/api/v1${path}`, {
      method: method as 'GET',
      headers: {
        ...(key !== null && { 'x-api-key': `tocsinbot_${key}` }),
        ...(changes && { 'content-type': 'application/json' }),
      },
      ...(changes && { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    expect(text).not.toMatch(/secret-path|tocsinbot_/);
    return { status: answer.statusCode, body: JSON.parse(text) };
  };
  return { store, send, url: console.url };
}

let kept: ReturnType<typeof start> | undefined;
/** Returns one console shared by all tests that change nothing. */
const shared = () => {
  kept ??= start();
  return kept;
};

/** Reads all pages of a list by their cursors. */
async function pages(send: Awaited<ReturnType<typeof start>>['send'], path: string) {
  const data: { readonly id: string }[][] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await send(`GET ${path}${cursor}`);
    expect(status).toBe(200);
    data.push(body.data);
    if (body.next === null) return data;
    cursor = `${path.includes('?') ? '&' : '?'}cursor=${body.next}`;
  }
}

describe('the HTTP API of the bot', () => {
  it('subscriptions are created, changed and ended by the commands, at the key’s place', async () => {
    const { send, store } = await start();
    const made = await send('POST /subscriptions', {
      kinds: ['funding-extreme'],
      symbols: 'btc,eth',
      severity: 'critical',
    });
    expect(made).toMatchObject({ status: 200, body: { title: 'Subscribed' } });
    const [one] = z.array(apiItems.subscription).parse(made.body.data);
    expect(one).toMatchObject({
      kinds: ['funding-extreme'],
      symbols: ['BTCUSDT', 'ETHUSDT'],
      minSeverity: 'critical',
    });
    expect((await send('GET /subscriptions')).body).toEqual({ data: [one], next: null });

    const changed = await send(`PATCH /subscriptions/${one?.id}`, { paused: true });
    expect(changed.body.data).toEqual([{ ...one, paused: true }]);
    expect((await send(`DELETE /subscriptions/${one?.id}`)).body.data).toEqual([]);
    expect((await send('GET /subscriptions')).body).toEqual({ data: [], next: null });
    expect(await store.audit.of(here, 9)).toHaveLength(3);
    expect(await store.audit.of(there, 9)).toEqual([]);
  });

  it('rules are created, changed, paused, resumed and ended', async () => {
    const { send } = await start();
    const made = await send('POST /rules', {
      metric: 'funding.z',
      above: 2.5,
      symbols: ['BTCUSDT'],
      for: '10m',
      name: 'Dear',
    });
    const [one] = z.array(apiItems.rule).parse(made.body.data);
    expect(one).toMatchObject({ name: 'Dear', hold: 600, symbols: ['BTCUSDT'], paused: false });
    const id = one?.id;
    expect((await send(`PATCH /rules/${id}`, { severity: 'critical' })).body.data).toMatchObject([
      { id, severity: 'critical' },
    ]);
    expect((await send(`POST /rules/${id}/pause`)).body.data).toMatchObject([{ id, paused: true }]);
    expect((await send(`POST /rules/${id}/resume`)).body.data).toMatchObject([{ id, paused: false }]);
    expect((await send(`DELETE /rules/${id}`)).status).toBe(200);
    expect((await send('GET /rules')).body.data).toEqual([]);
  });

  it('silences are created and ended', async () => {
    const { send } = await start();
    const made = await send('POST /silences', { kind: 'funding-extreme', symbol: 'btc', for: '4h' });
    const [one] = z.array(apiItems.silence).parse(made.body.data);
    expect(one).toMatchObject({ kinds: ['funding-extreme'], symbols: ['BTCUSDT'] });
    expect((await send('GET /silences')).body.data).toEqual([one]);
    expect((await send(`DELETE /silences/${one?.id}`)).status).toBe(200);
    expect((await send('GET /silences')).body.data).toEqual([]);
  });

  it('a change returns only what it has changed itself, whatever else is changed at the same time', async () => {
    const elsewhere: (() => Promise<unknown>)[] = [];
    const { send, store } = await start(undefined, async () => {
      await elsewhere.shift()?.();
      // Long enough for the other requests to arrive.
      for (let turn = 0; turn < 50; turn += 1) await setImmediate();
    });
    const kinds = ['funding-extreme', 'oi-momentum', 'data-quality', 'liquidation-burst'];
    const made = await Promise.all(kinds.map((each) => send('POST /subscriptions', { kinds: [each] })));
    expect(made.map(({ body }) => body.data.map((each: { kinds: string[] }) => each.kinds))).toEqual(
      kinds.map((each) => [[each]]),
    );
    const [{ id }, { id: other }] = made.map(({ body }) => body.data[0]) as [{ id: string }, { id: string }];
    elsewhere.push(async () => {
      const found = (await store.subscriptions.of(here)).find((each) => each.id === other);
      if (found !== undefined) await store.subscriptions.update({ ...found, paused: true });
    });
    const changed = await send(`PATCH /subscriptions/${id}`, { severity: 'critical' });
    expect(changed.body.data).toMatchObject([{ id, minSeverity: 'critical' }]);
    expect((await send('GET /subscriptions')).body.data).toContainEqual(
      expect.objectContaining({ id: other, paused: true }),
    );
  });

  it('an invalid request is refused with a helpful error, and changes nothing', async () => {
    const { send } = await start();
    expect(await send('POST /subscriptions', { kinds: 'fundingg' })).toMatchObject({
      status: 400,
      body: { error: 'Unknown kind of alert "fundingg"\nDid you mean funding?' },
    });
    expect(await send('POST /rules', { metric: 'nothing.z', above: 1 })).toMatchObject({ status: 400 });
    expect(await send('POST /subscriptions', { colour: 'red' })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('colour') },
    });
    expect(await send('POST /rules/r1/pause', { for: '4h' })).toEqual({
      status: 400,
      body: { error: 'There is no input "for"\nPOST /rules/{id}/pause takes no input.' },
    });
    for (const list of ['subscriptions', 'rules']) expect((await send(`GET /${list}`)).body.data).toEqual([]);
  });

  it('another place’s things do not exist for a key', async () => {
    const { send, store } = await start();
    const made = await send('POST /silences', { for: '4h' });
    const { id } = made.body.data[0];
    const { id: theirs } = await store.subscriptions.add({
      receiver: there,
      kinds: ['*'],
      symbols: ['*'],
      minSeverity: 'info',
      quietHours: null,
      digest: null,
      mention: null,
      paused: false,
      createdBy: 'ada',
      createdAt: 1,
    });
    expect((await send('GET /subscriptions')).body.data).toEqual([]);
    for (const line of [
      `PATCH /subscriptions/${theirs}`,
      `DELETE /subscriptions/${theirs}`,
      'DELETE /rules/all',
    ])
      expect(await send(line)).toMatchObject({ status: 404, body: { error: expect.any(String) } });
    expect(await store.subscriptions.of(there)).toHaveLength(1);
    expect((await send(`DELETE /subscriptions/${id}`)).status).toBe(404);
  });

  it('lists come in pages that contain each row once, even if rows are added meanwhile', async () => {
    const url = `file:${join(await ownFolder(), 'bot.db')}`;
    const { send, store } = await start(url);
    const { db, close } = await openDatabase<Tables>(url, { migrations });
    started.defer(close);
    const delivery = (at: number, to: Receiver) => ({
      ...receiverColumns(to),
      at,
      alert_id: `a-${at}`,
      revision: 1,
      title: JSON.stringify('It begins'),
      outcome: 'sent',
      reason: null,
    });
    for (const at of [1, 2, 2, 2, 3]) await db.insertInto('delivery').values(delivery(at, here)).execute();
    await db.insertInto('delivery').values(delivery(4, there)).execute();
    const deliveries = await pages(send, '/deliveries?limit=2');
    expect(deliveries.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(
      z
        .array(apiItems.delivery)
        .parse(deliveries.flat())
        .map(({ alertId }) => alertId),
    ).toEqual(['a-3', 'a-2', 'a-2', 'a-2', 'a-1']);
    expect(new Set(deliveries.flat().map(({ id }) => id)).size).toBe(5);

    await store.dispatch(async (unit) => {
      for (const symbol of ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'])
        await unit.save({ alert: firing({ symbol }, now), group: symbol, due: now, heldBy: null });
    });
    const alerts = await pages(send, '/alerts?limit=2');
    expect(alerts.map(({ length }) => length)).toEqual([2, 1]);
    expect(
      new Set(
        z
          .array(apiItems.alert)
          .parse(alerts.flat())
          .map(({ symbol }) => symbol),
      ).size,
    ).toBe(3);
    expect((await send('GET /alerts?kind=none')).body).toEqual({ data: [], next: null });

    for (const symbol of ['btc', 'eth', 'sol']) await send('POST /silences', { symbol, for: '4h' });
    expect((await pages(send, '/silences?limit=1')).flat().map(({ id }) => id)).toHaveLength(3);
  });

  it('a held alert says why at the key’s own place, and not why at another', async () => {
    const { send, store } = await start();
    const hold = async (to: Receiver, text: string) => {
      const alert = firing({ symbol: text }, now);
      await enqueued(store, alert, to);
      const [claim] = await claimsOf(store, { now, notifier: to.notifier });
      if (claim === undefined) throw new Error('nothing is due');
      await store.outbox.settle([
        { kind: 'suppressed', claim, at: now, reason: { code: 'silenced', text: `silenced ${text}` } },
      ]);
    };
    await hold(here, 'here');
    await hold(there, 'there');
    const { data } = (await send('GET /alerts')).body;
    const held = Object.fromEntries(
      z
        .array(apiItems.alert)
        .parse(data)
        .map(({ symbol, delivery, reason }) => [symbol, [delivery, reason]]),
    );
    expect(held).toEqual({ here: ['held', 'silenced here'], there: ['held', undefined] });
  });

  it('the record returns what the scorecard shows', async () => {
    const { body } = await (await shared()).send('GET /record');
    expect(z.array(apiItems.score).parse(body.data)).toEqual([
      { kind: 'funding-extreme', horizon: 4, sense: 'way', alerts: 3, days: 2 },
    ]);
  });

  it.each([
    ['a cursor that is none', 'GET /alerts?cursor=x'],
    ['a cursor of another list', `GET /deliveries?cursor=${Buffer.from('["1","x"]').toString('base64url')}`],
    [
      'a time that is none in a cursor',
      `GET /alerts?cursor=${Buffer.from('["x","x"]').toString('base64url')}`,
    ],
    [
      'a cursor with an id that no database gives',
      `GET /deliveries?cursor=${Buffer.from(JSON.stringify(['1', '9'.repeat(19)])).toString('base64url')}`,
    ],
    ['a page too large', 'GET /rules?limit=201'],
    ['what is not asked for there', 'GET /rules?colour=red'],
    ['an address that is no UTF-8', 'GET /rules/%ff'],
  ])('%s is refused', async (_, line) => {
    expect(await (await shared()).send(line)).toEqual({ status: 400, body: { error: expect.any(String) } });
  });

  it.each([
    ['no key', null, 'GET /rules', 401],
    ['a key that is nobody’s', 'other', 'GET /rules', 401],
    ['a key that may ask alone', 'ask', 'GET /rules', 403],
    ['a key that may read alone', 'read', 'POST /silences', 403],
    ['a key that may not read', 'manage', 'GET /alerts', 403],
  ])('%s is refused for lack of rights', async (_, key, line, status) => {
    expect(await (await shared()).send(line, { key, for: '4h' })).toEqual({
      status,
      body: { error: expect.any(String) },
    });
  });

  it('the page’s token reads what its room has, and changes nothing', async () => {
    const { url } = await shared();
    const headers = { authorization: 'Bearer a-token-of-the-console' };
    expect((await request(`${url}/api/v1/rules`, { headers })).statusCode).toBe(200);
    const silence = await request(`${url}/api/v1/silences`, { method: 'POST', headers });
    expect(silence.statusCode).toBe(403);
  });

  it('the API description contains every operation with its inputs and responses', async () => {
    const { send } = await shared();
    const { status, body } = await send('GET /openapi.json', { key: null });
    expect([status, body.openapi]).toEqual([200, '3.1.0']);
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining(['/alerts', '/subscriptions', '/rules', '/silences', '/deliveries', '/record']),
    );
    const { post } = body.paths['/rules'];
    expect(post['x-scope']).toBe('manage');
    const { properties } = post.requestBody.content['application/json'].schema;
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(['metric', 'above', 'when', 'severity']));
    expect(Object.keys(properties)).not.toEqual(expect.arrayContaining(['action']));
    const ids = Object.values<Record<string, { operationId: string }>>(body.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});
