import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { second } from '#src/runtime/units.ts';
import type { Outcome } from '../chaos/judged.ts';
import { kinds, platforms, type Stage } from '../chaos/plan.ts';
import { runProcesses } from '../chaos/processes.ts';
import { query, type Server, serverNoted } from '../support/postgres.ts';
import { servePostgres } from '../support/postgres-server.ts';
import { type Figure, none, percentile, report } from './measuring/figures.ts';
import { inFolder, load } from './measuring/program.ts';

/** Takes minutes. */
export const slow = true;

/**
 * `npm run bench -- chaos -- [--seeds 150] [--files 50] [--postgres 100] [--from 1] [--at-once 3] [--keep FOLDER]`: runs with
 * faults of all kinds at once (test/chaos/plan.ts lists them) that follow from a seed. `--seeds` run simulated processes on a
 * simulated clock; at the same time `--files` seeds run a real process on a SQLite file, and then `--postgres` seeds three on a
 * real Postgres, `--at-once` of them at a time: they spend most of their time waiting. After its faults each run must recover
 * within the processes' own time, and whatever looks at the market must be able to fire. A seed that fails is printed with the
 * command that replays it. Ctrl-C ends the run and reports what it has. What a wrong run of real processes saw is written to
 * the folder.
 */
export default async function chaos(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: 'string', default: '150' },
      files: { type: 'string', default: '50' },
      postgres: { type: 'string', default: '100' },
      from: { type: 'string', default: '1' },
      'at-once': { type: 'string', default: '3' },
      keep: { type: 'string' },
    },
  });
  const [from, seeds, onFiles, onPostgres] = [values.from, values.seeds, values.files, values.postgres].map(
    Number,
  ) as [number, number, number, number];
  const outcomes: Outcome[] = [];
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  const take = (outcome: Outcome) => {
    outcomes.push(outcome);
    const { stage, seed, processes, arrivals, doubled, wrong, recovery } = outcome;
    const twice = Object.values(doubled).reduce((sum, n) => sum + n, 0);
    const seconds = (ms: number) => Math.round(ms / second);
    const after = `${recovery.how} after ${seconds(recovery.own)} s of their own, ${seconds(recovery.wall)} s`;
    const line = `${stage} ${seed}: ${processes} processes, ${arrivals} posts and edits, ${twice} twice, ${after}`;
    process.stdout.write(`${line}${wrong.length === 0 ? '' : `, ${wrong.length} WRONG`}\n`);
    for (const text of wrong.slice(0, 10)) process.stdout.write(`  ${text}\n`);
    if (wrong.length > 0 || recovery.how === 'starved') process.stdout.write(`  again: ${again(outcome)}\n`);
  };
  const real = { from, atOnce: Number(values['at-once']), keep: values.keep, take, signal: stop.signal };
  // The results are reported even if the bench fails, so that an hour of work is not lost.
  try {
    await Promise.all([
      inThread({ from, count: seeds, take, signal: stop.signal }),
      inFolder(async (folder) => {
        await onSqlite(folder, { ...real, count: onFiles });
        await onServer(folder, { ...real, count: onPostgres });
      }),
    ]);
  } finally {
    tell(outcomes);
  }
}

interface Seeds {
  readonly from: number;
  readonly count: number;
  readonly take: (outcome: Outcome) => void;
  readonly signal: AbortSignal;
}

interface RealSeeds extends Seeds {
  /** How many seeds run at a time. */
  readonly atOnce: number;
  readonly keep: string | undefined;
}

async function inThread({ from, count, take, signal }: Seeds): Promise<void> {
  if (count === 0) return;
  const worker = new Worker(new URL('chaos/thread.ts', import.meta.url), { workerData: { from, count } });
  worker.on('message', take);
  signal.addEventListener('abort', () => void worker.terminate());
  await once(worker, 'exit');
}

/** Runs each seed, some at a time. */
async function each(
  { from, count, atOnce, signal }: RealSeeds,
  run: (seed: number) => Promise<void>,
): Promise<void> {
  let next = from;
  const lane = async () => {
    for (let seed = next++; seed < from + count && !signal.aborted; seed = next++) await run(seed);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

const onSqlite = (folder: string, seeds: RealSeeds): Promise<void> =>
  each(seeds, async (seed) => {
    const own = await mkdtemp(join(folder, 'file-'));
    const database = `file:${join(own, 'bot.db')}`;
    seeds.take(await runProcesses(seed, { ...seeds, database, folder, processes: 1 }));
    await rm(own, { recursive: true, force: true });
  });

async function onServer(folder: string, seeds: RealSeeds): Promise<void> {
  if (seeds.count === 0) return;
  const postgres = await servePostgres();
  try {
    const server: Server = await serverNoted(postgres.note);
    await each(seeds, async (seed) => {
      const database = await server.fresh('chaos');
      seeds.take(await runProcesses(seed, { ...seeds, database, folder, processes: 3 }));
      // Hundreds of databases would fill the disk.
      const name = new URL(database).pathname.slice(1);
      await query(new URL('/postgres', database).href, `drop database ${name} with (force)`);
    });
  } finally {
    await postgres.stop();
  }
}

const counts = { simulated: '--seeds', file: '--files', postgres: '--postgres' } as const;

function again({ seed, stage }: Outcome): string {
  const of = Object.entries(counts).map(([name, flag]) => `${flag} ${name === stage ? 1 : 0}`);
  const same = stage === 'simulated' ? 'the same to the last step' : 'the same faults at the same moments';
  return `npm run bench -- chaos -- --from ${seed} ${of.join(' ')} (${same})`;
}

function tell(outcomes: readonly Outcome[]): void {
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, each) => total + of(each), 0);
  const count = (name: string, value: number): Figure => ({ name, value, unit: '' });
  const on = (name: Stage) => outcomes.filter(({ stage }) => stage === name).length;
  const judged = outcomes.filter(({ recovery }) => recovery.how !== 'starved');
  report('chaos: seeds of faults, and what came of them', [
    count('seeds, 1 to 3 simulated processes on SQLite in memory', on('simulated')),
    count('seeds, a real process on a SQLite file', on('file')),
    count('seeds, 3 real processes on Postgres', on('postgres')),
    count('seeds to be run again: the machine gave no processor', outcomes.length - judged.length),
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
      'late: still to be sent after far more than enough of the processes’ own time',
      judged.reduce((total, { late }) => total + late, 0),
    ),
    none(
      'what cannot fire again, on each platform',
      sum(({ silent }) => silent.length),
    ),
    {
      ...count(
        'recovery, 95 % within',
        percentile(
          judged.map(({ recovery }) => recovery.own / second),
          0.95,
        ),
      ),
      unit: 's of their own time',
    },
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
  report(
    'chaos: faults, what they do and how they end',
    kinds.flatMap(({ what, how, does, ends }) =>
      (what === 'platform' ? platforms : [what]).flatMap((name) => {
        const n = faults.get(`${name}: ${how}`);
        return n === undefined ? [] : [count(`${name}: ${how} (${does}; ${ends})`, n)];
      }),
    ),
  );
}
