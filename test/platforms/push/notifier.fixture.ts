import type { DeliveryFailure } from '#src/language/errors.ts';
import { newKey } from '#src/platforms/push/vapid.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { createBrowser, startPushService, trustDouble } from '#test/support/push-service.ts';
import type { NotifierFixture } from '../fixture.ts';

const now = Date.UTC(2026, 2, 14, 9, 30);
const key = newKey();
const ports = { wall: { ...wallClock, now: () => now }, recall: async () => key };
const browser = createBrowser();
const { p256dh, auth } = browser;
const elsewhere = { endpoint: 'https://127.0.0.1:1/path-secret', p256dh, auth };

async function open(given: Partial<Parameters<typeof startPushService>[0]> = {}) {
  const restore = trustDouble();
  const service = await startPushService({ now: () => now, ...given });
  return {
    ports,
    address: { endpoint: service.endpoint, p256dh, auth },
    received: () => service.waiting().map(({ body }) => browser.read(body)),
    async close() {
      await service.close();
      restore();
    },
  };
}

const status = (code: number, expected: DeliveryFailure, headers: Record<string, string> = {}) => ({
  name: `${code} ${JSON.stringify(headers)}`,
  expected,
  arrange: () => open({ answer: { status: code, headers } }),
});

const at = (name: string, expected: DeliveryFailure, address: Record<string, string>) => ({
  name,
  expected,
  arrange: async () => ({ ports, address, close: async () => undefined }),
});

export default {
  overHttp: true,
  options: { timeout: '2s', services: ['127.0.0.1', '10.0.0.1'], allow: ['127.0.0.1'] },
  secrets: [key, 'path-secret', 'token-of-a-browser', auth, p256dh],
  shown: [
    [
      { endpoint: 'https://fcm.googleapis.com/fcm/send/path-secret', p256dh, auth },
      { endpoint: 'https://fcm.googleapis.com/…' },
    ],
  ],
  refused: [
    { ...elsewhere, endpoint: 'http://fcm.googleapis.com/x' },
    { ...elsewhere, endpoint: 'https://user:password@fcm.googleapis.com/x' },
    { ...elsewhere, endpoint: `https://fcm.googleapis.com/${'x'.repeat(1_000)}` },
    { ...elsewhere, p256dh: Buffer.alloc(65, 4).toString('base64url') },
    { ...elsewhere, p256dh: p256dh.slice(0, -2) },
    { ...elsewhere, auth: `${auth}AA` },
    { ...elsewhere, site: 'http://example.org' },
    { endpoint: elsewhere.endpoint },
  ],
  open,
  failures: [
    status(404, { kind: 'gone' }),
    status(410, { kind: 'gone' }),
    status(429, { kind: 'rate_limited', retryAfter: 7_000 }, { 'retry-after': '7' }),
    status(429, { kind: 'rate_limited', retryAfter: 60_000 }),
    status(401, { kind: 'missing' }),
    status(403, { kind: 'missing' }),
    status(400, { kind: 'rejected' }),
    status(413, { kind: 'rejected' }),
    status(301, { kind: 'missing' }, { location: 'https://127.0.0.1:1/' }),
    status(500, { kind: 'unavailable', accepted: 'unknown' }),
    status(503, { kind: 'unavailable', accepted: 'no' }),
    at('nobody listens', { kind: 'unavailable', accepted: 'no' }, elsewhere),
    ...['127.0.0.1.example', '10.0.0.1'].map((host) =>
      at(
        `no push service that browsers use: ${host}`,
        { kind: 'rejected' },
        { ...elsewhere, endpoint: `https://${host}/path-secret` },
      ),
    ),
    {
      name: 'a database without the key',
      expected: { kind: 'missing' },
      arrange: async () => ({
        ports: { ...ports, recall: async () => undefined },
        address: elsewhere,
        close: async () => undefined,
      }),
    },
  ],
} satisfies NotifierFixture;
