import { beforeEach, expect, test } from 'vitest';
import { sayCard } from '#src/card/say-card.ts';
import { plainReader } from '#src/language/say.ts';
import { makeHookCalls } from '#src/places/calls.ts';
import { createRecords } from '#src/record/records.ts';
import { day, hour } from '#src/runtime/units.ts';
import { memberRights, viewerRights } from '#src/shell/rights.ts';
import type { Store } from '#src/store/ports.ts';
import { addresses } from '#test/support/addresses.ts';
import { ask as asking, caller } from '#test/support/commands.ts';
import { now } from '#test/support/data.ts';
import { ownStore } from '#test/support/own-store.ts';

const ada = { ...caller, rights: memberRights, person: 'web:1' };
const bob = { ...ada, user: 'bob', person: 'web:2' };
const elsewhere = { ...bob, receiver: { notifier: 'web', address: { room: 'there' } } };

let store: Store;
beforeEach(async () => {
  store = await ownStore('file::memory:', { addresses });
});
const ask = async (line: string, over: object = {}) =>
  sayCard(await asking(line, { store, caller: ada, ...over }), plainReader);
const kept = () => store.calls.of(caller.receiver);

test.each([
  ['call btc long 24h', { symbol: 'BTCUSDT', side: 'long', horizon: day }],
  ['call btc long', { symbol: 'BTCUSDT', side: 'long', horizon: day }],
  ['calls eth short 1h', { symbol: 'ETHUSDT', side: 'short', horizon: hour }],
  ['call make sol short 4h', { symbol: 'SOLUSDT', side: 'short', horizon: 4 * hour }],
])('a member’s "%s" is noted', async (line, call) => {
  expect((await ask(line)).title).toBe('Call noted');
  expect(await kept()).toMatchObject([{ ...call, at: now, createdBy: 'web:1', name: 'ada' }]);
});

test.each(['call btc', 'call make', 'call long', 'call btc long 2h', 'call btc up'])(
  '"%s" is refused',
  async (line) => {
    expect((await asking(line, { store, caller: ada })).failure).toBeDefined();
    expect(await kept()).toEqual([]);
  },
);

test('who may only look makes no call', async () => {
  await ask('call btc long', { caller: { ...ada, rights: viewerRights } });
  expect(await kept()).toEqual([]);
});

test('a person has one open call per market, and some in all', async () => {
  await ask('call btc long 4h');
  const again = await asking('call btc short 1h', { store, caller: ada });
  expect(again.failure?.code).toBe('conflict');
  await ask('call btc short', { caller: bob });
  expect(await kept()).toHaveLength(2);
  await ask('call btc short 1h', { now: now + 5 * hour });
  expect(await kept()).toHaveLength(3);
  for (let n = 0; n < 18; n += 1)
    await store.change({ receiver: ada.receiver, who: 'ada', person: 'web:1', at: now }, ({ calls }) =>
      calls.add({
        receiver: ada.receiver,
        symbol: `C${n}`,
        side: 'long',
        horizon: day,
        at: now,
        createdBy: 'web:1',
        name: 'ada',
      }),
    );
  const later = now + 5 * hour;
  expect((await asking('call eth long', { store, caller: ada, now: later })).failure).toBeUndefined();
  expect((await asking('call sol long', { store, caller: ada, now: later })).failure?.code).toBe('limit');
});

test('open calls are listed in their place and nowhere else', async () => {
  expect((await ask('call list')).summary).toContain('None yet');
  await ask('call btc long 4h');
  expect((await ask('call list')).table?.rows).toMatchObject([['ada', 'BTC long for 4 h', {}, {}]]);
  expect(JSON.stringify(await ask('call list', { caller: elsewhere }))).not.toContain('ada');
  expect(JSON.stringify(await ask('call league', { caller: elsewhere }))).not.toContain('ada');
  expect((await ask('call list', { now: now + 6 * hour })).summary).toBe('No call is open.');
});

test('the league tells what is known, and that an edge cannot be told yet', async () => {
  await ask('call btc long 1h');
  // The price rises every other hour.
  const prices = Array.from({ length: 30 * 24 }, (_, h) => ({
    at: Math.floor(now / hour) * hour + (h - 28 * 24) * hour,
    price: 100 * (1 + 0.01 * (h % 2)),
  }));
  const later = now + 5 * hour;
  const records = createRecords({
    kinds: [],
    market: 'live',
    now: () => later,
    outcomes: { posted: async () => [], prices: async () => prices },
  });
  await ask('call eth short 24h', { caller: bob, now: later });
  const { table, summary } = await ask('call league', { records, now: later });
  expect(summary).toContain('at most 1 in 20');
  expect(table?.rows.find(([who]) => who === 'ada')).toMatchObject(['ada', '1', '0', {}, 'cannot tell yet']);
  expect(table?.rows.find(([who]) => who === 'bob')).toEqual(['bob', '0', '1', '', 'cannot tell yet']);
});

test('the league lists hooks beside people, also one that was deleted', async () => {
  await ask('call btc long 1h');
  await ask('hook create breakouts calls=24h', { caller });
  const [hook] = await store.hooks.of(caller.receiver);
  if (hook === undefined) throw new Error('no hook');
  const entry = { hook: hook.id, symbol: 'BTCUSDT', side: 'short', at: now } as const;
  await store.dispatch((unit) => makeHookCalls([entry], unit));
  await ask('hook delete breakouts', { caller });
  const records = createRecords({
    kinds: [],
    market: 'live',
    now: () => now,
    outcomes: { posted: async () => [], prices: async () => [] },
  });
  const { table } = await ask('call league', { records });
  expect(table?.rows.map(([who]) => who).toSorted()).toEqual(['ada', 'hook breakouts']);
  expect((await ask('call list')).table?.rows[1]?.slice(0, 2)).toEqual([
    'hook breakouts',
    'BTC short for 1 d',
  ]);
});

test('forgetting a person or a place deletes the calls', async () => {
  await ask('call btc long');
  await ask('call btc long', { caller: bob });
  await ask('forget me confirm=yes');
  expect(await kept()).toMatchObject([{ name: 'bob' }]);
  await ask('forget place confirm=yes', { caller: { ...caller, person: 'web:3' } });
  expect(await kept()).toEqual([]);
});

test('calls move with their place, and are kept as long as the record', async () => {
  await ask('call btc long');
  await store.receivers.move(ada.receiver, elsewhere.receiver);
  expect(await kept()).toEqual([]);
  expect(await store.calls.of(elsewhere.receiver)).toMatchObject([{ name: 'ada' }]);
  const horizons = { now, before: now, requests: now, wall: now };
  await store.prune({ ...horizons, record: now });
  expect(await store.calls.of(elsewhere.receiver)).toHaveLength(1);
  await store.prune({ ...horizons, record: now + 1 });
  expect(await store.calls.of(elsewhere.receiver)).toEqual([]);
});
