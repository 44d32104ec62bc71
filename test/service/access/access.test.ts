import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database } from '#src/database/database.ts';
import { openDatabase } from '#src/database/open.ts';
import { createCredential } from '#src/runtime/credential.ts';
import { Secret } from '#src/runtime/secret.ts';
import { day, minute, second } from '#src/runtime/units.ts';
import { type Authenticate, createAccess } from '#src/service/access/access.ts';
import { createLogin, type Login } from '#src/service/access/login.ts';
import { createPasswords } from '#src/service/access/password.ts';
import { type AccessStore, accessStoreIn } from '#src/service/access/store.ts';
import { migrations } from '#src/service/archive/migrations.ts';
import { onDatabases } from '#test/support/databases.ts';

const email = 'ann@example.org';
const password = 'correct horse battery';
const own = createCredential('tocsin').text;

/** Almost no work, so that many logins take no time. */
const passwords = createPasswords({ memory: 8, passes: 1, parallelism: 1 });

const tables = ['accounts', 'api_keys', 'sessions'];

let stored: string;
beforeAll(async () => {
  stored = await passwords.hash(password);
});

onDatabases('who may ask', (url) => {
  let database: Database<unknown>;
  let store: AccessStore;
  let now: number;
  let access: Authenticate;
  let login: Login;
  const clock = { now: () => now };
  const wrong = (client = '203.0.113.1', of = email) => login({ email: of, password: 'wrong' }, client);
  const right = (client = '203.0.113.1') => login({ email, password }, client);
  const bearer = async (token: string) => access({ authorization: `Bearer ${token}` });
  const withKey = async (key: string) => access({ 'x-api-key': key });

  beforeAll(async () => {
    database = await openDatabase<unknown>(await url(), { migrations });
    store = accessStoreIn(database);
  });
  afterAll(() => database.close());

  beforeEach(async () => {
    now = 1_000_000_000_000;
    for (const table of tables) await sql`delete from ${sql.table(table)}`.execute(database.db);
    access = createAccess({ store, wall: clock, processKey: new Secret(own) }).authenticate;
    login = createLogin({ store, passwords, wall: clock, steady: clock });
    await store.addAccount({ email, password: stored, createdAt: now });
  });

  const addKey = async (requestLimit: number | null = null) => {
    const { text, id, digest } = createCredential('tocsin');
    await store.addKey({ id, digest, name: '', owner: null, requestLimit, createdAt: now, revokedAt: null });
    return { text, id };
  };

  it('a key has 64 hexadecimal digits after its prefix, and all of them must match', async () => {
    const { text, id } = await addKey();
    expect(text).toMatch(/^tocsin_[0-9a-f]{64}$/);
    expect(await withKey(text)).toEqual({ kind: 'known', pool: `key ${id}`, requestLimit: null, key: id });
    const last = text.endsWith('0') ? '1' : '0';
    for (const other of [
      `${text.slice(0, -1)}${last}`,
      text.slice(0, -1),
      `${text}0`,
      text.toUpperCase(),
      '',
    ]) {
      expect(await withKey(other)).toMatchObject({ kind: 'refused' });
    }
  });

  it('a key may have a limit of its own; the process’s key has none', async () => {
    expect(await withKey((await addKey(5)).text)).toMatchObject({ requestLimit: 5 });
    expect(await withKey(own)).toMatchObject({ kind: 'known', requestLimit: Number.POSITIVE_INFINITY });
  });

  it('a revoked key is refused after a second, even if it was just in use', async () => {
    const { text, id } = await addKey();
    expect((await withKey(text)).kind).toBe('known');
    expect([await store.revokeKey(id, { now }), await store.revokeKey(id, { now })]).toEqual([true, false]);
    now += second;
    expect(await withKey(text)).toEqual({ kind: 'refused', error: 'Unknown or revoked API key' });
    expect(await store.keys()).toMatchObject([{ id, revokedAt: now - second }]);
  });

  it('a session opens with the password and ends after 24 hours', async () => {
    const session = await right();
    if (session.kind !== 'granted') throw new Error(session.kind);
    expect(session.expiresAt).toBe(now + day);
    expect(await bearer(session.token)).toMatchObject({ kind: 'known', pool: `account ${email}` });
    now += day - 1;
    expect((await bearer(session.token)).kind).toBe('known');
    now += 1;
    expect(await bearer(session.token)).toEqual({
      kind: 'refused',
      error: 'Unknown or expired session token: log in again',
    });
  });

  it('sessions outlive the process, and end with their account', async () => {
    const session = await right();
    if (session.kind !== 'granted') throw new Error(session.kind);
    access = createAccess({ store, wall: clock }).authenticate;
    expect((await bearer(session.token)).kind).toBe('known');
    expect([await store.removeAccount(email, now), await store.removeAccount(email, now)]).toEqual([
      true,
      false,
    ]);
    now += second;
    expect((await bearer(session.token)).kind).toBe('refused');
    expect((await right()).kind).toBe('refused');
  });

  it('keys and session tokens are not interchangeable, and other schemes are refused', async () => {
    const { text } = await addKey();
    const session = await right();
    if (session.kind !== 'granted') throw new Error(session.kind);
    expect((await bearer(text)).kind).toBe('refused');
    expect((await withKey(session.token)).kind).toBe('refused');
    expect((await access({ authorization: `Basic ${session.token}` })).kind).toBe('refused');
    expect((await access({})).kind).toBe('anonymous');
  });

  it('an account is found however its address is written, and not created twice', async () => {
    expect((await login({ email: 'Ann@Example.ORG', password }, 'a')).kind).toBe('granted');
    expect(await store.addAccount({ email, password: 'other', createdAt: now })).toBe(false);
    expect(await store.passwordOf(email)).toBe(stored);
  });

  it('five failures lock an account to their address, the right password included, until the first is 15 minutes old', async () => {
    for (let i = 0; i < 5; i++) expect(await wrong()).toEqual({ kind: 'refused' });
    now += 5 * minute;
    expect(await right()).toEqual({ kind: 'locked', wait: 10 * minute });
    now += 10 * minute;
    expect((await right()).kind).toBe('granted');
  });

  it('wrong passwords slow down the guesser, not the owner', async () => {
    for (let i = 0; i < 40; i++) await wrong(`198.51.100.${i % 4}`);
    expect((await wrong('198.51.100.0')).kind).toBe('locked');
    expect((await right('203.0.113.1')).kind).toBe('granted');
  });

  it('an account that is not there is refused and locked just as one that is', async () => {
    const outcomes = async (of: string) => {
      const seen = [];
      for (let i = 0; i < 7; i++) seen.push(await wrong(`client of ${of}`, of));
      return seen;
    };
    expect(await outcomes('nobody@example.org')).toEqual(await outcomes(email));
  });

  it('simultaneous guesses get no more attempts than sequential ones', async () => {
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => wrong()));
    expect(outcomes.filter(({ kind }) => kind === 'refused')).toHaveLength(5);
    expect(outcomes.filter(({ kind }) => kind === 'locked')).toHaveLength(7);
  });

  it('success forgets the failures before it', async () => {
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 4; i++) await wrong();
      expect((await right()).kind).toBe('granted');
    }
  });

  it('an address has thirty logins per 15 minutes; other addresses are not affected', async () => {
    const outcomes = [];
    for (let i = 0; i < 32; i++) outcomes.push((await wrong('203.0.113.1', `${i}@example.org`)).kind);
    expect(outcomes).toEqual([...Array(30).fill('refused'), 'locked', 'locked']);
    expect((await right('203.0.113.2')).kind).toBe('granted');
  });

  it('too many simultaneous logins are told to try again', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => wrong(`client ${i}`, `${i}@example.org`)),
    );
    expect(outcomes.filter(({ kind }) => kind === 'busy')).toHaveLength(4);
  });

  it('expired sessions are dropped', async () => {
    const first = createCredential('session');
    await store.addSession({ id: first.id, digest: first.digest, email, expiresAt: now }, now - 1);
    expect(await store.session(first.id)).toBeDefined();
    await right();
    expect(await store.session(first.id)).toBeUndefined();
  });

  it('no key, token or password is in the database', async () => {
    const { text } = await addKey();
    const session = await right();
    if (session.kind !== 'granted') throw new Error(session.kind);
    const rows = [];
    for (const table of tables) rows.push(await sql`select * from ${sql.table(table)}`.execute(database.db));
    const kept = JSON.stringify(rows);
    expect(kept).toContain(email);
    for (const secret of [text, session.token, password]) expect(kept).not.toContain(secret.slice(-16));
  });
});
