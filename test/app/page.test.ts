import { pino } from 'pino';
import { request } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import type { Receiver } from '#src/alert/subscription.ts';
import type { Answering } from '#src/app/answering.ts';
import { openPage } from '#src/app/page.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { createMetrics } from '#src/runtime/metrics.ts';
import { openStore } from '#src/store/open.ts';
import { botStatus } from '#test/support/console.ts';

const receivers: readonly Receiver[] = [
  {
    notifier: 'webhook',
    address: { url: 'https://hooks.example.org:8443/services/T0/B0/secret?key=secret' },
  },
  { notifier: 'telegram', address: { chatId: '-100123', threadId: 7 } },
];
const answering: Answering = {
  ask: () => Promise.reject(new Error('nobody asks')),
  own: () => Promise.reject(new Error('nobody asks')),
  reader: async () => ({ language: 'en', timeZone: 'UTC' }),
  complete: async () => [],
};

it('/api/deliveries shows no secret address', async () => {
  const store = await openStore('file::memory:');
  onTestFinished(() => store.close());
  const delivery = {
    at: 1,
    alertId: 'a',
    revision: 1,
    title: 'A title',
    outcome: 'sent',
    reason: null,
  } as const;
  const { url, close } = await openPage(
    { http: { host: '127.0.0.1', port: 0, hosts: [], token: null } },
    {
      store: {
        ...store,
        deliveries: {
          ...store.deliveries,
          latest: async () => receivers.map((receiver) => ({ ...delivery, receiver })),
        },
      },
      ...{
        answering,
        status: async () => botStatus,
        metrics: createMetrics({}),
        ready: () => ({ started: true, refused: [] }),
      },
      ...{ wall: wallClock, log: pino({ enabled: false }) },
    },
  );
  onTestFinished(close);
  const text = await (await request(`${url}/api/deliveries`)).body.text();
  expect(text).not.toContain('secret');
  expect(JSON.parse(text)).toMatchObject([
    { title: 'A title', receiver: { address: { url: 'https://hooks.example.org:8443/…' } } },
    { receiver: { address: { chatId: '-100123', threadId: 7 } } },
  ]);
});
