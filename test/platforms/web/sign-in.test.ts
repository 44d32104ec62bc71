import { request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMembers } from '#src/app/console/members.ts';
import telegram from '#src/platforms/telegram/platform.ts';
import type { Viewer } from '#src/platforms/web/ports/alert-feed.ts';
import { Secret } from '#src/runtime/secret.ts';
import { day, minute, second } from '#src/runtime/units.ts';
import { managerRights, memberRights, viewerRights } from '#src/shell/rights.ts';
import { openStore } from '#src/store/open.ts';
import { fakeClock } from '#test/support/clock.ts';
import { noAlerts, startConsole } from '#test/support/console.ts';
import { readEvents } from '#test/support/events.ts';
import { memoryMessages } from '#test/support/messages.ts';
import { notifierPorts } from '#test/support/ports.ts';
import { ada, bob, me, startTelegramDouble, token } from '#test/support/telegram/double.ts';
import { initData, login, loginFragment } from '#test/support/telegram/proofs.ts';

const start = Date.UTC(2026, 2, 14, 9, 30);
const operatorToken = 'the-operators-own-token';
const host = 'tocsin.example';
const origin = `https://${host}`;
const person = `telegram:${ada.id}`;
const group = { notifier: 'telegram', address: { chatId: '-1001' } };
const groupRoom = 'telegram:-1001';
const ownRoom = `telegram:${ada.id}`;

/** The page of a bot on Telegram that has something in a group, of which Ada is an administrator and Bob a member. */
async function page(given: Parameters<typeof startConsole>[0] = {}) {
  const double = await startTelegramDouble({ limits: null });
  const members = new Map([
    [me.id, 'administrator'],
    [ada.id, 'administrator'],
    [bob.id, 'member'],
  ]);
  const chat = double.chat({ id: -1001, title: 'Traders', members: Object.fromEntries(members) });
  double.chat({ id: -1002, title: 'Others', members: Object.fromEntries(members) });
  const { wall = fakeClock(start) } = given;
  const store = await openStore('file::memory:');
  await store.subscriptions.add({
    id: 's1',
    receiver: group,
    kinds: ['*'],
    symbols: ['*'],
    minSeverity: 'info',
    quietHours: null,
    digest: null,
    mention: null,
    style: null,
    paused: false,
    createdBy: person,
    createdAt: start,
  } as never);
  const connection = telegram.notifier(
    { token: new Secret(token), apiRoot: double.url, timeout: 5_000 } as never,
    notifierPorts({ wall }),
  );
  const messages = memoryMessages();
  const console = await startConsole({
    token: new Secret(operatorToken),
    url: origin,
    hosts: [host],
    members: createMembers({
      store,
      senders: { platforms: [{ platform: telegram, outlet: { connection } }] } as never,
    }),
    wall,
    messages,
    ...given,
  });
  onTestFinished(async () => {
    await console.close();
    await connection.close?.();
    await Promise.all([store.close(), double.close()]);
  });

  const ask = async (
    path: string,
    { cookie, body, headers }: { cookie?: string; body?: object; headers?: Record<string, string> } = {},
  ) => {
    const answer = await request(console.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        host,
        ...(cookie !== undefined && { cookie }),
        ...(body !== undefined && { origin, 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    const cookies = [answer.headers['set-cookie'] ?? []].flat();
    return { status: answer.statusCode, text, cookies, location: answer.headers.location };
  };
  const at = () => wall.now() / second;
  const signIn = (body: object, cookie?: string) =>
    ask('/api/sign-in/telegram', { body, ...(cookie !== undefined && { cookie }) });
  const cookiesIn = (cookies: readonly string[]) => cookies.map((each) => each.split('; ')[0]).join('; ');
  /** Begins to sign in. Returns the state, and the cookie of the browser that began. */
  const begin = async () => {
    const { text, cookies } = await signIn({});
    const back = new URL(new URL(JSON.parse(text).url).searchParams.get('return_to') ?? '');
    return { state: back.searchParams.get('state') ?? '', cookie: cookiesIn(cookies) };
  };
  let proofs = 0;
  /** Returns the session cookie of who opened the page within Telegram. */
  const enter = async (user = ada) => {
    proofs += 1;
    const { status, cookies } = await signIn({
      app: initData({ user, at: at(), more: { query_id: String(proofs) } }),
    });
    expect(status).toBe(200);
    return cookiesIn(cookies);
  };
  const say = (line: string, { cookie, room = groupRoom }: { cookie: string; room?: string }) =>
    ask('/api/commands', { cookie, body: { line, room } });
  return { ...console, chat, messages, double, ask, at, signIn, begin, enter, say };
}

describe('whoever signs in by Telegram', () => {
  it('begins in his browser, comes back with a proof, and is known by a cookie that no script reads', async () => {
    const { ask, begin, signIn, at } = await page();
    const { state, cookie } = await begin();
    const { status, cookies } = await signIn({ query: `state=${state}&${login({ at: at() })}` }, cookie);
    expect([status, cookies]).toEqual([
      200,
      [
        expect.stringMatching(
          /^__Host-tocsin-member=session_[0-9a-f]{64}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/,
        ),
        expect.stringMatching(/^__Host-tocsin-sign-in=; .*Max-Age=0;/),
      ],
    ]);
    const mine = { cookie: cookies[0]?.split('; ')[0] ?? '' };
    expect(JSON.parse((await ask('/api/places', mine)).text)).toEqual([
      { room: ownRoom, name: 'Telegram', manages: true },
      { room: groupRoom, name: 'Traders', manages: true },
    ]);
  });

  it('is asked for a proof by a page that names the ways, and led to a chat of his', async () => {
    const { ask, enter } = await page();
    expect((await ask('/')).text).toContain('content="[[&quot;telegram&quot;,&quot;Telegram&quot;]]"');
    const cookie = await enter();
    expect(await ask('/', { cookie })).toMatchObject({
      status: 302,
      location: `/?${new URLSearchParams({ room: ownRoom })}`,
    });
    expect((await ask(`/?room=${ownRoom}`, { cookie })).text).toContain(
      '<meta name="access" content="member">',
    );
    expect((await ask('/sign-in/telegram', { cookie })).text).toContain('id="login"');
  });

  it('has in each chat the rights that Telegram gives him there, under his own name', async () => {
    const { say, enter, asked } = await page();
    expect((await say('market', { cookie: await enter() })).status).toBe(200);
    expect((await say('market', { cookie: await enter(bob as typeof ada) })).status).toBe(200);
    expect(asked.map(({ caller }) => caller)).toEqual([
      expect.objectContaining({ receiver: group, person, user: '@ada', rights: managerRights }),
      expect.objectContaining({ receiver: group, person: `telegram:${bob.id}`, rights: memberRights }),
    ]);
  });

  it('sees the alerts of his chat as one who belongs to no other', async () => {
    const seen: Viewer[] = [];
    const { ask, enter } = await page({
      feed: {
        ...noAlerts,
        async page(viewer) {
          seen.push(viewer);
          return [];
        },
      },
    });
    await ask(`/api/alerts/page?room=${groupRoom}`, { cookie: await enter() });
    expect(seen).toMatchObject([{ receiver: group, seesAllPlaces: false }]);
  });

  it('is answered alone: what he asks is no message of a room', async () => {
    const later = Promise.resolve({ title: 'Whole' });
    const { say, enter, messages } = await page({ ask: async () => ({ title: 'First', later }) });
    expect(JSON.parse((await say('subscribe', { cookie: await enter() })).text)).toMatchObject({
      line: 'subscribe',
      card: { title: 'Whole' },
    });
    for (const room of ['main', groupRoom]) expect(await messages.recent(room, 9)).toEqual([]);
  });

  it('changes nothing by a question that a view asks', async () => {
    const { ask, enter, asked } = await page();
    await ask(`/api/answers?line=pause&room=${groupRoom}`, { cookie: await enter() });
    expect(asked[0]?.caller.rights).toEqual(viewerRights);
  });

  it('is known by another secret from day to day, and by none after a week', async () => {
    let time = start;
    const wall = { ...fakeClock(start), now: () => time };
    const { ask, enter } = await page({ wall });
    const cookie = await enter();
    time += day + minute;
    const { cookies } = await ask(`/?room=${ownRoom}`, { cookie });
    const next = cookies[0]?.split('; ')[0] ?? '';
    expect(next).toMatch(/^__Host-tocsin-member=session_/);
    expect((await ask('/api/places', { cookie })).status).toBe(200);
    time += minute;
    expect((await ask('/api/places', { cookie })).status).toBe(401);
    expect((await ask('/api/places', { cookie: next })).status).toBe(200);
    time += 6 * day;
    expect((await ask('/api/places', { cookie: next })).status).toBe(401);
  });

  it('is not known any more once he has signed out, whoever kept the cookie', async () => {
    const { ask, enter } = await page();
    const cookie = await enter();
    const { cookies } = await ask('/api/logout', { cookie, body: {} });
    expect(cookies.some((each) => /^__Host-tocsin-member=; .*Max-Age=0/.test(each))).toBe(true);
    expect((await ask('/api/places', { cookie })).status).toBe(401);
  });
});

describe('nobody is signed in', () => {
  it('by a proof that was taken before, in the app or after a login', async () => {
    const { signIn, begin, at, ask } = await page();
    const app = initData({ at: at() });
    const { cookies } = await signIn({ app });
    await ask('/api/logout', { cookie: cookies[0]?.split('; ')[0] ?? '', body: {} });
    expect((await signIn({ app })).status).toBe(403);
    expect((await signIn({ app: app.replace('Ada', 'Ad%61') })).status).toBe(403);
    const query = login({ at: at() });
    const first = await begin();
    expect((await signIn({ query: `state=${first.state}&${query}` }, first.cookie)).status).toBe(200);
    const second = await begin();
    expect((await signIn({ query: `state=${second.state}&${query}` }, second.cookie)).status).toBe(403);
  });

  it('twice by the proof of his own session, which a page that is loaded again has', async () => {
    const { signIn, at } = await page();
    const app = initData({ at: at() });
    const { cookies } = await signIn({ app });
    const again = await signIn({ app }, cookies[0]?.split('; ')[0]);
    expect([again.status, again.cookies]).toEqual([200, []]);
  });

  it.each([
    ['of another bot', initData({ by: `${token}x`, at: start / second })],
    ['that is old', initData({ at: start / second - 300 })],
    ['of a login', login({ at: start / second })],
    ['that is none', 'user=%7B%22id%22%3A5001%7D'],
  ])('by a Mini App with data %s', async (_, app) => {
    const { signIn, ask } = await page();
    const { status, cookies } = await signIn({ app });
    expect([status, cookies]).toEqual([403, []]);
    expect((await ask('/api/places')).status).toBe(401);
  });

  it.each([
    ['no state', () => ''],
    ['a made-up state', () => 'state=x'],
    ['a state of later', (state: string) => `state=${state.replace(/^\d/, '9')}`],
    ['two states', (state: string) => `state=${state}&state=${state}`],
  ])('by a browser that comes back with %s', async (_, stateOf) => {
    const { signIn, begin, at } = await page();
    const { state, cookie } = await begin();
    const { status } = await signIn({ query: `${stateOf(state)}&${login({ at: at() })}` }, cookie);
    expect(status).toBe(403);
  });

  it('by a browser that did not begin, as one that followed a link of somebody else', async () => {
    const { signIn, begin, at } = await page();
    const { state } = await begin();
    const { cookie } = await begin();
    const query = `state=${state}&${login({ at: at() })}`;
    expect((await signIn({ query })).status).toBe(403);
    expect((await signIn({ query }, cookie)).status).toBe(403);
  });

  it('after ten minutes', async () => {
    const wall = fakeClock(start);
    const { signIn, begin, at } = await page({ wall });
    const { state, cookie } = await begin();
    await wall.advance(10 * minute);
    const { status } = await signIn({ query: '', fragment: loginFragment({ at: at() }) }, cookie);
    expect(status).toBe(403);
    expect((await signIn({ query: `state=${state}&${login({ at: at() })}` }, cookie)).status).toBe(403);
  });

  it.each(['/api/sign-in/discord', '/api/sign-in/web', '/api/sign-in/%2F%2Fevil.example'])(
    'by what is no way to sign in: %s',
    async (path) => {
      const { ask } = await page();
      expect((await ask(path, { body: {} })).status).toBe(404);
    },
  );

  it('from another site, or under another name than the page’s', async () => {
    const { ask, at } = await page();
    const body = { app: initData({ at: at() }) };
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { host: 'evil.example' },
    ] as const)
      expect((await ask('/api/sign-in/telegram', { body, headers: { ...headers } })).status).toBe(403);
  });

  it('where the page has no public address', async () => {
    const { ask, signIn, at } = await page({ url: null });
    expect((await ask('/')).text).toContain('content="[]"');
    expect((await signIn({})).status).toBe(404);
    expect((await signIn({ app: initData({ at: at() }) })).status).toBe(404);
  });

  it('by guessing: an address that guesses is slowed', async () => {
    const { signIn } = await page();
    const statuses: number[] = [];
    for (let n = 0; n < 12; n += 1) statuses.push((await signIn({ app: `user=${n}` })).status);
    expect(statuses).toEqual([...Array(10).fill(403), 429, 429]);
  });

  it('and led elsewhere by a path that looks like another host', async () => {
    const { ask, enter } = await page();
    const cookie = await enter();
    for (const path of [
      '//evil.example/',
      '/?room=//evil.example',
      '/?room=telegram:-9&next=//evil.example',
    ]) {
      const { location = '/' } = await ask(path, { cookie });
      expect(String(location)).toMatch(/^\/(\?room=telegram%3A\d+)?$/);
    }
  });
});

describe('a hostile member', () => {
  it.each([
    ['a chat that he is not in', 'telegram:-1002'],
    ['a chat that there is not', 'telegram:-1003'],
    ['the private chat of another', `telegram:${bob.id}`],
    ['a room of the operator', 'main'],
    ['a place of another platform', 'discord:1/2'],
    ['a place that is none', 'telegram:x'],
  ])('neither sees nor changes %s, and Telegram is not asked about it', async (_, room) => {
    const { ask, enter, say, asked, double } = await page();
    const cookie = await enter();
    const before = double.calls.length;
    for (const path of ['/api/rules', '/api/watchlist', '/api/alerts/page', '/api/events', '/api/record']) {
      expect([path, (await ask(`${path}?room=${room}`, { cookie })).status]).toEqual([path, 403]);
    }
    expect((await say('subscribe', { cookie, room })).status).toBe(403);
    expect(asked).toEqual([]);
    expect(double.calls.length).toBe(before);
  });

  it.each([
    '/metrics',
    '/api/status',
    '/api/alerts',
    '/api/deliveries',
    '/api/settings',
    '/api/keys',
    '/api/connecting',
    '/api/destinations',
  ])('does not get what is the operator’s: %s', async (path) => {
    const { ask, enter } = await page();
    const cookie = await enter();
    expect((await ask(`${path}?room=${groupRoom}`, { cookie })).status).toBe(403);
    expect((await ask('/api/v1/subscriptions', { cookie })).status).toBe(401);
  });

  it('writes only from the page itself', async () => {
    const { ask, enter, asked } = await page();
    const cookie = await enter();
    const body = { line: 'subscribe', room: groupRoom };
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'same-site' }] as const)
      expect((await ask('/api/commands', { cookie, body, headers: { ...headers } })).status).toBe(403);
    expect(asked).toEqual([]);
  });

  it('changes nothing with rights that he lost a moment ago', async () => {
    const { say, enter, chat, asked } = await page();
    const cookie = await enter();
    await say('market', { cookie });
    chat.members.set(ada.id, 'member');
    await say('subscribe', { cookie });
    chat.members.set(ada.id, 'left');
    expect((await say('subscribe', { cookie })).status).toBe(403);
    expect(asked.map(({ caller }) => caller.rights)).toEqual([managerRights, memberRights]);
  });

  it('sees nothing more within a minute after he left the chat, or signed out', async () => {
    for (const leave of ['chat', 'page'] as const) {
      const wall = fakeClock(start);
      const { enter, url, chat, ask } = await page({ wall });
      const cookie = await enter();
      const stream = await readEvents(`${url}/api/events?room=${groupRoom}`, undefined, { cookie, host });
      expect(stream.status).toBe(200);
      expect(JSON.parse((await stream.next('snapshot')).data)).toEqual([]);
      if (leave === 'chat') chat.members.set(ada.id, 'left');
      else await ask('/api/logout', { cookie, body: {} });
      for (let n = 0; n < 4; n += 1) await wall.advance(15 * second);
      await stream.closed;
    }
  });

  it('cannot make the bot ask Telegram without end', async () => {
    const { say, enter, double } = await page();
    const cookie = await enter();
    const refused: string[] = [];
    for (let n = 0; n < 105; n += 1) {
      const { status, text } = await say('market', { cookie });
      if (status === 429) refused.push(text);
    }
    expect(refused[0]).toMatch(/asked too often: try again in 1 s/);
    expect(double.calls.length).toBeLessThanOrEqual(200);
  });
});
