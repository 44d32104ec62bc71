import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { Outcome } from '../chaos/judged.ts';
import { platforms } from '../chaos/plan.ts';
import { runProcesses } from '../chaos/processes.ts';
import { query, type Server, serverNoted } from '../support/postgres.ts';
import { servePostgres } from '../support/postgres-server.ts';
import { type Figure, report } from './measuring/figures.ts';
import { inFolder, load } from './measuring/program.ts';

/** Takes minutes. */
export const slow = true;

/** Number of seeds on Postgres that run at once; they spend most of their time waiting. */
const atOnce = 3;

/**
 * `npm run bench -- chaos -- [--seeds 1000] [--postgres 333] [--from 1] [--keep FOLDER]`: runs with faults of all kinds at once that follow
 * from a seed. `--seeds` run simulated processes on a database in memory; at the same time `--postgres` seeds run three
 * real processes on a real Postgres. A seed that fails is printed with the command that replays it. Ctrl-C ends the
 * run and reports what it has. What a wrong run on Postgres saw is written to the folder.
 */
export default async function chaos(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: 'string', default: '667' },
      postgres: { type: 'string', default: '333' },
      from: { type: 'string', default: '1' },
      keep: { type: 'string' },
    },
  });
  const [from, seeds, onPostgres] = [values.from, values.seeds, values.postgres].map(Number) as [
    number,
    number,
    number,
  ];
  const outcomes: Outcome[] = [];
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  const take = (outcome: Outcome) => {
    outcomes.push(outcome);
    const { database, seed, processes, arrivals, doubled, wrong } = outcome;
    const twice = Object.values(doubled).reduce((sum, n) => sum + n, 0);
    const line = `${database} ${seed}: ${processes} processes, ${arrivals} posts and edits, ${twice} twice`;
    process.stdout.write(`${line}${wrong.length === 0 ? '' : `, ${wrong.length} WRONG`}\n`);
    for (const text of wrong.slice(0, 10)) process.stdout.write(`  ${text}\n`);
    if (wrong.length > 0) process.stdout.write(`  again: ${again(outcome)}\n`);
  };
  // The results are reported even if the bench fails, so that an hour of work is not lost.
  try {
    await Promise.all([
      inThread({ from, count: seeds, take, signal: stop.signal }),
      withProcesses({ from, count: onPostgres, keep: values.keep, take, signal: stop.signal }),
    ]);
  } finally {
    tell(outcomes);
  }
}

interface Seeds {
  readonly from: number;
  readonly count: number;
  readonly keep?: string | undefined;
  readonly take: (outcome: Outcome) => void;
  readonly signal: AbortSignal;
}

async function inThread({ from, count, take, signal }: Seeds): Promise<void> {
  if (count === 0) return;
  const worker = new Worker(new URL('chaos/thread.ts', import.meta.url), { workerData: { from, count } });
  worker.on('message', take);
  signal.addEventListener('abort', () => void worker.terminate());
  await once(worker, 'exit');
}

async function withProcesses({ from, count, keep, take, signal }: Seeds): Promise<void> {
  if (count === 0) return;
  const postgres = await servePostgres();
  try {
    const server: Server = await serverNoted(postgres.note);
    let next = from;
    const run = async (folder: string) => {
      for (let seed = next++; seed < from + count && !signal.aborted; seed = next++) {
        const database = await server.fresh('chaos');
        take(await runProcesses(seed, { database, folder, processes: 3, keep }));
        // Hundreds of databases would fill the disk.
        const name = new URL(database).pathname.slice(1);
        await query(new URL('/postgres', database).href, `drop database ${name} with (force)`);
      }
    };
    await inFolder(async (folder) => {
      await Promise.all(Array.from({ length: atOnce }, () => run(folder)));
    });
  } finally {
    await postgres.stop();
  }
}

const again = ({ seed, database }: Outcome): string =>
  database === 'sqlite'
    ? `npm run bench -- chaos -- --from ${seed} --seeds 1 --postgres 0 (the same to the last step)`
    : `npm run bench -- chaos -- --from ${seed} --seeds 0 --postgres 1 (the same faults at the same moments)`;

function tell(outcomes: readonly Outcome[]): void {
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, each) => total + of(each), 0);
  const count = (name: string, value: number): Figure => ({ name, value, unit: '' });
  const none = (name: string, value: number): Figure => ({ ...count(name, value), bound: { most: 0 } });
  const one = outcomes.filter(({ database }) => database === 'sqlite');
  report('chaos: seeds of faults, and what came of them', [
    count('seeds, 1 to 3 processes in one over SQLite in memory', one.length),
    count('seeds, 3 real processes on Postgres', outcomes.length - one.length),
    count(
      'faults',
      sum(({ faults }) => Object.values(faults).reduce((total, n) => total + n, 0)),
    ),
    count(
      'alerts',
      sum(({ alerts }) => alerts),
    ),
    count(
      'posts and edits',
      sum(({ arrivals }) => arrivals),
    ),
    none(
      'seeds in which anything is wrong',
      sum(({ wrong }) => (wrong.length > 0 ? 1 : 0)),
    ),
    none(
      'lost',
      sum(({ lost }) => lost),
    ),
    none(
      'twice on Discord',
      sum(({ doubled }) => doubled.discord),
    ),
    count(
      'left showing an older state by what came late',
      sum(({ overtaken }) => overtaken),
    ),
    ...platforms
      .filter((name) => name !== 'discord')
      .map((name) =>
        count(
          `twice on ${name}, answer lost, each logged`,
          sum(({ doubled }) => doubled[name]),
        ),
      ),
    load(),
  ]);
  const faults = new Map<string, number>();
  for (const outcome of outcomes)
    for (const [name, n] of Object.entries(outcome.faults)) faults.set(name, (faults.get(name) ?? 0) + n);
  const byName = [...faults].sort(([a], [b]) => (a < b ? -1 : 1));
  report(
    'chaos: faults, by what was done',
    byName.map(([name, n]) => count(name, n)),
  );
}
