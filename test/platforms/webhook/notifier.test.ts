import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Connection, Notification } from '#src/platforms/notifier.ts';
import type { NotifierPorts } from '#src/platforms/ports.ts';
import { openNotifier } from '#src/platforms/webhook/notifier.ts';
import { options } from '#src/platforms/webhook/options.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { alertCard } from '#test/support/console.ts';
import { notifierPorts } from '#test/support/ports.ts';
import { receiver } from '../receiver.ts';
import fixture, { now } from './notifier.fixture.ts';

const notification: Notification = {
  id: 'n-1',
  version: 'v1',
  card: alertCard,
  loud: false,
  doubt: false,
  replyTo: 'n-0',
};
const never = new AbortController().signal;

const connect = (ports: Partial<NotifierPorts> = {}): Connection =>
  openNotifier(
    options.parse(fixture.options),
    notifierPorts({ wall: { ...wallClock, now: () => now }, ...ports }),
  );

describe('the webhook', () => {
  it('signs its requests by Standard Webhooks with one secret per URL, and sends an id per attempt', async () => {
    const { url, arrivals, close } = await receiver();
    const connection = connect();
    await connection.send(notification, { address: { url }, signal: never });
    const [arrival] = arrivals;
    const hmac = (key: string | Buffer, text: string) =>
      createHmac('sha256', key).update(text).digest('base64');
    const own = Buffer.from(hmac(fixture.options.secret, url), 'base64');
    expect(arrival?.headers).toMatchObject({
      'webhook-id': 'n-1-v1',
      'webhook-timestamp': String(now / 1_000),
      'webhook-signature': `v1,${hmac(own, `n-1-v1.${now / 1_000}.${arrival?.body}`)}`,
    });
    expect(arrival?.headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(arrival?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(arrival?.body ?? '')).toMatchObject({
      id: 'n-1',
      loud: false,
      replyTo: 'n-0',
      card: { title: alertCard.title, severity: 'critical' },
    });
    await connection.close?.();
    await close();
  });

  it('connects to the address that was checked, even if the name resolves to another one afterwards', async () => {
    const { port, arrivals, close } = await receiver();
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    const connection = connect({
      resolve: async () => (answers.shift() ?? []).map((address) => ({ address, family: 4 })),
    });
    await connection.send(notification, {
      address: { url: `http://rebound.example:${port}/` },
      signal: never,
    });
    expect(arrivals.map(({ headers }) => headers.host)).toEqual([`rebound.example:${port}`]);
    expect(answers).toEqual([['10.0.0.1']]);
    await connection.close?.();
    await close();
  });

  it('does not follow redirects', async () => {
    const target = await receiver();
    const source = await receiver((_request, response) =>
      response.writeHead(302, { location: target.url }).end(),
    );
    const connection = connect();
    await expect(
      connection.send(notification, { address: { url: source.url }, signal: never }),
    ).rejects.toThrow('redirect');
    expect(target.arrivals).toEqual([]);
    await connection.close?.();
    await source.close();
    await target.close();
  });

  it('counts a message as delivered on a 2xx status, without reading the body to its end', async () => {
    const { url, close } = await receiver((_request, response) => {
      response.writeHead(200);
      response.write('x'.repeat(200_000));
    });
    const connection = connect();
    await expect(connection.send(notification, { address: { url }, signal: never })).resolves.toBe('n-1');
    await connection.close?.();
    await close();
  });

  it('requires a secret of sufficient length', () => {
    expect(options.safeParse({}).success).toBe(false);
    expect(options.safeParse({ secret: 'short' }).success).toBe(false);
  });
});
