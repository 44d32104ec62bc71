import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { runKeyCommand } from '#src/app/cli/key-command.ts';
import { createApiKeys } from '#src/app/talking.ts';
import { openStore } from '#src/store/open.ts';
import { ownFolder } from '#test/support/folder.ts';
import { platforms } from '#test/support/settings.ts';

const now = Date.parse('2026-01-01T00:00:00.000Z');

describe('keys of the bot’s HTTP API, at the command line', () => {
  let database: string;
  let said: string;
  beforeEach(async () => {
    database = `file:${join(await ownFolder(), 'bot.db')}`;
  });

  const run = async (...args: string[]) => {
    let printed = '';
    said = '';
    await runKeyCommand({
      args,
      config: { database, platforms: platforms.map((platform) => ({ platform })) },
      now,
      print: async (text) => {
        printed += text;
      },
      say: async (text) => {
        said += text;
      },
    });
    return printed;
  };
  /** Returns the keys as a running bot sees them. */
  const running = async () => {
    const store = await openStore(database, { alone: true });
    onTestFinished(() => store.close());
    return createApiKeys(store, { now: () => now + 1_000 });
  };

  it('a key is printed once, and listed without its secret but with the number of its uses', async () => {
    const bot = await running();
    const key = (await run('create', 'an agent', '--scopes', 'manage ask')).trim();
    expect(key).toMatch(/^tocsinbot_[0-9a-f]{64}$/);
    expect(said).toContain('may ask and manage');
    expect(said).not.toContain(key);
    const id = key.slice(10, 22);
    const before = `${id}  2026-01-01T00:00:00.000Z  valid  ask,manage  web`;
    expect(await run('list')).toBe(`${before}  never used  an agent\n`);
    for (let asked = 0; asked < 2; asked += 1)
      expect(await bot.findHolder(key)).toEqual({
        id,
        name: 'an agent',
        receiver: { notifier: 'web', address: { room: 'main' } },
        scopes: new Set(['ask', 'manage']),
      });
    expect(await run('list')).toBe(`${before}  2 requests, the last 2026-01-01T00:00:01.000Z  an agent\n`);
  });

  it('a key may read and ask by default, and belongs to the named place', async () => {
    const place = `{ notifier: telegram, address: { chatId: "-1001" } }`;
    const key = (await run('create', '--place', place)).trim();
    expect(await (await running()).findHolder(key)).toMatchObject({
      scopes: new Set(['read', 'ask']),
      receiver: { notifier: 'telegram', address: { chatId: '-1001' } },
    });
  });

  it.each([
    ['its id', (key: string) => key.slice(10, 22)],
    ['itself', (key: string) => key],
  ])('a key is revoked by %s, at once', async (_, name) => {
    const bot = await running();
    const key = (await run('create')).trim();
    expect(await bot.findHolder(key)).toBeDefined();
    await run('revoke', name(key));
    expect(said).not.toContain(key);
    expect(await bot.findHolder(key)).toBeUndefined();
    expect(await run('list')).toContain('revoked 2026-01-01T00:00:00.000Z');
    await expect(run('revoke', name(key))).rejects.toThrow(/No valid key has this id/);
  });

  it('a list of no keys says how one is made, apart from what a script reads', async () => {
    expect(await run('list')).toBe('');
    expect(said).toMatch(/^There are no keys: `npm start -- key create/);
    await run('create');
    await run('list');
    expect(said).toBe('');
  });

  it('a text that only begins like a key is nobody’s key and does not count as a use', async () => {
    const key = (await run('create')).trim();
    const bot = await running();
    const other = `${key.slice(0, 22)}${'0'.repeat(52)}`;
    for (const given of [other, key.slice(0, -1), `${key}0`, key.replace('tocsinbot', 'tocsin'), ''])
      expect(await bot.findHolder(given)).toBeUndefined();
    expect(await run('list')).toContain('never used');
  });

  it.each([
    ['nothing', [], /^Usage:/],
    ['an unknown verb', ['rename', 'x'], /^Usage:/],
    ['a verb of another kind', ['toString'], /^Usage:/],
    ['too much', ['list', 'x', 'y'], /^Usage:/],
    ['scopes where none are', ['list', '--scopes', 'read'], /^Usage:/],
    ['a scope that is none', ['create', '--scopes', 'read,write'], /--scopes: "read,write" is not valid/],
    ['no scope', ['create', '--scopes', ','], /--scopes/],
    ['a name of two lines', ['create', 'a\nb'], /one line/],
    ['a place of no platform', ['create', '--place', '{ notifier: pager, address: { a: 1 } }'], /--place/],
    [
      'a place that its platform has not',
      ['create', '--place', '{ notifier: web, address: { a: 1 } }'],
      /--place/,
    ],
    ['a place that is no YAML', ['create', '--place', '{'], /--place/],
    ['an unknown key', ['revoke', 'x'], /key list/],
  ])('%s is refused with a hint', async (_, args, error) => {
    await expect(run(...args)).rejects.toMatchObject({
      name: 'InputError',
      message: expect.stringMatching(error),
    });
  });
});
