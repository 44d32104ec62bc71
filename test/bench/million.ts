import { join } from 'node:path';
import { receiverKey } from '#src/alert/subscription.ts';
import { openStore } from '#src/store/open.ts';
import { serverNoted } from '../support/postgres.ts';
import { servePostgres } from '../support/postgres-server.ts';
import { fannedOut } from './fan-out/measure.ts';
import { keepMillion, keepWaiting } from './fan-out/million.ts';
import { receiverOf } from './fan-out/subscriptions.ts';
import { percentile, report } from './measuring/figures.ts';
import { inFolder, load } from './measuring/program.ts';

export const slow = true;

const count = 1_000_000;

/** Number of times that each query runs. */
const times = 25;

/** `npm run bench -- million`: a million subscriptions on SQLite, and the queries over them also on Postgres. */
export default async function million(): Promise<void> {
  await inFolder((folder) => statements('SQLite', `file:${join(folder, 'tocsin.db')}`));
  const postgres = await servePostgres();
  try {
    await statements('Postgres', await (await serverNoted(postgres.note)).fresh());
  } finally {
    await postgres.stop();
  }
  await inFolder(async (folder) => {
    const url = `file:${join(folder, 'tocsin.db')}`;
    await keepMillion(url, count);
    const all = await fannedOut({ url, subscriptions: count, expected: [count], until: 'enqueued' });
    report('million: one alert to 1,000,000 subscriptions of 3,000 matchers, on SQLite, while it is sent', [
      {
        name: 'first message after the poll',
        value: (all.first[0] ?? Number.NaN) / 1_000,
        unit: 's',
        bound: { most: 1 },
      },
      {
        name: 'all enqueued',
        value: (all.enqueued[0] ?? Number.NaN) / 1_000,
        unit: 's',
        bound: { most: 60 },
      },
      { name: 'sent until then', value: all.messages, unit: 'messages' },
      { name: 'event-loop delay, p99', value: all.delay.p99, unit: 'ms', bound: { most: 50 } },
      {
        name: 'peak memory of the process',
        value: all.peakMemory / 1e6,
        unit: 'MB',
        bound: { most: 500 },
      },
      { name: 'sent twice or astray', value: all.wrong, unit: 'messages', bound: { most: 0 } },
      load(),
    ]);
  });
}

async function statements(database: string, url: string): Promise<void> {
  await keepMillion(url, count);
  await keepWaiting(url, count);
  const store = await openStore(url);
  try {
    const keys = Array.from({ length: 64 }, (_, n) => receiverKey(receiverOf(n * 15_000)));
    const asked = {
      'symbols that are wanted': () => store.subscriptions.symbols(),
      'firing alerts that decide': () => store.alerts.firing(['data-quality', 'data-blind']),
      'whose turn it is, 64': () =>
        store.outbox.next({ notifier: 'discord', now: 1, count: 64, fits: () => true }),
      'what is due to 64': () => store.outbox.look(keys, 1),
      backlog: () => store.outbox.backlog(),
    };
    const figures = [];
    for (const [name, ask] of Object.entries(asked)) {
      const took: number[] = [];
      for (let n = 0; n < times; n += 1) {
        const begun = performance.now();
        await ask();
        took.push(performance.now() - begun);
      }
      figures.push({ name, value: percentile(took, 0.5), unit: 'ms', bound: { most: 5 } });
    }
    report(`million: statements over 1,000,000 subscriptions, all waiting, on ${database}, median`, [
      ...figures,
      load(),
    ]);
  } finally {
    await store.close();
  }
}
