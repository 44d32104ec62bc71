import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { contract, type EndpointAnswer, type EndpointName } from '#src/contract/index.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { minute, second } from '#src/runtime/units.ts';
import { type EmbeddedOptions, startEmbedded } from '#src/service/embedded.ts';
import { bareServer, plainInserts } from './measuring/baselines.ts';
import { percentile, report } from './measuring/figures.ts';
import { load } from './measuring/program.ts';

/** Takes minutes. */
export const slow = true;

/** Endpoints that people and detectors ask for during the backfill; while data arrives every answer is built anew. */
const asked: readonly EndpointName[] = [
  'meta',
  'regime',
  'fundingExtremes',
  'oiMomentum',
  'liquidations',
  'basis',
];

/**
 * `npm run bench -- backfill -- [--symbols 100]`: measures a first start with 30 symbols and a later one, then loading the
 * whole past of many symbols from the simulator, and how long requests wait in the meantime.
 */
export default async function backfill(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { symbols: { type: 'string', default: '100' } },
  });
  const symbols = Number(values.symbols);
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-backfill-'));
  const options = (file: string, tracked: number): EmbeddedOptions => ({
    market: { kind: 'simulated', seed: 7, symbols: Math.max(30, tracked) },
    speed: 1,
    host: '127.0.0.1',
    port: 0,
    archiveUrl: `file:${join(folder, file)}`,
    symbols: tracked,
    log: pino({ level: 'error' }),
  });
  try {
    const first = await readyIn(options('small.db', 30));
    const later = await readyIn(options('small.db', 30));
    const whole = await fill(options('large.db', symbols));
    const sizes = await Promise.all(
      (await readdir(folder))
        .filter((file) => file.startsWith('large.db'))
        .map(async (file) => (await stat(join(folder, file))).size),
    );
    const rows = rowsOf(join(folder, 'large.db'));
    const { ready: bare } = await bareServer();
    const plain = await plainInserts(rows);
    const size = sizes.reduce((sum, bytes) => sum + bytes, 0);
    report(`The past from the simulator, seed 7`, [
      {
        name: 'first start ready, 30 symbols',
        value: first / second,
        unit: 's',
        bound: { most: 15 },
        baseline: bare,
      },
      { name: 'later start ready', value: later / second, unit: 's', bound: { most: 3 }, baseline: bare },
      {
        name: `whole past, ${symbols} symbols`,
        value: whole.took / minute,
        unit: 'min',
        bound: { most: 3 },
        baseline: { name: `${plain.name} of as many rows`, value: (plain.value * second) / minute },
      },
      { name: 'rows of the archive', value: rows, unit: '' },
      { name: 'archive', value: size / 1e9, unit: 'GB', bound: { most: 1.5 } },
      { name: 'queries meanwhile', value: whole.waits.length, unit: '' },
      { name: 'query, median', value: percentile(whole.waits, 0.5), unit: 'ms' },
      { name: 'query, 99 %', value: percentile(whole.waits, 0.99), unit: 'ms' },
      { name: 'query, longest', value: percentile(whole.waits, 1), unit: 'ms', bound: { most: 100 } },
      load(),
    ]);
    console.log(whole.slowest.map(([wait, name]) => `  ${wait.toFixed(0)} ms ${name}`).join('\n'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the number of rows of all tables. */
function rowsOf(file: string): number {
  const sqlite = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = sqlite.prepare("select name from sqlite_schema where type = 'table'").all();
    return tables.reduce((sum, { name }) => {
      const { rows } = sqlite.prepare(`select count(*) as rows from "${name}"`).get() ?? {};
      return sum + Number(rows);
    }, 0);
  } finally {
    sqlite.close();
  }
}

/** Starts the service and returns the wall ms until it is ready. */
async function readyIn(options: EmbeddedOptions): Promise<number> {
  const began = performance.now();
  const service = await startEmbedded(options);
  await service.ready;
  const took = performance.now() - began;
  await service.close();
  return took;
}

async function fill(options: EmbeddedOptions) {
  const began = performance.now();
  const service = await startEmbedded(options);
  const waits: [number, string][] = [];
  const ask = async <Name extends EndpointName>(name: Name): Promise<EndpointAnswer<Name>> => {
    const sent = performance.now();
    const response = await fetch(`${service.url}${contract[name].path}`, {
      headers: { 'x-api-key': service.apiKey.reveal() },
    });
    const body = await response.json();
    waits.push([performance.now() - sent, name]);
    return body as EndpointAnswer<Name>;
  };
  await service.ready;
  waits.length = 0;
  for (let turn = 0; ; turn += 1) {
    const { backfill } = await ask('meta');
    if (backfill === 1) break;
    await ask(asked[turn % asked.length] ?? 'meta');
    await wallClock.sleep(20);
  }
  const took = performance.now() - began;
  await service.close();
  return {
    took,
    waits: waits.map(([wait]) => wait),
    slowest: waits.toSorted(([a], [b]) => b - a).slice(0, 5),
  };
}
