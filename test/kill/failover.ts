import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { steadyClock, wallClock } from '#src/runtime/clock.ts';
import { second } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { start } from '#test/support/alerts.ts';
import { patience } from '#test/support/patience.ts';
import type { Life } from './child.ts';
import { webhooks } from './ends.ts';
import { counted } from './kept.ts';
import { subscribe } from './kill.ts';
import { spawnLife } from './lives.ts';
import { startParent } from './parent.ts';
import { type Arrival, judge, type Question, type Verdict } from './verdict.ts';

const roles = ['watch', 'expand', 'deliver:webhook'];

/** Starts the setting: one Postgres, a data service, and the receivers of webhooks. Processes start with `begin`. */
async function startLives(database: string) {
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-failover-'));
  const parent = await startParent(webhooks);
  const children = new Set<ChildProcess>();
  const paths = new Map<ChildProcess, string>();
  let complaints = '';
  started.defer(async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(
      [...children].map((child) => child.exitCode ?? child.signalCode ?? once(child, 'close')),
    );
    await parent.close();
    await rm(folder, { recursive: true, force: true });
  });
  const life: Life = {
    database,
    dataUrl: parent.dataUrl,
    notifiers: webhooks.notifiers(parent.origin),
    market: { market: start, wall: wallClock.now(), speed: 8 },
    watch: true,
    // The time that the bot uses in production.
    ttl: 8 * second,
  };
  await subscribe(life.database, (name) => webhooks.receivers(name, parent.origin));
  const complain = (text: string) => {
    complaints += text;
  };
  let lives = 0;
  const store = await openStore(life.database);
  started.defer(() => store.close());

  const until = async (what: () => boolean) => {
    const from = steadyClock.now();
    while (!what()) {
      if (steadyClock.now() - from > patience) throw new Error(`it never came: ${complaints}`);
      await wallClock.sleep(20);
    }
    return (steadyClock.now() - from) / second;
  };
  const running = started.move();
  return {
    [Symbol.asyncDispose]: () => running.disposeAsync(),
    arrivals: parent.arrivals,
    questions: parent.questions,
    complaints: () => complaints.split('\n').filter((line) => line !== ''),
    async begin() {
      const path = `/data/${children.size}`;
      const child = spawnLife({ ...life, dataUrl: `${parent.origin}${path}` }, { folder, complain });
      children.add(child);
      paths.set(child, path);
      await once(child, 'message');
      return child;
    },
    /** Returns the process that sends messages. */
    async deliverer() {
      const owner = await store.leases.owner('deliver:webhook');
      const child = [...children].find(({ pid }) => owner?.split(' ')[1] === String(pid));
      if (child === undefined) throw new Error(`nobody sends: ${owner}`);
      return child;
    },
    /** Resolves with the seconds until other processes have all roles of this one. Fails if nobody takes them over. */
    async lost({ pid }: ChildProcess) {
      const from = steadyClock.now();
      const has = async (role: string) => (await store.leases.owner(role))?.split(' ')[1] === String(pid);
      while ((await Promise.all(roles.map(has))).includes(true)) {
        if (steadyClock.now() - from > patience) throw new Error(`nobody has its roles: ${complaints}`);
        await wallClock.sleep(100);
      }
      return (steadyClock.now() - from) / second;
    },
    /** Counts all questions from this call on to another life. */
    next: () => parent.listen(++lives, () => {}),
    more: (count: number) => {
      const before = parent.arrivals.length;
      return until(() => parent.arrivals.length >= before + count);
    },
    /** @param interrupted the process that was killed, and the one that was frozen and woken, if one was */
    async judged({ killed, frozen }: Interrupted) {
      for (const child of children) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        await ended(child, 'SIGTERM');
      }
      parent.listen(++lives, () => {});
      const last = spawnLife({ ...life, watch: false }, { folder, complain });
      children.add(last);
      const [code] = await once(last, 'close');
      if (code !== 0) throw new Error(`what was left was not sent: ${complaints}`);
      const questions =
        frozen === undefined
          ? parent.questions
          : withoutLateLook(parent.questions, { path: `${paths.get(frozen.child)}/`, asked: frozen.asked });
      return judge(withDoubts(parent.arrivals, { killed, frozen }), questions, await counted(store));
    },
  };
}

interface Interrupted {
  readonly killed: ChildProcess;
  readonly frozen?: Woken | undefined;
}

interface Woken {
  readonly child: ChildProcess;
  /** How many messages had arrived when all that it sent before it was frozen had. */
  readonly arrived: number;
  /** How many questions had been asked before it was woken. */
  readonly asked: number;
}

/**
 * Marks the last message that each receiver got from the killed process, and from the frozen one before it was frozen:
 * their successors could not know whether it had arrived, so they may repeat it. Nothing else may come twice. What the
 * killed process had on the wire may arrive after the first messages of its successor.
 */
function withDoubts(arrivals: readonly Arrival[], { killed, frozen }: Interrupted): readonly Arrival[] {
  const last = new Map<string, number>();
  for (const [index, { sender, receiver }] of arrivals.entries()) {
    const isFrozen = sender === frozen?.child.pid && index < (frozen?.arrived ?? 0);
    if (sender === killed.pid || isFrozen) last.set(`${sender} ${receiver}`, index);
  }
  const doubtful = new Set(last.values());
  const first = arrivals.findIndex(({ sender }) => sender === killed.pid);
  const successor = arrivals.findIndex(({ sender }, index) => index > first && sender !== killed.pid);
  return arrivals.map((arrival, index) => ({
    ...arrival,
    life: 0,
    unheard: doubtful.has(index),
    late: arrival.late === true || (arrival.sender === killed.pid && successor !== -1 && index > successor),
  }));
}

/**
 * Leaves out the first question of each storm that a woken process asks from its interrupted look: the result of that
 * look is refused, and the state stays that of the other process.
 */
function withoutLateLook(
  questions: readonly Question[],
  late: { readonly path: string; readonly asked: number },
): readonly Question[] {
  const newest = new Map<string, number>();
  const looked = new Set<string>();
  return questions.filter(({ symbol, path }, index) => {
    const [, name = '', count] = /^(\D+)(\d+)$/.exec(symbol) ?? [];
    const known = newest.get(name) ?? 0;
    newest.set(name, Math.max(known, Number(count ?? 0)));
    if (index < late.asked || path?.startsWith(late.path) !== true || looked.has(name)) return true;
    looked.add(name);
    return Number(count) > known;
  });
}

const ended = async (child: ChildProcess, signal: NodeJS.Signals) => {
  const closed = once(child, 'close');
  child.kill(signal);
  await closed;
};

/** Result of a run with three processes, of which one is killed, one frozen and woken, and one stopped and replaced. */
export interface Failover {
  /** Seconds of wall time until others had all roles of the killed process, and of the frozen one. */
  readonly killed: number;
  readonly frozen: number;
  /** Keys of messages that a rolling restart sent twice. */
  readonly doubledByRestart: readonly string[];
  readonly verdict: Verdict;
  /** Warnings and errors that the processes logged. */
  readonly complaints: readonly string[];
}

/** Runs three processes as described at `Failover`. @param database URL of an empty Postgres database */
export async function runFailover(database: string): Promise<Failover> {
  await using lives = await startLives(database);
  const { begin, deliverer, lost, next, more, judged, arrivals, questions } = lives;
  const all = await Promise.all([begin(), begin(), begin()]);
  await more(20);

  const killed = await deliverer();
  await ended(killed, 'SIGKILL');
  next();
  const untilKilled = await lost(killed);
  await more(10);

  const frozen = await deliverer();
  frozen.kill('SIGSTOP');
  // By then all that the process had on the wire has arrived.
  await wallClock.sleep(300);
  const arrived = arrivals.length;
  next();
  const untilFrozen = await lost(frozen);
  await more(10);
  const asked = questions.length;
  frozen.kill('SIGCONT');
  await more(20);

  const keys = new Set(arrivals.map(({ key }) => key));
  const rolled = arrivals.length;
  next();
  const holder = all.find((each) => each !== killed && each !== frozen);
  if (holder !== undefined) await ended(holder, 'SIGTERM');
  await begin();
  await ended(frozen, 'SIGTERM');
  await more(5);
  const after = arrivals.slice(rolled).map(({ key }) => key);

  const verdict = await judged({ killed, frozen: { child: frozen, arrived, asked } });
  // A process that was frozen in a transaction finds its connection ended by the server, and opens another.
  const ofFrozen = (line: string) => line.includes(`"pid":${frozen.pid},`) && /connection/i.test(line);
  return {
    killed: untilKilled,
    frozen: untilFrozen,
    doubledByRestart: after.filter((key, at) => keys.has(key) || after.indexOf(key) < at),
    verdict,
    complaints: lives.complaints().filter((line) => !ofFrozen(line)),
  };
}

/** Runs two processes and kills the one that sends. @param database URL of an empty Postgres database */
export async function runTakeover(database: string): Promise<Pick<Failover, 'verdict' | 'complaints'>> {
  await using lives = await startLives(database);
  const { begin, deliverer, lost, next, more, judged, complaints } = lives;
  await Promise.all([begin(), begin()]);
  await more(15);
  const killed = await deliverer();
  await ended(killed, 'SIGKILL');
  next();
  await lost(killed);
  await more(10);
  const verdict = await judged({ killed });
  return { verdict, complaints: complaints() };
}
