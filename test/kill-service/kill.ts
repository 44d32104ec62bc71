import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { keyOf, uniform } from '#src/service/simulation/random.ts';
import { calmMarket as market } from '#test/support/calm-market.ts';
import { patience } from '#test/support/patience.ts';
import { startExchanges } from '#test/support/venues/exchanges.ts';
import type { Life } from './child.ts';

export interface Outcome {
  readonly kills: number;
  /** Number of archives that were filled by several lives, all killed but the last. */
  readonly archives: number;
  /** Number of requests of a life that is not killed. */
  readonly requests: number;
  readonly rows: number;
  /** Tables of a killed archive that differ from those of the unkilled one; empty if the test succeeds. */
  readonly differences: readonly string[];
  readonly complaints: string;
}

const now = Date.UTC(2025, 5, 3, 10, 7, 30);
/** Tables about the process itself and its feeds, which may differ. All other tables hold collected data. */
const ownTables = ['feeds', 'documents'];

/**
 * Fills archives with processes that are killed with SIGKILL, `kills` times in all, at requests that follow from
 * `seed`. Compares every row of each archive with one whose process was not killed.
 */
export async function runKills({ kills, seed }: { kills: number; seed: number }): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-kill-service-'));
  let onRequest = () => {};
  const exchanges = await startExchanges({
    market,
    clock: { now: () => now, speed: 1, wallUntil: () => 0 },
    fault: () => void onRequest(),
  });
  let complaints = '';

  /** Resolves when the process has ended: `whole` tells whether it ended by itself. */
  const live = (file: string, killAt: number): Promise<{ whole: boolean; requests: number }> =>
    new Promise((resolve, reject) => {
      const life: Life = { archiveUrl: `file:${file}`, urls: exchanges.urls, now, symbols: 2 };
      const child = spawn(
        process.execPath,
        [
          '--disable-warning=ExperimentalWarning',
          join(import.meta.dirname, 'child.ts'),
          JSON.stringify(life),
        ],
        { stdio: ['ignore', 'ignore', 'pipe'], timeout: 2 * patience },
      );
      let requests = 0;
      onRequest = () => {
        requests += 1;
        if (requests === killAt) child.kill('SIGKILL');
      };
      child.stderr.on('data', (text) => {
        // The stand-in of the exchange shares the machine with what is killed: its stream may pause while that starts.
        complaints += String(text).replaceAll(/^.*"nothing heard for .*\n/gm, '');
      });
      child.once('error', reject);
      child.once('exit', (code) => resolve({ whole: code === 0, requests }));
    });

  try {
    const peaceful = join(folder, 'peaceful.db');
    const { requests } = await live(peaceful, Number.POSITIVE_INFINITY);
    const expected = contents(peaceful);
    const differences: string[] = [];
    const key = keyOf(seed, 'kill-service');
    let [killed, archives] = [0, 0];
    while (killed < kills) {
      const file = join(folder, `killed-${archives}.db`);
      for (let whole = false; !whole; ) {
        const killAt = 1 + Math.floor(uniform(key, killed, 1) * requests * 0.4);
        const life = await live(file, killed < kills ? killAt : Number.POSITIVE_INFINITY);
        whole = life.whole;
        if (!whole) killed += 1;
      }
      archives += 1;
      for (const [table, { hash, rows }] of contents(file)) {
        const right = expected.get(table);
        if (right?.hash !== hash) differences.push(`${table}: ${rows} rows, ${right?.rows} expected`);
      }
      await rm(file);
    }
    const rows = [...expected.values()].reduce((sum, table) => sum + table.rows, 0);
    return { kills: killed, archives, requests, rows, differences, complaints };
  } finally {
    await exchanges.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the number and the hash of the rows of each table. */
function contents(file: string): Map<string, { readonly rows: number; readonly hash: string }> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = database
      .prepare(
        "select name from sqlite_master where type = 'table' and name not like 'sqlite%' order by name",
      )
      .all()
      .map(({ name }) => String(name))
      .filter((name) => !ownTables.includes(name) && !name.startsWith('kysely'));
    return new Map(
      tables.map((table) => {
        const hash = createHash('sha256');
        let rows = 0;
        // Tables without row ids are stored, and so read, in the order of their key.
        const all = database.prepare(`select * from "${table}"`);
        hash.update(JSON.stringify(all.columns().map(({ name }) => name)));
        // An object for each row would cost more than its hash.
        all.setReturnArrays(true);
        for (const row of all.iterate()) {
          hash.update(JSON.stringify(row));
          rows += 1;
        }
        return [table, { rows, hash: hash.digest('hex') }];
      }),
    );
  } finally {
    database.close();
  }
}
