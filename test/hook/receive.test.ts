import { beforeEach, describe, expect, it } from 'vitest';
import { createReceiving, type HookOutcome, type HookRequest, namedKeyLifetime } from '#src/hook/receive.ts';
import { sayReading } from '#src/hook/seen-body.ts';
import { plainReader, say } from '#src/language/say.ts';
import { signatureOf } from '#src/runtime/standard-webhooks.ts';
import { day, hour, minute, second } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import type { Store } from '#src/store/ports.ts';
import { start } from '#test/support/alerts.ts';
import { fakeClock } from '#test/support/clock.ts';
import { keptHook, received } from '#test/support/hooks.ts';

let store: Store;
let outcomes: HookOutcome[];
let clock: ReturnType<typeof fakeClock>;
let receive: ReturnType<typeof createReceiving>;
let kept: Awaited<ReturnType<typeof keptHook>>;
let signing: Awaited<ReturnType<typeof keptHook>>;
beforeEach(async () => {
  store = await openStore('file::memory:');
  clock = fakeClock(start);
  kept = await keptHook(store);
  signing = await keptHook(store, { signed: true });
  outcomes = [];
  receive = createReceiving(options());
  return () => store.close();
});

const options = () => ({
  hooks: store.hooks,
  inbox: store.inbox,
  resolveSymbol: (text: string) => text,
  now: clock.now,
  wall: clock,
  steady: clock,
  onStored: () => {},
  onError: () => {},
  onOutcome: (outcome: HookOutcome) => void outcomes.push(outcome),
});

const ask = async (body: string, given: Partial<HookRequest> = {}) => {
  const answer = await receive({
    id: kept.hook.id,
    secret: kept.secret,
    headers: { 'content-type': 'text/plain' },
    body: Buffer.from(body),
    ...given,
  });
  return answer;
};
const waiting = async () => (await store.inbox.waiting(2_000)).length;
/** What the chat is told of refused messages. */
const refusals = async () =>
  (await store.inbox.waiting(2_000)).flatMap(({ signals }) => signals.flatMap(({ notice }) => notice ?? []));

/** Returns the headers and body of a sender that signs. */
function signed(
  body: string,
  { id = 'm1', at = clock.now(), key = signing.secret } = {},
): Partial<HookRequest> {
  const time = String(Math.floor(at / second));
  return {
    id: signing.hook.id,
    secret: undefined,
    headers: {
      'webhook-id': id,
      'webhook-timestamp': time,
      'webhook-signature': `v1,AAAA v1,${signatureOf(body, { id, at: time, signing: key })}`,
    },
  };
}

describe('a hook', () => {
  it('accepts a request with its secret in the path or a header', async () => {
    expect(await ask('one')).toEqual({ status: 202, body: { status: 'accepted', alerts: 1 } });
    const headers = { authorization: `Bearer ${kept.secret}` };
    expect((await ask('two', { secret: undefined, headers })).status).toBe(202);
    expect(await waiting()).toBe(2);
  });

  it.each([
    ['no secret', { secret: undefined }],
    ['another secret', { secret: 'x'.repeat(32) }],
    ['another id', { id: 'nosuchid' }],
  ])('refuses %s without saying which it was', async (_, given) => {
    expect(await ask('one', given)).toEqual({
      status: 401,
      body: { error: 'no hook of this id takes this secret or signature' },
    });
    expect(await waiting()).toBe(0);
  });

  it('whose sender signs accepts what is signed, and nothing else', async () => {
    expect((await ask('x', signed('x'))).status).toBe(202);
    const { hook, secret } = signing;
    const refused = [
      await ask('x', { id: hook.id, secret }),
      await ask('y', signed('x', { id: 'm2' })),
      await ask('x', signed('x', { id: 'm3', key: `whsec_${Buffer.from('another').toString('base64')}` })),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(await waiting()).toBe(1);
  });

  it('refuses a late replay by its time, and ignores one within that time', async () => {
    const first = signed('x');
    expect((await ask('x', first)).status).toBe(202);
    expect(await ask('x', first)).toEqual({ status: 200, body: { status: 'known: nothing has changed' } });
    const late = { status: 401, body: { error: expect.stringMatching(/5 minutes off/) } };
    expect(await ask('x', signed('x', { id: 'm2', at: clock.now() - 6 * minute }))).toEqual(late);
    expect(await ask('x', signed('x', { id: 'm3', at: clock.now() + 6 * minute }))).toEqual(late);
    expect(await ask('x', signed('x', { id: 'm4', at: Number.NaN }))).toMatchObject({ status: 401 });
    expect(await waiting()).toBe(1);
  });

  it('recognizes the same body for five minutes, and the same id for a day', async () => {
    const headers = { 'webhook-id': 'mine' };
    const all = async () => [(await ask('any', { headers })).status, (await ask('words')).status];
    const handle = async () => store.inbox.finish(await store.inbox.waiting(10));
    expect(await all()).toEqual([202, 202]);
    expect(await all()).toEqual([200, 200]);
    await handle();
    await clock.advance(5 * minute + 1);
    expect(await all()).toEqual([200, 202]);
    await handle();
    await clock.advance(namedKeyLifetime);
    expect(await all()).toEqual([202, 202]);
  });

  it('keeps an unhandled message when the same body comes again, however late', async () => {
    await ask('words');
    await clock.advance(day);
    expect((await ask('words')).status).toBe(200);
    expect(await waiting()).toBe(1);
  });

  it('takes 600 requests at once and then ten a second, separately for each hook; the others may come again', async () => {
    const answers = [];
    for (let n = 0; n < 602; n += 1) answers.push(await ask(`n${n}`));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(600);
    expect(answers.at(-1)).toEqual({
      status: 503,
      body: { error: expect.stringMatching(/too often/) },
      retryAfter: 1,
    });
    expect((await ask('x', signed('x'))).status).toBe(202);
    await clock.advance(second / 10);
    expect((await ask('after')).status).toBe(202);
  });

  it('says why it can make nothing of a body', async () => {
    expect(
      await ask('{', {
        headers: { authorization: `Bearer ${kept.secret}`, 'content-type': 'application/json' },
      }),
    ).toEqual({
      status: 400,
      body: { error: 'the body is not JSON' },
    });
    expect(await refusals()).toEqual(['unreadable']);
  });

  it('takes a storm whole: 110 messages at once, 201 alerts in a body, 330 kB', async () => {
    const alerts = Array.from({ length: 201 }, (_, n) => ({ labels: { alertname: 'A', instance: `${n}` } }));
    const large = {
      alerts: [{ labels: { alertname: 'B' }, annotations: { description: 'x'.repeat(330_000) } }],
    };
    for (let n = 0; n < 110; n += 1) expect((await ask(`n${n}`)).status).toBe(202);
    expect(await ask(JSON.stringify({ alerts }))).toEqual({
      status: 202,
      body: { status: 'accepted', alerts: 201 },
    });
    expect((await ask(JSON.stringify(large))).status).toBe(202);
    const kept = await store.inbox.waiting(1_000);
    expect([kept.length, kept.flatMap(({ signals }) => signals).length]).toEqual([112, 312]);
  });

  it('hands on messages in the order in which they came, also of one millisecond, whichever is looked up first', async () => {
    const lookUps: (() => void)[] = [];
    const find: Store['hooks']['find'] = async (id) => {
      await new Promise<void>((resolve) => lookUps.unshift(resolve));
      return store.hooks.find(id);
    };
    receive = createReceiving({ ...options(), hooks: { ...store.hooks, find } });
    const actions = ['buy', 'exit', 'sell', 'close', 'enter_long', 'exit_long'];
    const asked = actions.map((action) => ask(`{"ticker":"BTCUSDT","action":"${action}"}`));
    for (const lookUp of lookUps) lookUp();
    await Promise.all(asked);
    const kept = await store.inbox.waiting(10);
    expect(kept.map(({ signals: [first] }) => first?.ended)).toEqual([false, true, false, true, false, true]);
  });

  it('tells its chat once an hour, in whichever process, that messages were refused, and counts each', async () => {
    const another = createReceiving(options());
    const broken = { body: Buffer.from('{"a":') };
    for (let n = 0; n < 3; n += 1) {
      expect((await ask('', broken)).status).toBe(400);
      const answer = await another({ id: kept.hook.id, secret: kept.secret, headers: {}, ...broken });
      expect(answer.status).toBe(400);
    }
    expect(await refusals()).toEqual(['unreadable']);
    await store.inbox.finish(await store.inbox.waiting(10));
    await clock.advance(hour - 1);
    await ask('', broken);
    expect(await refusals()).toEqual([]);
    await clock.advance(2);
    await ask('', broken);
    expect(await refusals()).toEqual(['unreadable']);
    expect(outcomes).toEqual(Array(8).fill('unreadable'));
  });

  it('says of a body that was too large to be read that it was refused, to those who may know', async () => {
    const large = { body: undefined };
    expect(await ask('', { ...large, secret: 'another' })).toMatchObject({ status: 401 });
    expect(await ask('', { ...large, ...signed(''), body: undefined })).toMatchObject({ status: 413 });
    expect(await refusals()).toEqual([]);
    expect(await ask('', large)).toMatchObject({ status: 413 });
    expect(await refusals()).toEqual(['too-large']);
  });

  it('remembers the last five bodies without their secrets, and how each was read', async () => {
    const entry = (token: string, note: string) =>
      `{"ticker":"BTCUSDT","action":"enter_long","signalToken":"${token}","note":"key ${note}"}`;
    const secret = entry('abc', 'Xy12345678901234567890ab');
    for (const body of ['n0', 'n1', 'n2', 'n3', secret, secret, '{"a": 1, "password":"hunter2"'])
      await ask(body);
    const seen = await store.hooks.recent(kept.hook.id);
    expect(seen.map((each) => [each.body, say(sayReading(each), plainReader)])).toEqual([
      ['{"a": 1, "password":"•••"', 'refused'],
      [entry('•••', '•••'), 'a repetition, ignored'],
      [entry('•••', '•••'), 'BTCUSDT: alert, long'],
      ['n3', 'n3: alert'],
      ['n2', 'n2: alert'],
    ]);
  });

  it.each([
    ['whole up to 300 characters', 300, `${'x '.repeat(149)}xx`],
    ['cut above 300 characters', 301, `${'x '.repeat(149)}x…`],
  ])('remembers a body %s', async (_, length, remembered) => {
    await ask('x '.repeat(149).padEnd(length, 'x'));
    expect((await store.hooks.recent(kept.hook.id)).map(({ body }) => body)).toEqual([remembered]);
  });

  it('answers that a message is stored, even if it cannot be remembered what it was', async () => {
    receive = createReceiving({
      ...options(),
      hooks: { ...store.hooks, note: () => Promise.reject(new Error('the disk is full')) },
    });
    expect((await ask('one')).status).toBe(202);
    expect((await ask('{"a":')).status).toBe(400);
  });

  it('lets 1,000 messages wait, then says when to try again, and tells its chat beside them', async () => {
    const terms = { since: start, maxWaiting: 999 };
    for (let n = 0; n < 999; n += 1)
      await store.inbox.accept({ ...received(), hook: kept.hook.id, key: `k${n}` }, terms);
    expect(await ask('the last')).toMatchObject({ status: 202 });
    expect(await ask('one more')).toMatchObject({ status: 503, retryAfter: 60 });
    expect([await waiting(), await refusals()]).toEqual([1_001, ['full']]);
  });

  it('fails if it cannot store a message, so that the sender tries again', async () => {
    await store.close();
    await expect(ask('x')).rejects.toThrow();
    store = await openStore('file::memory:');
  });
});
