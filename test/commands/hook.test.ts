import { describe, expect, it } from 'vitest';
import { memberRights } from '#src/shell/rights.ts';
import { ask, caller } from '#test/support/commands.ts';
import { memoryStore } from '#test/support/memory-store.ts';

const factsOf = (card: { facts?: readonly { name: unknown; value: unknown }[] | undefined }) =>
  Object.fromEntries((card.facts ?? []).map(({ name, value }) => [String(name), String(value)]));

describe('hook', () => {
  it('create shows the address with its secret once, and stores the template', async () => {
    const store = memoryStore();
    const created = await ask('hook create breakouts symbol={ticker} severity=critical for=4h', { store });
    const { Address, Secret } = factsOf(created);
    expect(Address).toBe(`/hooks/m1/${Secret}`);
    expect(Secret).toMatch(/^[\w-]{32}$/);
    expect(store.kept.hooks).toMatchObject([
      { name: 'breakouts', template: { symbol: '{ticker}' }, severity: 'critical', lasts: 4 * 3_600_000 },
    ]);
    for (const line of ['hook', 'hook show breakouts', 'hook show id=m1', 'audit'])
      expect(JSON.stringify(await ask(line, { store }))).not.toContain(Secret);
  });

  it('create makes a key for a sender that signs, or uses the sender’s key without showing it', async () => {
    const store = memoryStore();
    const { Address, Secret } = factsOf(await ask('hook create mine signed=yes', { store }));
    expect([Address, Secret]).toEqual(['/hooks/m1', expect.stringMatching(/^whsec_/)]);
    const key = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    expect(JSON.stringify(await ask(`hook create theirs key=${key}`, { store }))).not.toContain(key);
    expect(store.kept.hooks.map(({ signed }) => signed)).toEqual([true, true]);
  });

  it('can be created, tested and deleted only by those who manage the chat', async () => {
    const store = memoryStore();
    await ask('hook create mine', { store });
    const asMember = { store, caller: { ...caller, rights: memberRights } };
    for (const line of ['hook create x', 'hook test mine', 'hook delete mine'])
      expect((await ask(line, asMember)).summary).toMatch(/Only those who manage/);
    expect([store.kept.hooks.length, store.kept.brought.length]).toEqual([1, 0]);
  });

  it('has a name that no other hook of the chat has', async () => {
    const store = memoryStore();
    await ask('hook create mine', { store });
    expect((await ask('hook create mine', { store })).summary).toContain('has this name: m1');
    expect(store.kept.hooks).toHaveLength(1);
  });

  it('test takes the same way as a received message', async () => {
    const store = memoryStore();
    await ask('hook create mine', { store });
    await ask('hook test mine', { store });
    expect(store.kept.brought).toMatchObject([
      { hook: 'm1', signals: [{ identity: { name: 'test' }, title: 'Test of the hook “mine”' }] },
    ]);
  });

  it('edit lets its entries count as calls, or no longer, and those who manage the chat alone decide it', async () => {
    const store = memoryStore();
    await ask('hook create mine calls=1h', { store });
    const calls = () => store.kept.hooks.map((hook) => hook.calls);
    expect(calls()).toEqual([3_600_000]);
    expect(factsOf(await ask('hook show mine', { store })).Calls).toContain('for 1 h');
    const { Calls } = factsOf(await ask('hook edit mine calls=24h', { store }));
    expect([Calls, calls()]).toEqual([expect.stringContaining('for 1 d'), [24 * 3_600_000]]);
    for (const [line, over] of [
      ['hook edit mine 4h', { caller: { ...caller, rights: memberRights } }],
      ['hook edit mine', {}],
      ['hook edit mine calls=2h', {}],
      ['hook edit other 4h', {}],
    ] as const)
      expect((await ask(line, { store, ...over })).failure).toBeDefined();
    expect(calls()).toEqual([24 * 3_600_000]);
    await ask('hook edit mine none', { store });
    expect(calls()).toEqual([null]);
    expect(JSON.stringify(await ask('audit', { store }))).toContain('makes no calls');
  });

  it('show lists the last bodies and how each was read', async () => {
    const store = memoryStore();
    await ask('hook create mine', { store });
    const seen = {
      at: 0,
      body: '{"action":"hodl"}',
      count: 9,
      signals: [{ act: 'unknown', about: 'BTCUSDT' } as const],
    };
    store.kept.seen.set('m1', [seen]);
    const [row] = (await ask('hook show mine', { store })).table?.rows ?? [];
    expect(row?.slice(1)).toEqual(['BTCUSDT: action not understood, and 8 more', '{"action":"hodl"}']);
  });

  it('test says so if too many messages of the hook are waiting', async () => {
    const store = memoryStore();
    await ask('hook create mine', { store });
    Object.assign(store.hooks, { accept: async () => 'full' });
    expect((await ask('hook test mine', { store })).summary).toMatch(/Too many messages .* are waiting/);
  });

  it('names the limit that is reached: of the chat or of the whole server', async () => {
    const store = memoryStore();
    store.hooks.countOfAccount = async () => 100;
    expect((await ask('hook create x', { store })).summary).toMatch(/server or chat .* limit of 100 hooks/);
    for (let n = 0; n < 20; n++) {
      store.hooks.countOfAccount = async () => n;
      await ask(`hook create name${n}`, { store });
    }
    expect((await ask('hook create x', { store })).summary).toMatch(/This chat is at its limit of 20 hooks/);
  });

  it('delete removes a hook by its name or id', async () => {
    const store = memoryStore();
    await ask('hook create mine', { store });
    await ask('hook create other', { store });
    await ask('hook delete mine', { store });
    await ask('hook delete m2', { store });
    expect(store.kept.hooks).toEqual([]);
  });

  it.each([
    ['no name', 'hook create', /Give it a name/],
    ['a name like an id', 'hook create bcdfghjk', /looks like an id/],
    ['a brace alone', 'hook create x symbol={ticker', /brace/],
    ['one there is none of', 'hook show nothere', /Choose one of these|no hooks/],
  ])('refuses %s', async (_, line, why) => {
    expect((await ask(line, { store: memoryStore() })).summary).toMatch(why);
  });
});
