import { beforeEach, describe, expect, it } from 'vitest';
import { createReceiving, type HookRequest, namedKeyLifetime } from '#src/hook/receive.ts';
import { signatureOf } from '#src/runtime/standard-webhooks.ts';
import { day, minute, second } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import type { Store } from '#src/store/store.ts';
import { start } from '#test/support/alerts.ts';
import { fakeClock } from '#test/support/clock.ts';
import { keptHook } from '#test/support/hooks.ts';

let store: Store;
let clock: ReturnType<typeof fakeClock>;
let receive: ReturnType<typeof createReceiving>;
let kept: Awaited<ReturnType<typeof keptHook>>;
let signing: Awaited<ReturnType<typeof keptHook>>;
beforeEach(async () => {
  store = await openStore('file::memory:');
  clock = fakeClock(start);
  kept = await keptHook(store);
  signing = await keptHook(store, { signed: true });
  receive = createReceiving({
    hooks: store.hooks,
    inbox: store.inbox,
    resolveSymbol: (text) => text,
    now: clock.now,
    wall: clock,
    steady: clock,
    onStored: () => {},
  });
  return () => store.close();
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
const waiting = async () => (await store.inbox.waiting(1_000)).length;

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
    const all = async () => [(await ask('words')).status, (await ask('any', { headers })).status];
    const handle = async () => store.inbox.finish(await store.inbox.waiting(10));
    expect(await all()).toEqual([202, 202]);
    expect(await all()).toEqual([200, 200]);
    await handle();
    await clock.advance(5 * minute + 1);
    expect(await all()).toEqual([202, 200]);
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

  it('accepts 60 requests at once and then one a second, separately for each hook', async () => {
    const answers = [];
    for (let n = 0; n < 62; n += 1) answers.push(await ask(`n${n}`));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(60);
    expect(answers.at(-1)).toEqual({
      status: 429,
      body: { error: expect.stringMatching(/too often/) },
      retryAfter: 1,
    });
    expect((await ask('x', signed('x'))).status).toBe(202);
    await clock.advance(second);
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
    expect(await waiting()).toBe(0);
  });

  it('says when to try again if too many messages wait', async () => {
    const among = { hooks: store.hooks, inbox: { accept: async () => 'full' as const } };
    receive = createReceiving({
      ...among,
      resolveSymbol: (text) => text,
      now: clock.now,
      wall: clock,
      steady: clock,
      onStored: () => {},
    });
    expect(await ask('one more')).toMatchObject({ status: 503, retryAfter: 60 });
  });

  it('fails if it cannot store a message, so that the sender tries again', async () => {
    await store.close();
    await expect(ask('x')).rejects.toThrow();
    store = await openStore('file::memory:');
  });
});
