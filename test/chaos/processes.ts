import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { steadyClock, wallClock } from '#src/runtime/clock.ts';
import { minute, second } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { start } from '#test/support/alerts.ts';
import { seeded } from '#test/support/random.ts';
import { counted } from '../kill/kept.ts';
import { subscribe } from '../kill/kill.ts';
import { spawnLife } from '../kill/lives.ts';
import { type Instead, startParent } from '../kill/parent.ts';
import { bindAtFirst, subscribeToMarket } from './bot-parts.ts';
import type { Affliction, Life, Said } from './child.ts';
import { startEverywhere } from './everywhere.ts';
import { afflictableFiles, layBallast } from './files.ts';
import { judged, left, length, type Outcome, stillSilent, type Told, wrongSoFar } from './judged.ts';
import { createToldMarket, marketRoom } from './market.ts';
import {
  countsOf,
  type End,
  type Fault,
  type FileFault,
  type PlatformName,
  planOf,
  rage,
  type ServiceFault,
} from './plan.ts';
import { limit } from './quota.ts';
import { recover } from './recovery.ts';
import { afflictable } from './server.ts';

/** Real ms per ms of the plan. */
const pace = 0.3;
/** Market s per wall s, and market s between two steps of a storm. */
const [speed, every] = [60, 30];
/** Ms of the processes' own time in which everything left must be sent once all faults are over, and the market's alerts be told. */
const allowed = 3 * minute;
/** Ms after which a machine is given up that gives the processes no processor. */
const patience = 20 * minute;
/** Ms after which everything that was on the wire has arrived. */
const onTheWire = 300;
/** MB of a process's heap, which is small enough to be full within a second. */
const heap = 96;
/** The share of a core that a starved process has. */
const quota = 1 / 10;

const busy: Instead = { status: 429, body: '{"error":"Too many requests"}', headers: { 'retry-after': '1' } };
const nothingMore: Instead = { status: 503, body: '{"error":"the storm is over"}' };

/** Returns the processor time that a process has used, ms; 0 if it is gone (proc(5): fields 14 and 15, in hundredths of a second). */
function processorTime(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return 0;
  }
}

/**
 * Runs real processes on one database, between a data service and doubles of the platforms. For a seed the same faults happen
 * at the same moments, but the outcome also depends on the machine. A second run may therefore be right where the first one
 * was wrong, so all that a wrong one saw is kept.
 * @param given an empty Postgres, or the URL of a file for a single process, a folder for compiled code, and one for what a
 * wrong run saw
 */
export async function runProcesses(
  seed: number,
  given: {
    readonly database: string;
    readonly folder: string;
    readonly processes: number;
    readonly keep?: string | undefined;
  },
): Promise<Outcome> {
  const path = given.database.startsWith('file:') ? given.database.slice('file:'.length) : undefined;
  const stage = path === undefined ? 'postgres' : 'file';
  const plan = planOf(seed, { stage, pace, processes: given.processes });
  const random = seeded(seed);
  await using run = new AsyncDisposableStack();
  const began = wallClock.now();
  const time = {
    ...{ source: 'simulated' as const, speed },
    now: () => Math.floor(start + (wallClock.now() - began) * speed),
  };
  const market = createToldMarket(time, random);
  const service: { fault: ServiceFault | undefined } = { fault: undefined };
  const instead = async (question: URL): Promise<Instead | undefined> => {
    const { fault } = service;
    const symbol = question.searchParams.get('symbol') ?? '';
    const isStorm = /^(STORM|SURGE)/.test(symbol);
    if (fault === 'away') return null;
    if (fault === 'busy') return busy;
    if (fault === 'garbled') return { status: 200, body: '{"symbol' };
    if (isStorm && Number(/\d+$/.exec(symbol)?.[0] ?? -1) >= length) return nothingMore;
    if (fault === 'slow') await wallClock.sleep(second);
    return isStorm ? undefined : { status: 200, body: JSON.stringify(market.answer(question) ?? null) };
  };
  const ends = await startEverywhere(random);
  run.defer(() => ends.close());
  const parent = await startParent(ends, instead);
  run.defer(() => parent.close());
  await subscribe(given.database, (name) => ends.receivers(name, parent.origin));
  const store = await openStore(given.database);
  run.defer(() => store.close());
  await bindAtFirst(store, { ...time, now: time.now(), wall: began });
  await subscribeToMarket(store, ends.receivers(marketRoom, parent.origin));
  if (path !== undefined) layBallast(path);
  const files = path === undefined ? undefined : afflictableFiles(path);
  const server = path === undefined ? await afflictable(given.database, random) : undefined;
  run.defer(() => server?.close());

  let life = 0;
  const suffer = () => {
    life += 1;
    parent.listen(life, (moment) => {
      if (moment === 'lost') suffer();
    });
  };
  suffer();
  const wrong: string[] = [];
  const children: (ChildProcess | undefined)[] = [];
  const begun: ChildProcess[] = [];
  const ending = new Set<ChildProcess>();
  const frozen = new Set<ChildProcess>();
  /** By process: how long it has been able to go on, and the last of what it has said of its troubles. */
  const owns = new Map<ChildProcess, number>();
  const troubles = new Map<ChildProcess, string>();
  /** Those that have said that their database is lost or damaged. */
  const alarmed = new Set<ChildProcess>();
  const up = new Set<ChildProcess>();
  let over = false;
  run.defer(() => {
    over = true;
    for (const child of begun) child.kill('SIGKILL');
  });

  const begin = (process: number) => {
    // Nobody starts a bot while its database is known to be gone: it would begin another one.
    if (over || files?.isAway() === true) return;
    const bot: Life = {
      database: server?.url ?? given.database,
      dataUrl: `${parent.origin}/data/${begun.length}`,
      notifiers: ends.notifiers(parent.origin),
      every,
      ttl: 3 * second,
    };
    const complain = (text: string) => {
      if (text.includes('lost or damaged')) alarmed.add(child);
      troubles.set(child, `${troubles.get(child) ?? ''}${text}`.slice(-2_000));
    };
    const { folder } = given;
    const flags = [`--max-old-space-size=${heap}`];
    const child = spawnLife(bot, { folder, complain, flags, script: new URL('child.ts', import.meta.url) });
    children[process] = child;
    begun.push(child);
    child.on('message', (said: Said) => {
      if ('up' in said) up.add(child);
      else owns.set(child, said.own);
    });
    child.once('close', (code, signal) => {
      if (over) return;
      // When a process that runs out of memory ends is unknown; what it had on the wire arrives after that.
      suffer();
      setTimeout(suffer, onTheWire).unref();
      if (ending.has(child)) return;
      // A process that finds no database ends at its start, and is started again as a supervisor would.
      if (up.has(child))
        wrong.push(`process ${process} ended by itself (${code ?? signal}): ${troubles.get(child)}`);
      setTimeout(() => children[process] === child && begin(process), second / 2);
    });
  };
  for (let process = 0; process < plan.processes; process++) begin(process);
  const tell = (process: number, affliction: Affliction) => {
    const child = children[process];
    if (child?.connected) child.send(affliction, () => {});
  };
  const faulty = new Set<Fault>();
  const faults: object[] = [];
  const told: Told = {
    store,
    arrivals: parent.arrivals,
    questions: parent.questions,
    receiverOf(room, platform) {
      const found = ends.receivers(room, parent.origin).find(({ notifier }) => notifier === platform);
      if (found === undefined) throw new Error(`${room} has no ${platform}`);
      return found;
    },
    night: false,
  };

  // The slowest process counts: it may have the role that is waited for. A loop that never ends uses processor time alone.
  const own = () =>
    Math.min(
      ...children.map((child) => (child ? Math.max(owns.get(child) ?? 0, processorTime(child.pid)) : 0)),
    );
  const untilOver = async (how: () => Promise<number>) =>
    recover({
      left: how,
      own: sinceNow(own),
      wall: steadyClock.now,
      pass: () => wallClock.sleep(100),
      ...{ allowed, patience },
    });
  // The faults begin only once a process watches and the storms have begun.
  const startBy = steadyClock.now() + 3 * minute;
  while ((await counted(store)).get('storm') === 0 && steadyClock.now() < startBy) await wallClock.sleep(50);
  await rage(plan, {
    pass: (ms) => wallClock.sleep(ms),
    async begin(fault) {
      faults.push({ ...fault, life, arrivals: parent.arrivals.length });
      const end = await afflict(fault);
      faulty.add(fault);
      suffer();
      return async () => {
        await end();
        faulty.delete(fault);
        suffer();
      };
    },
    async look() {
      // A locked table cannot be read.
      const blind = [...faulty].some(({ what }) => what === 'database' || what === 'file');
      if (!blind && wrong.length === 0) wrong.push(...(await wrongSoFar(told)));
    },
  });
  const recovery = await untilOver(() => left(store));
  const struckAt = parent.arrivals.length;
  market.strike();
  const again = await untilOver(async () => stillSilent(told, struckAt).length + (await left(store)));
  over = true;
  const dead = begun.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'close'));
  for (const child of begun) child.kill('SIGKILL');
  await Promise.all(dead);

  const { wrong: atLast, ...verdict } = await judged(told, { recovery, again, struckAt });
  const all = [...new Set([...wrong, ...atLast])];
  if (given.keep !== undefined && all.length > 0) {
    const { arrivals, questions } = parent;
    const seen = {
      wrong: all,
      faults,
      recovery,
      again,
      arrivals,
      questions,
      troubles: [...troubles.values()],
    };
    await writeFile(join(given.keep, `${stage}-${seed}.json`), JSON.stringify(seen, null, 1));
  }
  return {
    seed,
    stage,
    processes: plan.processes,
    faults: countsOf(plan),
    arrivals: parent.arrivals.length,
    ...verdict,
    wrong: all,
  };

  async function afflict(fault: Fault): Promise<End> {
    switch (fault.what) {
      case 'process':
        return afflictProcess(fault);
      case 'clock':
        tell(fault.process, { jump: fault.by });
        return () => tell(fault.process, { jump: 0 });
      case 'database':
        return (await server?.begin(fault.how)) ?? (() => {});
      case 'file':
        return afflictFile(fault.how);
      case 'platform':
        ends.faults.set(fault.which, fault.how);
        return () => void ends.faults.delete(fault.which satisfies PlatformName);
      case 'service':
        service.fault = fault.how;
        return () => {
          service.fault = undefined;
        };
      case 'rows':
      case 'meta':
        return market.lie(fault.how, fault.by);
    }
  }

  async function afflictProcess({
    how,
    process,
  }: Extract<Fault, { readonly what: 'process' }>): Promise<End> {
    const child = children[process];
    if (child === undefined) return () => {};
    switch (how) {
      case 'frozen':
        frozen.add(child);
        child.kill('SIGSTOP');
        await wallClock.sleep(onTheWire);
        return () => {
          frozen.delete(child);
          child.kill('SIGCONT');
        };
      case 'starved':
        return limit(child, quota, () => frozen.has(child));
      case 'killed':
        await kill(child);
        return () => restart(process, child);
      case 'out of memory':
        ending.add(child);
        tell(process, { exhaust: true });
        return () => restart(process, child);
    }
  }

  async function kill(child: ChildProcess): Promise<void> {
    ending.add(child);
    child.kill('SIGKILL');
    await wallClock.sleep(onTheWire);
  }

  async function restart(process: number, child: ChildProcess): Promise<void> {
    await kill(child);
    if (children[process] === child) begin(process);
  }

  /** What an operator does about the database is said in the log: stop the bot, put the file back, start it again. */
  async function afflictFile(how: FileFault): Promise<End> {
    // A process that starts takes for its database what it finds in that place.
    const isStarting = children.some((child) => child && isAlive(child) && !up.has(child));
    const end = isStarting ? undefined : await files?.begin(how);
    if (end === undefined) return () => {};
    return async () => {
      const isSaid = () => children.some((child) => child && alarmed.has(child));
      // A frozen process says nothing, and goes on only after this fault.
      const canSay = () => children.some((child) => child && isAlive(child) && !frozen.has(child));
      if (how === 'damaged') await untilOver(async () => (isSaid() || !canSay() ? 0 : 1));
      if (how === 'damaged' && !isSaid() && canSay())
        wrong.push('nothing is said of the damage in the database file');
      for (const child of children) if (child) await kill(child);
      await end();
      for (const process of children.keys()) begin(process);
    };
  }
}

const isAlive = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;

/** Returns a count that begins at 0 now. */
function sinceNow(count: () => number): () => number {
  const before = count();
  return () => count() - before;
}
