import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '#src/database/open.ts';
import { day } from '#src/runtime/units.ts';
import { createAccess } from '#src/service/access/access.ts';
import { createLogin } from '#src/service/access/login.ts';
import { createPasswords } from '#src/service/access/password.ts';
import { accessStoreIn } from '#src/service/access/store.ts';
import { migrations } from '#src/service/archive/migrations.ts';
import { runAccessCommand } from '#src/service/run/access-command.ts';

const now = Date.parse('2026-01-01T00:00:00.000Z');
const clock = { now: () => now };
const password = 'correct horse battery';

describe('accounts and keys at the command line', () => {
  let folder: string;
  let archiveUrl: string;
  let printed: string;
  let said: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tocsin-access-command-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  let count = 0;
  beforeEach(() => {
    archiveUrl = `file:${join(folder, `${++count}.db`)}`;
  });

  const run = async (...args: string[]) => {
    [printed, said] = ['', ''];
    await runAccessCommand({
      args,
      archiveUrl,
      now,
      readPassword: async () => password,
      print: async (text) => {
        printed += text;
      },
      say: async (text) => {
        said += text;
      },
    });
    return printed;
  };
  /** Runs work on the store of a service that is running over the same database. */
  const inService = async <Result>(work: (store: ReturnType<typeof accessStoreIn>) => Promise<Result>) => {
    const database = await openDatabase<unknown>(archiveUrl, { migrations });
    try {
      return await work(accessStoreIn(database));
    } finally {
      await database.close();
    }
  };
  const askWith = (key: string) =>
    inService(async (store) => createAccess({ store, wall: clock }).authenticate({ 'x-api-key': key }));
  const log = () =>
    inService((store) =>
      createLogin({ store, passwords: createPasswords(), wall: clock, steady: clock })(
        { email: 'ann@example.org', password },
        '203.0.113.1',
      ),
    );

  it('an account can log in from its creation to its removal', async () => {
    await run('account', 'create', 'Ann@example.org');
    expect(said).not.toContain(password);
    expect((await log()).kind).toBe('granted');
    await expect(run('account', 'create', 'ann@example.org')).rejects.toThrow(/remove it first/);
    expect(await run('account', 'list')).toBe('ann@example.org  2026-01-01T00:00:00.000Z\n');
    await run('account', 'remove', 'ann@example.org');
    expect((await log()).kind).toBe('refused');
    await expect(run('account', 'remove', 'ann@example.org')).rejects.toThrow(/no account/);
  });

  it('a key is printed once, and listed without its secret', async () => {
    const key = (await run('key', 'create', 'the bot', '--limit', '50')).trim();
    expect(key).toMatch(/^tocsin_[0-9a-f]{64}$/);
    expect(said).not.toContain(key);
    expect(await askWith(key)).toMatchObject({ kind: 'known', requestLimit: 50 });
    const id = key.slice(7, 19);
    await inService((store) =>
      store.addUsage(
        [
          { id, day: now, requests: 3 },
          { id, day: now - 29 * day, requests: 4 },
          { id, day: now - 30 * day, requests: 5 },
        ],
        0,
      ),
    );
    expect(await run('key', 'list')).toBe(
      `${id}  2026-01-01T00:00:00.000Z  valid  50 requests  used 3 times today, 7 in 30 days  the bot\n`,
    );
  });

  it.each(['account', 'key'])('an empty list of %ss says how one is made', async (what) => {
    expect(await run(what, 'list')).toBe('');
    expect(said).toMatch(new RegExp(`^There are no ${what}s: .npm run serve -- ${what} create `));
  });

  it.each([
    ['its id', (key: string) => key.slice(7, 19)],
    ['itself', (key: string) => key],
  ])('a key is revoked by %s', async (_rule, name) => {
    const key = (await run('key', 'create')).trim();
    await run('key', 'revoke', name(key));
    expect(said).not.toContain(key);
    expect((await askWith(key)).kind).toBe('refused');
    expect(await run('key', 'list')).toContain('revoked 2026-01-01T00:00:00.000Z');
    await expect(run('key', 'revoke', name(key))).rejects.toThrow(/No valid key has this id/);
  });

  it.each([
    ['nothing', ['key'], /^Usage:/],
    ['an unknown verb', ['account', 'rename', 'x'], /^Usage:/],
    ['too much', ['key', 'list', 'x', 'y'], /^Usage:/],
    ['a limit where none is', ['key', 'list', '--limit', '3'], /^Usage:/],
    ['an address that is none', ['account', 'create', 'ann'], /"ann" is not an email address/],
    ['no address', ['account', 'create'], /^Give an email address/],
    ['a limit that is no number', ['key', 'create', '--limit', '1e3'], /--limit: "1e3" is not valid/],
    ['a name of two lines', ['key', 'create', 'a\nb'], /one line/],
    ['an unknown key', ['key', 'revoke', 'x'], /key list/],
  ])('%s is refused with a hint', async (_rule, args, error) => {
    await expect(run(...args)).rejects.toMatchObject({
      name: 'InputError',
      message: expect.stringMatching(error),
    });
  });
});
