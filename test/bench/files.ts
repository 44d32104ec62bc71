import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parse } from 'yaml';
import { applyPlaces } from '#src/app/files/keep-files.ts';
import type { PlaceFiles } from '#src/app/files/place-files.ts';
import { planSummary } from '#src/app/files/plan-lines.ts';
import { readPlaces } from '#src/app/files/read.ts';
import { openInThread } from '#src/app/files/sheet-thread.ts';
import web from '#src/platforms/web/platform.ts';
import { openStore } from '#src/store/open.ts';
import { commandContext } from '../support/commands.ts';
import { now, universe } from '../support/data.ts';
import { serverNoted } from '../support/postgres.ts';
import { servePostgres } from '../support/postgres-server.ts';
import { type Figure, report } from './measuring/figures.ts';

const places = 50;
const ofEach = 10;

/** Returns a file in which half of the entries look as exported, half as typed by hand; no two are alike. */
const written = (level: number): PlaceFiles => {
  const text = Array.from({ length: places }, (_, room) =>
    [
      `- at: web:room-${room}`,
      '  subscriptions:',
      ...Array.from({ length: ofEach }, (_, n) => {
        const symbols = universe.filter((_, at) => (((n + 1) >> at) & 1) === 1);
        return n % 2 === 0
          ? `    - { kinds: [funding-extreme, liquidation-burst], symbols: [${symbols}], severity: warning }`
          : `    - funding-extreme ${symbols} severity=warning`;
      }),
      '  alerts:',
      ...Array.from({ length: ofEach }, (_, n) =>
        n % 2 === 0
          ? `    - { name: level ${n}, when: price.last > ${level + n} && funding.z > 1.${room}, symbols: [BTCUSDT], for: 10m }`
          : `    - btc > ${level + 1_000 * room + n} for=10m`,
      ),
    ].join('\n'),
  );
  return { texts: { 'all.yaml': text.join('\n') }, variables: {} };
};

async function onDatabase(name: string, url: string): Promise<Figure[]> {
  const store = await openStore(url);
  const { kinds } = commandContext();
  const apply = async (files: PlaceFiles) => {
    const [begun, from] = [performance.now(), process.cpuUsage()];
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const context = { platforms: [web], kinds, universe, now, open: openInThread };
    const { wanted, flaws } = await readPlaces(files, context);
    const plan = await applyPlaces(wanted, { files: store.files, at: now });
    delay.disable();
    if (flaws.length > 0) throw new Error(JSON.stringify(flaws[0]));
    const { user, system } = process.cpuUsage(from);
    const seconds = (performance.now() - begun) / 1_000;
    const held = { p99: delay.percentile(99) / 1e6, most: delay.max / 1e6 };
    return { seconds, processor: (user + system) / 1e6, held, done: planSummary(plan) };
  };
  const first = await apply(written(100_000));
  const same = await apply(written(100_000));
  const changed = await apply(written(200_000));
  const expected = ['+500 subscriptions, +500 alerts', undefined, '+250 alerts, ~250 alerts, −250 alerts'];
  const done = [first.done, same.done, changed.done];
  if (JSON.stringify(done) !== JSON.stringify(expected))
    throw new Error(`applied was ${JSON.stringify(done)}`);
  await store.close();
  const bound = { most: 2 };
  return [
    { name: `read and applied, ${name}`, value: first.seconds, unit: 's', bound },
    { name: `of that processor time, ${name}`, value: first.processor, unit: 's' },
    ...(['p99', 'most'] as const).map((which) => ({
      name: `the event loop is held meanwhile, ${which}, ${name}`,
      value: Math.max(...[first, same, changed].map(({ held }) => held[which])),
      unit: 'ms',
      ...(which === 'p99' && { bound: { most: 50 } }),
    })),
    { name: `read again, nothing to change, ${name}`, value: same.seconds, unit: 's', bound },
    { name: `every alert changed, ${name}`, value: changed.seconds, unit: 's', bound },
  ];
}

/** `npm run bench -- files`: 1,000 subscriptions and alerts of 50 places from YAML, on either database. */
export default async function files(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-bench-'));
  const served = await servePostgres();
  const server = await serverNoted(served.note);
  try {
    const begun = performance.now();
    for (const text of Object.values(written(1).texts)) parse(text);
    const parsed = (performance.now() - begun) / 1_000;
    const figures = [
      ...(await onDatabase('SQLite', `file:${join(folder, 'bot.db')}`)),
      ...(await onDatabase('Postgres', await server.fresh())),
    ];
    const baseline = { name: 'parsing the YAML alone', value: parsed };
    report(
      '1,000 subscriptions and alerts of 50 places in a file',
      figures.map((figure) => ({ ...figure, baseline })),
    );
  } finally {
    await server.stop();
    await served.stop();
    await rm(folder, { recursive: true });
  }
}
