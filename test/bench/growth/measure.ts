import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { eventually, freePort, inFolder, type Program, startProbed } from '../measuring/program.ts';

/** Values by name, one per sample. */
export type Samples = ReadonlyMap<string, readonly number[]>;

export interface Growth {
  /** Heap and buffers in use after a forced collection, bytes, by thread. */
  readonly heaps: Samples;
  /** Timers, sockets and other open resources of the bot's main thread. */
  readonly handles: readonly number[];
  /** Rows of the bot's tables. */
  readonly tables: Samples;
  /** Rows of the archive's tables, most of which keep years. */
  readonly archive: Samples;
  /** Market hours from the first sample to the last. */
  readonly hours: number;
}

export interface GrowthOptions {
  readonly hours: number;
  /** Market hours between two samples. */
  readonly every: number;
  /** Market seconds per wall second. */
  readonly speed: number;
  readonly symbols: number;
}

/** Names of the threads that run from start to end, as in embedded.ts. */
const threads = ['data-service'];

/** Runs the bot through simulated hours on the embedded service, and takes samples of it. */
export const measureGrowth = (options: GrowthOptions): Promise<Growth> =>
  inFolder(async (folder) => {
    const { hours, every, speed, symbols } = options;
    const bot = join(folder, 'tocsin.db');
    const archive = join(folder, 'archive.db');
    const config = join(folder, 'config.yaml');
    // Data older than a day is pruned, so that within a week as much is pruned as is written.
    await writeFile(
      config,
      `delivery: { keep: 1d }\ndata: { embedded: { speed: ${speed}, symbols: ${symbols} } }\n`,
    );
    const port = await freePort();
    const program = startProbed(['start'], {
      TOCSIN_CONFIG: config,
      TOCSIN_DATABASE_URL: `file:${bot}`,
      TOCSIN_ARCHIVE_URL: `file:${archive}`,
      TOCSIN_HTTP_PORT: String(port),
      TOCSIN_LOG_LEVEL: 'warn',
    });
    try {
      const time = () => marketTime(port);
      const begin = await eventually('market time', time, { within: 120_000, program });
      const grown = {
        heaps: new Map<string, number[]>(),
        handles: [] as number[],
        tables: new Map<string, number[]>(),
        archive: new Map<string, number[]>(),
      };
      for (let hour = 0; hour <= hours; hour += every) {
        await reached(begin + hour * 3_600_000, time, { speed, program });
        const memory = await program.memory(threads);
        sample(grown.heaps, [
          ['bot', memory.heaps.main ?? Number.NaN],
          ...threads.map((thread) => [thread, memory.heaps[thread] ?? Number.NaN] as const),
        ]);
        grown.handles.push(memory.handles);
        sample(grown.tables, rowsOf(bot));
        sample(grown.archive, rowsOf(archive));
      }
      const elapsed = ((await time()) ?? begin) - begin;
      return { ...grown, hours: elapsed / 3_600_000 };
    } finally {
      await program.stop();
    }
  });

function sample(into: Map<string, number[]>, values: readonly (readonly [string, number])[]): void {
  for (const [name, value] of values) into.set(name, [...(into.get(name) ?? []), value]);
}

/** Resolves with the bot's market time, ms; undefined until the bot watches. */
async function marketTime(port: number): Promise<number | undefined> {
  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(10_000) });
  if (!(await ask('/readyz')).ok) return undefined;
  return ((await (await ask('/api/status')).json()) as { marketTime: number }).marketTime;
}

const reached = (
  at: number,
  time: () => Promise<number | undefined>,
  { speed, program }: { speed: number; program: Program },
) =>
  eventually('the next sample', async () => ((await time()) ?? 0) >= at || undefined, {
    within: 300_000,
    every: Math.max(50, 300_000 / speed),
    program,
  });

function rowsOf(path: string): [string, number][] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const names = database.prepare(
      "select name from sqlite_master where type = 'table' and name not like 'kysely%' and name not like 'sqlite%'",
    );
    return names.all().map(({ name }) => {
      const counted = database.prepare(`select count(*) as count from "${name}"`).get();
      return [String(name), Number(counted?.count)];
    });
  } finally {
    database.close();
  }
}

export interface Trend {
  /** How much the regression line through the second half rises, from its beginning to its end. */
  readonly rise: number;
  /** Most that the line may rise: a twentieth of the mean, or two standard errors, whichever is more. */
  readonly noise: number;
}

/** Returns the trend of the second half; in the first half caches and histories fill up and code is compiled. */
export function trend(values: readonly number[]): Trend {
  const half = values.slice(Math.floor(values.length / 2));
  const n = half.length;
  const mean = half.reduce((sum, value) => sum + value, 0) / n;
  const middle = (n - 1) / 2;
  const spread = half.reduce((sum, _, i) => sum + (i - middle) ** 2, 0);
  const slope = half.reduce((sum, value, i) => sum + (i - middle) * (value - mean), 0) / spread;
  const residual = half.reduce((sum, value, i) => sum + (value - mean - slope * (i - middle)) ** 2, 0);
  const error = Math.sqrt(residual / Math.max(1, n - 2) / spread);
  return { rise: slope * (n - 1), noise: Math.max(mean / 20, 2 * error * (n - 1)) };
}
