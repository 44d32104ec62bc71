import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database } from '#src/database/database.ts';
import { openDatabase } from '#src/database/open.ts';
import { marketClock, type WallClock } from '#src/runtime/clock.ts';
import { createCredential } from '#src/runtime/credential.ts';
import { day, second } from '#src/runtime/units.ts';
import { createAccess } from '#src/service/access/access.ts';
import { interfaceLimits } from '#src/service/access/limit.ts';
import { createLogin } from '#src/service/access/login.ts';
import { createPasswords } from '#src/service/access/password.ts';
import { type AccessStore, accessStoreIn, maxOwnKeys } from '#src/service/access/store.ts';
import { countKeyUsage } from '#src/service/access/usage.ts';
import { migrations } from '#src/service/archive/migrations.ts';
import { createBodies } from '#src/service/http/kept-bodies.ts';
import { createMetrics } from '#src/service/http/metrics.ts';
import { createServer } from '#src/service/http/server.ts';
import { onDatabases } from '#test/support/databases.ts';

const passwords = createPasswords({ memory: 8, passes: 1, parallelism: 1 });
const [ann, bob, password] = ['ann@example.org', 'bob@example.org', 'correct horse battery'] as const;
const log = pino({ level: 'silent' });

onDatabases('the account area', (url) => {
  let database: Database<unknown>;
  let store: AccessStore;
  let site: string;
  let time: number;
  let usage: ReturnType<typeof countKeyUsage>;
  let close: () => Promise<void>;
  const wall: WallClock = {
    now: () => time,
    sleep: (_ms, signal) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  };

  beforeAll(async () => {
    database = await openDatabase<unknown>(await url(), { migrations });
    store = accessStoreIn(database);
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    time = 20_000 * day;
    for (const email of [ann, bob]) {
      await store.removeAccount(email, time);
      await store.addAccount({ email, password: await passwords.hash(password), createdAt: time });
    }
    const { authenticate, forget } = createAccess({ store, wall });
    usage = countKeyUsage({ store, wall, log });
    const clock = marketClock(wall, { market: time, wall: time, speed: 1 });
    const server = createServer({
      bodies: createBodies({ clock, feedsOf: () => [], build: async () => ({}) as never }),
      access: authenticate,
      accounts: { store, forget },
      login: createLogin({ store, passwords, wall, steady: wall }),
      onKeyUsed: usage.count,
      limits: interfaceLimits,
      trustedProxies: ['127.0.0.1'],
      clock,
      wall,
      steady: wall,
      metrics: createMetrics(),
      ready: () => true,
      progress: () => 1,
      stale: () => false,
      ping: async () => {},
      log,
    });
    site = await server.listen({ host: '127.0.0.1', port: 0 });
    close = async () => {
      await server.close();
      await usage.stop();
    };
  });
  afterEach(() => close());

  /** Sends a form as a browser does that has the cookie. */
  const send = async (
    fields: Record<string, string>,
    {
      cookie = '',
      headers = {},
    }: { readonly cookie?: string; readonly headers?: Record<string, string> } = {},
  ) => {
    const response = await fetch(`${site}/account`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
      headers: { origin: site, ...(cookie !== '' && { cookie }), ...headers },
    });
    return { response, status: response.status, text: await response.text() };
  };
  const signIn = async (email: string = ann): Promise<string> => {
    const { response, status } = await send({ action: 'sign-in', email, password });
    expect([status, response.headers.get('location')]).toEqual([303, '/account']);
    return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  };
  const page = async (cookie = '') =>
    (await fetch(`${site}/account`, { headers: cookie === '' ? {} : { cookie } })).text();
  const create = async (cookie: string, name: string) => {
    const { status, text } = await send({ action: 'create', name }, { cookie });
    const key = /tocsin_[0-9a-f]{64}/.exec(text)?.[0] ?? '';
    return { status, text, key, id: key.slice(7, 19) };
  };
  const ask = async (key: string) =>
    (await fetch(`${site}/api/v1/meta`, { headers: { 'x-api-key': key } })).status;

  it('a key is shown once, when it is made, and works; only its digest is stored', async () => {
    const cookie = await signIn();
    const { status, key, id } = await create(cookie, 'my bot');
    expect(status).toBe(200);
    expect(await ask(key)).toBe(200);
    const later = await page(cookie);
    expect(later).toContain('my bot');
    expect(later).toContain(id);
    expect(later).not.toContain(key.slice(-16));
    expect(JSON.stringify(await store.keys(ann))).not.toContain(key.slice(-16));
  });

  it('a revoked key is refused at once, although it was just in use', async () => {
    const cookie = await signIn();
    const { key, id } = await create(cookie, 'my bot');
    expect(await ask(key)).toBe(200);
    expect((await send({ action: 'revoke', id }, { cookie })).text).toContain(`Key ${id} is revoked`);
    expect(await ask(key)).toBe(401);
    expect(await page(cookie)).toContain('Revoked');
    expect((await send({ action: 'revoke', id }, { cookie })).status).toBe(400);
  });

  it('nobody sees or revokes a key of another account, or of the operator', async () => {
    const { key, id } = await create(await signIn(), 'of Ann');
    const operators = createCredential('tocsin');
    await store.addKey({
      id: operators.id,
      digest: operators.digest,
      name: 'of the operator',
      owner: null,
      requestLimit: null,
      createdAt: time,
      revokedAt: null,
    });
    const other = await signIn(bob);
    expect(await page(other)).not.toMatch(/of Ann|of the operator/);
    for (const foreign of [id, operators.id])
      expect((await send({ action: 'revoke', id: foreign }, { cookie: other })).status).toBe(400);
    expect([await ask(key), await ask(operators.text)]).toEqual([200, 200]);
  });

  it('the page shows how many requests each key made, today and in 30 days', async () => {
    const cookie = await signIn();
    const { key, id } = await create(cookie, 'my bot');
    await store.addUsage([{ id, day: time - 3 * day, requests: 40 }], 0);
    for (let n = 0; n < 3; n++) await ask(key);
    await usage.stop();
    expect(await page(cookie)).toMatch(/<td class="number">3<\/td><td class="number">43<\/td>/);
  });

  it('a form that is sent twice makes one key, and an account has a limited number of valid ones', async () => {
    const cookie = await signIn();
    expect((await create(cookie, 'key 0')).status).toBe(200);
    expect(await create(cookie, 'key 0')).toMatchObject({ status: 400, key: '' });
    const rest = Array.from({ length: maxOwnKeys + 2 }, (_, n) => create(cookie, `key ${n + 1}`));
    const statuses = (await Promise.all(rest)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(maxOwnKeys - 1);
    expect((await store.keys(ann)).filter(({ revokedAt }) => revokedAt === null)).toHaveLength(maxOwnKeys);
  });

  it('a wrong password signs nobody in, and is slowed down as at the login of programs', async () => {
    const wrong = () => send({ action: 'sign-in', email: ann, password: 'wrong' });
    for (let n = 0; n < 5; n++) {
      const { status, response, text } = await wrong();
      expect([status, response.headers.getSetCookie(), text.includes('Wrong email or password')]).toEqual([
        401,
        [],
        true,
      ]);
    }
    expect((await wrong()).status).toBe(429);
  });

  it('signing out ends the session itself, not only the cookie; it ends after 24 hours anyway', async () => {
    const cookie = await signIn();
    const other = await signIn();
    expect(await page(cookie)).toContain(ann);
    await send({ action: 'sign-out' }, { cookie });
    expect(await page(cookie)).not.toContain(ann);
    expect(await create(cookie, 'late')).toMatchObject({ status: 401, key: '' });
    expect(await page(other)).toContain(ann);
    time += day;
    expect(await page(other)).not.toContain(ann);
  });

  it('a removed account cannot make keys, and its keys are revoked', async () => {
    const cookie = await signIn();
    const { key } = await create(cookie, 'my bot');
    expect(await page(cookie)).toContain(ann);
    await store.removeAccount(ann, time);
    // The session is still remembered for a second.
    expect(await create(cookie, 'late')).toMatchObject({ status: 400, key: '' });
    time += second;
    expect(await page(cookie)).not.toContain(ann);
    expect(await ask(key)).toBe(401);
  });

  it.each<[rule: string, headers: Record<string, string>]>([
    ['of another site', { origin: 'https://evil.example' }],
    ['of a sandboxed page', { origin: 'null' }],
    ['of another site of the same domain', { 'sec-fetch-site': 'same-site' }],
    ['without an origin', { origin: '' }],
  ])('a form %s is refused, for signing in too', async (_rule, headers) => {
    const cookie = await signIn();
    for (const fields of [
      { action: 'create', name: 'x' },
      { action: 'sign-in', email: ann, password },
    ])
      expect((await send(fields, { cookie, headers })).status).toBe(403);
    expect((await store.keys(ann)).filter(({ revokedAt }) => revokedAt === null)).toEqual([]);
  });

  it('the cookie is out of reach of scripts and other sites, and over TLS of plain requests', async () => {
    const sent = { action: 'sign-in', email: ann, password };
    const plain = (await send(sent)).response.headers.getSetCookie();
    expect(plain).toEqual([
      expect.stringMatching(
        /^tocsin-account=session_\w+; Path=\/; Max-Age=86400; HttpOnly; SameSite=Strict$/,
      ),
    ]);
    const headers = { 'x-forwarded-proto': 'https' };
    expect((await send(sent, { headers })).response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-tocsin-account=.*; HttpOnly; SameSite=Strict; Secure$/),
    ]);
  });

  it('a name is shown as text, and nothing but the page’s own style is loaded or run', async () => {
    const cookie = await signIn();
    const { text, response } = await send(
      { action: 'create', name: '<script>alert("1")</script>' },
      { cookie },
    );
    expect(text).toContain('&lt;script&gt;');
    expect(text).not.toContain('<script');
    const policy = response.headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'/);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('a key is no session: it opens neither the page nor another key', async () => {
    const { key } = await create(await signIn(), 'my bot');
    for (const name of ['tocsin-account', '__Host-tocsin-account'])
      expect(await page(`${name}=${key}`)).toContain('Sign in');
    expect((await send({ action: 'create', name: 'x' }, { headers: { 'x-api-key': key } })).status).toBe(401);
  });
});
