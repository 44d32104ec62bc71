import { expect, it, onTestFinished } from 'vitest';
import type { Receiver } from '#src/alert/subscription.ts';
import { createReport } from '#src/app/monitoring.ts';
import { addressesOf } from '#src/platforms/platform.ts';
import telegram from '#src/platforms/telegram/platform.ts';
import webhook from '#src/platforms/webhook/platform.ts';
import { openStore } from '#src/store/open.ts';
import { botStatus } from '#test/support/console.ts';

const receivers: readonly Receiver[] = [
  {
    notifier: 'webhook',
    address: { url: 'https://hooks.example.org:8443/services/T0/B0/secret?key=secret' },
  },
  { notifier: 'telegram', address: { chatId: '-100123', threadId: 7 } },
  { notifier: 'not-in-use', address: { key: 'secret' } },
];

it('a report of deliveries shows no secret address', async () => {
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
  const latest = async () => receivers.map((receiver) => ({ ...delivery, receiver }));
  const report = createReport({
    store: { ...store, deliveries: { ...store.deliveries, latest } },
    metrics: { text: async () => '' },
    requiredRoles: [],
    shown: addressesOf([telegram, webhook]).shown,
    status: async () => botStatus,
    ready: () => ({ started: true, refusedPlatforms: [] }),
  });
  const deliveries = await report.deliveries();
  expect(JSON.stringify(deliveries)).not.toContain('secret');
  expect(deliveries).toMatchObject([
    { title: 'A title', receiver: { address: { url: 'https://hooks.example.org:8443/…' } } },
    { receiver: { address: { chatId: '-100123', threadId: 7 } } },
    { receiver: { notifier: 'not-in-use', address: {} } },
  ]);
});
