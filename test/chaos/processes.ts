import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { steadyClock, wallClock } from '#src/runtime/clock.ts';
import { minute, second } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { start } from '#test/support/alerts.ts';
import { seeded } from '#test/support/random.ts';
import type { Affliction, Life } from '../kill/child.ts';
import { subscribe } from '../kill/kill.ts';
import { spawnLife } from '../kill/lives.ts';
import { type Instead, startParent } from '../kill/parent.ts';
import { startEverywhere } from './everywhere.ts';
import { counted, judged, left, length, type Outcome, type Told, wrongSoFar } from './judged.ts';
import { countsOf, type Fault, type MarketFault, type PlatformName, planOf, rage } from './plan.ts';
import { afflictable } from './server.ts';

/** Real ms per ms of the plan. */
const pace = 0.3;
/** Market s per wall s. */
const speed = 2;
/** Ms within which everything left must be sent once all faults are over. */
const longestDrain = 3 * minute;
/** Ms after which everything that was on the wire has arrived. */
const onTheWire = 300;
/** MB of a process's heap, which is small enough to be full within a second. */
const heap = 96;

const busy: Instead = { status: 429, body: '{"error":"Too many requests"}', headers: { 'retry-after': '1' } };
const nothingMore: Instead = { status: 503, body: '{"error":"the storm is over"}' };

/**
 * Runs real processes on one Postgres, between a data service and doubles of the platforms. For a seed the same faults
 * happen as in `runChaos`, at the same moments, but the outcome also depends on the machine. A second run may therefore be
 * right where the first one was wrong, so all that a wrong one saw is kept.
 * @param given an empty database, a folder for compiled code, and one for what a wrong run saw
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
  const plan = { ...planOf(seed, { pace, processes: given.processes }), night: undefined };
  const random = seeded(seed);
  await using run = new AsyncDisposableStack();
  const market: { fault: MarketFault | undefined } = { fault: undefined };
  const instead = async (symbol: string): Promise<Instead | undefined> => {
    const { fault } = market;
    if (fault === 'away') return null;
    if (fault === 'busy') return busy;
    if (fault === 'garbled') return { status: 200, body: '{"symbol' };
    if (Number(/\d+$/.exec(symbol)?.[0] ?? -1) >= length) return nothingMore;
    if (fault === 'slow') await wallClock.sleep(second);
    return undefined;
  };
  const ends = await startEverywhere(random);
  run.defer(() => ends.close());
  const parent = await startParent(ends, instead);
  run.defer(() => parent.close());
  await subscribe(given.database, (name) => ends.receivers(name, parent.origin));
  const store = await openStore(given.database);
  run.defer(() => store.close());
  const server = await afflictable(given.database, random);
  run.defer(() => server.close());

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
  let over = false;
  run.defer(() => {
    over = true;
    for (const child of begun) child.kill('SIGKILL');
  });

  const begin = (process: number) => {
    if (over) return;
    const bot: Life = {
      database: server.url,
      dataUrl: `${parent.origin}/data/${begun.length}`,
      notifiers: ends.notifiers(parent.origin),
      market: { market: start, wall: began, speed },
      watch: true,
      ttl: 3 * second,
    };
    let said = '';
    const complain = (text: string) => {
      said = (said + text).slice(-2_000);
    };
    const { folder } = given;
    const child = spawnLife(bot, { folder, complain, flags: [`--max-old-space-size=${heap}`] });
    children[process] = child;
    begun.push(child);
    let up = false;
    child.once('message', () => {
      up = true;
    });
    child.once('close', (code, signal) => {
      if (over) return;
      // When a process that runs out of memory ends is unknown; what it had on the wire arrives after that.
      suffer();
      setTimeout(suffer, onTheWire).unref();
      if (ending.has(child)) return;
      // A process that finds no database ends at its start, and is started again as a supervisor would.
      if (up) wrong.push(`process ${process} ended by itself (${code ?? signal}): ${said}`);
      setTimeout(() => children[process] === child && begin(process), second / 2);
    });
  };
  const began = wallClock.now();
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

  // The faults begin only once a process watches and the storms have begun.
  const patience = steadyClock.now() + minute;
  while ((await counted(store)).get('storm') === 0 && steadyClock.now() < patience) await wallClock.sleep(50);
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
      const blind = [...faulty].some(({ what }) => what === 'database');
      if (!blind && wrong.length === 0) wrong.push(...(await wrongSoFar(told)));
    },
  });
  const until = steadyClock.now() + longestDrain;
  while ((await left(store)) > 0 && steadyClock.now() < until) await wallClock.sleep(100);
  over = true;
  const dead = begun.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'close'));
  for (const child of begun) child.kill('SIGKILL');
  await Promise.all(dead);

  const { wrong: atLast, ...verdict } = await judged(told);
  const all = [...new Set([...wrong, ...atLast])];
  if (given.keep !== undefined && all.length > 0) {
    const { arrivals, questions } = parent;
    const seen = { wrong: all, faults, arrivals, questions };
    await writeFile(join(given.keep, `postgres-${seed}.json`), JSON.stringify(seen, null, 1));
  }
  return {
    seed,
    database: 'postgres',
    processes: plan.processes,
    faults: countsOf(plan),
    arrivals: parent.arrivals.length,
    ...verdict,
    wrong: all,
  };

  async function afflict(fault: Fault): Promise<() => Promise<void> | void> {
    switch (fault.what) {
      case 'kill':
      case 'exhaust': {
        const { what, process } = fault;
        const child = children[process];
        if (child === undefined) return () => {};
        ending.add(child);
        if (what === 'exhaust') tell(process, { exhaust: true });
        else {
          child.kill('SIGKILL');
          await wallClock.sleep(onTheWire);
        }
        return async () => {
          child.kill('SIGKILL');
          await wallClock.sleep(onTheWire);
          if (children[process] === child) begin(process);
        };
      }
      case 'freeze': {
        const child = children[fault.process];
        child?.kill('SIGSTOP');
        await wallClock.sleep(onTheWire);
        return () => void child?.kill('SIGCONT');
      }
      case 'jump':
        tell(fault.process, { jump: fault.by });
        return () => tell(fault.process, { jump: 0 });
      case 'database':
        return server.begin(fault.how);
      case 'platform':
        ends.faults.set(fault.which, fault.how);
        return () => void ends.faults.delete(fault.which satisfies PlatformName);
      case 'market':
        market.fault = fault.how;
        return () => {
          market.fault = undefined;
        };
    }
  }
}
