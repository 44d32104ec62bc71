/** Baselines, measured in the same run as the figures, so that a slow machine affects both. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Figure } from './figures.ts';
import { inFolder } from './program.ts';

type Baseline = NonNullable<Figure['baseline']>;

/** Message of the bare server once it listens: its port, and its memory in bytes. */
export interface BareServer {
  readonly port: number;
  readonly rss: number;
}

/** Measures a bare `node:http` server. `ready`: seconds until it answers; `memory`: MB at that time. */
export async function bareServer(): Promise<{ readonly ready: Baseline; readonly memory: Baseline }> {
  const begun = performance.now();
  const child = fork(join(import.meta.dirname, 'bare-server.ts'), [], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  try {
    const [{ port, rss }] = (await once(child, 'message')) as [BareServer];
    await (await fetch(`http://127.0.0.1:${port}/`)).text();
    const name = 'a bare node:http server';
    return {
      ready: { name, value: (performance.now() - begun) / 1_000 },
      memory: { name, value: rss / 1e6 },
    };
  } finally {
    child.kill();
  }
}

/** Rows of one transaction, as many as the store writes at once. */
const page = 1_000;

/** Measures the seconds of plain INSERTs of rows with ten columns, into a database opened with the bot's settings. */
export const plainInserts = (rows: number): Promise<Baseline> =>
  inFolder(async (folder) => {
    const sqlite = new DatabaseSync(join(folder, 'plain.db'));
    try {
      sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
      sqlite.exec('CREATE TABLE plain (id INTEGER PRIMARY KEY, a, b, c, d, e, f, g, h, i)');
      const insert = sqlite.prepare('INSERT INTO plain VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
      const begun = performance.now();
      for (let row = 0; row < rows; ) {
        sqlite.exec('BEGIN');
        for (const end = Math.min(rows, row + page); row < end; row += 1)
          insert.run(row, 'discord', `{"channel":${row}}`, 'warning', row / 7, row / 3, 0, 1, 2, null);
        sqlite.exec('COMMIT');
      }
      const seconds = (performance.now() - begun) / 1_000;
      return { name: `${rows.toLocaleString('en-US')} plain INSERTs`, value: seconds };
    } finally {
      sqlite.close();
    }
  });
