import { join } from 'node:path';
import { serverNoted } from '../support/postgres.ts';
import { servePostgres } from '../support/postgres-server.ts';
import { fannedOut } from './fan-out/measure.ts';
import type { FannedOut } from './fan-out/process.ts';
import { subscribe } from './fan-out/subscriptions.ts';
import { plainInserts } from './measuring/baselines.ts';
import { none, percentile, report } from './measuring/figures.ts';
import { inFolder, load } from './measuring/program.ts';

const everyone = 100_000;

/** `npm run bench -- fan-out`: how fast, and how smoothly, an alert reaches everyone, on SQLite and on Postgres. */
export default async function fanOut(): Promise<void> {
  await toEveryone('fan-out: one alert to 100,000 subscriptions', { least: 3_000, on: onSqlite });
  await toEveryone('fan-out: one alert to 100,000 subscriptions, on Postgres', {
    least: 2_500,
    on: onPostgres,
  });

  // A tenth wants all symbols, the others one each: every alert is matched against all 10,000 and reaches 1,180.
  const [subscribed, alerts] = [10_000, 50];
  const reached = subscribed / 10 + (subscribed * 0.9) / alerts;
  const many = await onSqlite({
    subscriptions: subscribed,
    expected: Array(alerts).fill(reached),
    symbolsOf: (index) => (index % 10 === 0 ? null : [`S${(index - Math.ceil(index / 10)) % alerts}USDT`]),
  });
  report('fan-out: 50 alerts, one after the other, to 10,000 subscriptions', [
    {
      name: 'first message after the poll, p99',
      value: percentile(many.first, 0.99),
      unit: 'ms',
      bound: { most: 100 },
    },
    { name: 'first message after the poll, p50', value: percentile(many.first, 0.5), unit: 'ms' },
    { name: 'all enqueued, p99', value: percentile(many.enqueued, 0.99), unit: 'ms' },
    { name: 'event-loop delay, p99', value: many.delay.p99, unit: 'ms', bound: { most: 50 } },
    none('sent twice or astray', many.wrong, 'messages'),
    load(),
  ]);
}

interface Asked {
  readonly subscriptions: number;
  readonly expected: readonly number[];
  readonly symbolsOf: (index: number) => readonly string[] | null;
}
type Measure = (asked: Asked) => Promise<FannedOut>;

async function toEveryone(
  name: string,
  { least, on }: { readonly least: number; readonly on: Measure },
): Promise<void> {
  const one = await on({ subscriptions: everyone, expected: [everyone], symbolsOf: () => null });
  const baseline = await plainInserts(everyone);
  const seconds = (one.delivered[0] ?? Number.NaN) / 1_000;
  report(name, [
    {
      name: 'first message after the poll',
      value: one.first[0] ?? Number.NaN,
      unit: 'ms',
      bound: { most: 500 },
    },
    {
      name: 'all enqueued',
      value: (one.enqueued[0] ?? Number.NaN) / 1_000,
      unit: 's',
      bound: { most: 10 },
      baseline,
    },
    {
      name: 'event-loop delay, p99, until all are sent',
      value: one.delay.p99,
      unit: 'ms',
      bound: { most: 50 },
    },
    { name: 'event-loop delay, worst', value: one.delay.max, unit: 'ms' },
    { name: 'peak memory of the process', value: one.peakMemory / 1e6, unit: 'MB', bound: { most: 400 } },
    none('sent twice or astray', one.wrong, 'messages'),
    { name: 'all sent', value: seconds, unit: 's', baseline },
    { name: 'sent', value: everyone / seconds, unit: 'messages/s', bound: { least } },
    {
      name: 'processor time of each',
      value: one.processor / 1_000 / one.messages,
      unit: 'ms',
      bound: { most: 0.2 },
    },
    load(),
  ]);
}

const onSqlite: Measure = ({ subscriptions, expected, symbolsOf }) =>
  inFolder(async (folder) => {
    const url = `file:${join(folder, 'tocsin.db')}`;
    await subscribe(url, subscriptions, symbolsOf);
    return fannedOut({ url, subscriptions, expected });
  });

const onPostgres: Measure = async ({ subscriptions, expected, symbolsOf }) => {
  const server = await servePostgres();
  try {
    const url = await (await serverNoted(server.note)).fresh();
    await subscribe(url, subscriptions, symbolsOf);
    return await fannedOut({ url, subscriptions, expected });
  } finally {
    await server.stop();
  }
};
