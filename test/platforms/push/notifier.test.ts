import { createECDH } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Card } from '#src/card/card.ts';
import type { Notification } from '#src/platforms/notifier.ts';
import { encrypt } from '#src/platforms/push/encrypt.ts';
import { openNotifier, type PushMessage } from '#src/platforms/push/notifier.ts';
import { options } from '#src/platforms/push/options.ts';
import { newKey, publicKey } from '#src/platforms/push/vapid.ts';
import { hour } from '#src/runtime/units.ts';
import { alertCard } from '#test/support/console.ts';
import { notifierPorts } from '#test/support/ports.ts';
import { createBrowser, decrypt, startPushService, trustDouble } from '#test/support/push-service.ts';

const bytes = (text: string) => Buffer.from(text, 'base64url');

describe('the example of RFC 8291, appendix A', () => {
  const plain = 'When I grow up, I want to be a watermelon';
  const browser = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  };
  const message =
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN';

  it('is encrypted to the same bytes', () => {
    const sender = {
      salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'),
      privateKey: bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
    };
    expect(encrypt(Buffer.from(plain), browser, sender).toString('base64url')).toBe(message);
  });

  it('is read by the double as by a browser', () => {
    const keys = createECDH('prime256v1');
    keys.setPrivateKey(bytes('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94'));
    expect(decrypt(bytes(message), { keys, auth: bytes(browser.auth) })).toBe(plain);
  });
});

describe('posts to a browser', () => {
  const now = Date.UTC(2026, 2, 14, 9, 30);
  const key = newKey();
  const never = new AbortController().signal;
  const given = (id: string, card: Card<string> = alertCard): Notification => ({
    id,
    version: 'v1',
    card,
    loud: true,
    doubt: false,
  });
  let restore: () => void;
  beforeAll(() => {
    restore = trustDouble();
  });
  afterAll(() => restore());

  async function connect(site?: string) {
    const service = await startPushService({ now: () => now, subscribedWith: publicKey(key) });
    const browser = createBrowser();
    const connection = openNotifier(
      options.parse({ services: ['127.0.0.1'], allow: ['127.0.0.1'] }),
      notifierPorts({
        recall: async (name) => (name === 'push key' ? key : undefined),
        wall: { now: () => now, sleep: async () => {} },
      }),
    );
    const { p256dh, auth } = browser;
    const address = { endpoint: service.endpoint, p256dh, auth, ...(site !== undefined && { site }) };
    return {
      connection,
      service,
      to: { address, signal: never },
      shown: () => service.waiting().map(({ body }) => JSON.parse(browser.read(body)) as PushMessage),
      async [Symbol.asyncDispose]() {
        await connection.close?.();
        await service.close();
      },
    };
  }

  it('are signed with the key that the browser subscribed with, and name the page’s site as whom to turn to', async () => {
    await using place = await connect('https://tocsin.example');
    await place.connection.send(given('n-1'), place.to);
    expect(place.service.refused).toEqual([]);
    expect(place.service.waiting()).toMatchObject([
      { signer: publicKey(key), ttl: (4 * hour) / 1_000, urgency: 'high', subject: 'https://tocsin.example' },
    ]);
  });

  it('an edit takes the place of the post, on the screen and while the browser is away, without a sound', async () => {
    await using place = await connect();
    const reference = await place.connection.send(given('n-1'), place.to);
    const over = given('n-1', { ...alertCard, title: 'It is over' });
    await place.connection.edit?.(reference, { notification: over, ...place.to });
    expect(place.shown()).toEqual([
      expect.objectContaining({ tag: 'n-1', title: 'It is over', silent: true }),
    ]);
  });

  it('a reply rings and takes the place of its post; the line that points on to it changes nothing', async () => {
    await using place = await connect();
    const first = await place.connection.send(given('n-1'), place.to);
    const escalated = { ...given('n-2', { ...alertCard, title: 'Worse' }), replyTo: first };
    const second = await place.connection.send(escalated, place.to);
    const pointer = { ...given('n-1', { ...alertCard, title: 'See below' }), onlyEdit: true };
    await place.connection.edit?.(first, { notification: pointer, ...place.to });
    expect(place.shown()).toEqual([expect.objectContaining({ tag: 'n-1', title: 'Worse', silent: false })]);
    const over = given('n-2', { ...alertCard, title: 'It is over' });
    await place.connection.edit?.(second, { notification: over, ...place.to });
    expect(place.shown()).toEqual([expect.objectContaining({ tag: 'n-1', title: 'It is over' })]);
  });

  it('posts about different alerts stand side by side', async () => {
    await using place = await connect();
    for (const id of ['n-1', 'n-2']) await place.connection.send(given(id), place.to);
    expect(place.shown().map(({ tag }) => tag)).toEqual(['n-1', 'n-2']);
  });

  it('the longest card fits into what a push service takes', async () => {
    await using place = await connect();
    const long = '"日本 \\ 🚨\n'.repeat(1_000);
    await place.connection.send(
      given('n'.repeat(60), { ...alertCard, title: long, summary: long }),
      place.to,
    );
    expect(place.service.refused).toEqual([]);
    const [message] = place.shown();
    expect(message?.body.length).toBeGreaterThan(300);
  });
});
