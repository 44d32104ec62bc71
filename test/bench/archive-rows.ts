import { statSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '#src/database/open.ts';
import { hour, minute } from '#src/runtime/units.ts';
import type { Archive } from '#src/service/archive/archive.ts';
import { migrations } from '#src/service/archive/migrations.ts';
import { archiveIn } from '#src/service/archive/open.ts';
import { query, serverNoted } from '../support/postgres.ts';
import { servePostgres } from '../support/postgres-server.ts';
import { type Figure, percentile, report } from './measuring/figures.ts';
import { inFolder, load } from './measuring/program.ts';

/** It writes millions of rows. */
export const slow = true;

const symbols = Array.from({ length: 100 }, (_, n) => `S${n}USDT`);
const step = 5 * minute;
const begin = Date.parse('2020-01-01');
const timesAtOnce = 100;
const questions = 200;

/**
 * `npm run bench -- archive-rows -- 1 10`: what so many million rows of open interest (100 markets, every five minutes) cost
 * on each database: their writing, their disk, and what is asked of them most.
 */
export default async function archiveRows(given: readonly string[]): Promise<void> {
  const millions = (given.length === 0 ? ['1', '10'] : given).map(Number).sort((a, b) => a - b);
  await inFolder(async (folder) => {
    const path = join(folder, 'archive.db');
    const size = async () => statSync(path).size;
    await measure('SQLite', { url: `file:${path}`, size, millions });
  });
  const server = await servePostgres();
  try {
    const url = await (await serverNoted(server.note)).fresh();
    const size = async () =>
      Number((await query(url, 'select pg_database_size(current_database()) as size'))[0]?.size);
    await measure('Postgres', { url, size, millions });
  } finally {
    await server.stop();
  }
}

async function measure(
  name: string,
  {
    url,
    size,
    millions,
  }: { readonly url: string; readonly size: () => Promise<number>; readonly millions: readonly number[] },
): Promise<void> {
  const database = await openDatabase<unknown>(url, { migrations });
  const archive = archiveIn(database);
  try {
    let rows = 0;
    for (const million of millions) {
      const [before, begun] = [rows, performance.now()];
      while (rows < million * 1e6) rows += await writeSome(archive, rows);
      const seconds = (performance.now() - begun) / 1_000;
      const figures: Figure[] = [
        { name: 'written', value: (rows - before) / seconds, unit: 'rows/s' },
        { name: 'on the disk', value: (await size()) / 1e6, unit: 'MB' },
        ...(await asked(archive, begin + (rows / symbols.length) * step)),
        load(),
      ];
      report(`${name}: ${million} million rows of open interest`, figures);
    }
  } finally {
    await archive.close();
  }
}

async function writeSome(archive: Archive, rows: number): Promise<number> {
  const from = begin + (rows / symbols.length) * step;
  const written = Array.from({ length: timesAtOnce }, (_, n) => n).flatMap((n) =>
    symbols.map((symbol, index) => {
      const contracts = 1_000 * (index + 1) + (n % 7);
      return { symbol, time: from + n * step, contracts, valueUsd: contracts * 61_234.5 };
    }),
  );
  await archive.write('openInterest', written);
  return written.length;
}

/** Medians and p99 of what answers are made from, the markets in turn. */
async function asked(archive: Archive, to: number): Promise<Figure[]> {
  const ways: Readonly<Record<string, (symbol: string) => Promise<unknown>>> = {
    'the last day of a market': (symbol) =>
      archive.read('openInterest', { symbol, window: { from: to - 24 * hour, to } }),
    'the last 30 days of a market': (symbol) =>
      archive.columns('openInterest', { symbol, window: { from: to - 720 * hour, to } }),
    'the newest of all markets': () => archive.latest('openInterest', to),
  };
  const figures: Figure[] = [];
  for (const [name, ask] of Object.entries(ways)) {
    const times: number[] = [];
    for (let n = 0; n < questions; n++) {
      const begun = performance.now();
      await ask(symbols[n % symbols.length] ?? '');
      times.push(performance.now() - begun);
    }
    figures.push(
      { name: `${name}, median`, value: percentile(times, 0.5), unit: 'ms' },
      { name: `${name}, p99`, value: percentile(times, 0.99), unit: 'ms' },
    );
  }
  return figures;
}
