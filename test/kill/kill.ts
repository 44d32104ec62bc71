import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { wallClock } from '#src/runtime/clock.ts';
import { minute, second } from '#src/runtime/units.ts';
import { keyOf, uniform } from '#src/service/simulator/random.ts';
import { openStore } from '#src/store/open.ts';
import { start, subscription } from '#test/support/alerts.ts';
import type { Life } from './child.ts';
import { type Moment, type Parent, startParent } from './parent.ts';
import { storms, wishes } from './storm.ts';
import { judge, type Verdict } from './verdict.ts';

export interface Outcome extends Verdict {
  readonly kills: number;
  /** Kills by what went on: before anything was asked, at a poll, at a message. */
  readonly during: Readonly<Record<'starting' | 'polling' | 'sending', number>>;
  readonly polls: number;
  readonly notifications: number;
  /** What the children wrote to stderr: nothing, where all is well. */
  readonly complaints: string;
  readonly seconds: number;
}

/** A life that is not killed by its plan (the machine is slow, say) is killed after this long, wall ms. */
const longestLife = 5 * second;
/** Within which what is left after the last kill must be sent, wall ms. */
const longestDrain = 2 * minute;

/** Starts the bot and kills it with SIGKILL, `kills` times at moments that follow from `seed`; then judges. */
export async function runKills({ kills, seed }: { kills: number; seed: number }): Promise<Outcome> {
  const began = wallClock.now();
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-kill-'));
  const parent = await startParent();
  const life: Life = {
    database: `file:${join(folder, 'bot.db')}`,
    dataUrl: parent.dataUrl,
    market: { market: start, wall: began, speed: 60 },
    watch: true,
  };
  const bot = nursery(folder);
  try {
    await subscribe(life.database, parent);
    // Before the first kill too: it leaves its compiled code behind, so that later lives begin sooner.
    await bot.drain({ ...life, watch: false });
    const during = { starting: 0, polling: 0, sending: 0 };
    for (let kill = 0; kill < kills; kill++) during[await bot.kill(life, parent, planOf(seed, kill), kill)]++;
    parent.listen(kills, () => {});
    await bot.drain({ ...life, watch: false });

    const store = await openStore(life.database);
    const counted = new Map<string, number>();
    for (const { name, state } of storms) {
      counted.set(name, state.parse(await store.detectors.state(name)).n);
    }
    await store.close();
    return {
      ...judge(parent.arrivals, parent.questions, counted),
      kills,
      during,
      polls: parent.questions.length,
      notifications: parent.arrivals.length,
      complaints: bot.complaints(),
      seconds: (wallClock.now() - began) / second,
    };
  } finally {
    await parent.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function subscribe(database: string, parent: Parent): Promise<void> {
  const store = await openStore(database);
  for (const [name, wishesOf] of Object.entries(wishes)) {
    const receiver = { notifier: 'webhook', address: { url: parent.receiverUrl(name) } };
    for (const wish of wishesOf) await store.subscriptions.add(subscription({ ...wish, receiver }));
  }
  await store.close();
}

/** When a life ends: `delay` ms after the `count`th such moment, or after its start. */
interface Plan {
  readonly moment: Moment | 'started';
  readonly count: number;
  readonly delay: number;
}

function planOf(seed: number, kill: number): Plan {
  const draw = (salt: number) => uniform(keyOf(seed, 'kill'), kill, salt);
  const share = draw(0);
  const soon = draw(1) < 0.5 ? 0 : draw(2) * 10;
  if (share < 0.2) return { moment: 'started', count: 0, delay: draw(1) * 500 };
  if (share < 0.3) return { moment: 'asked', count: 1 + Math.floor(draw(3) * 12), delay: soon };
  if (share < 0.5) return { moment: 'answered', count: 1 + Math.floor(draw(3) * 12), delay: soon };
  if (share < 0.75) return { moment: 'sent', count: 1 + Math.floor(draw(3) * 100), delay: soon };
  return { moment: 'taken', count: 1 + Math.floor(draw(3) * 100), delay: soon };
}

/** Begins and ends children. */
function nursery(folder: string) {
  let complaints = '';
  const begin = (life: Life): ChildProcess => {
    const child = spawn(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        fileURLToPath(new URL('child.ts', import.meta.url)),
        JSON.stringify(life),
      ],
      { stdio: ['ignore', 'ignore', 'pipe'], env: { NODE_COMPILE_CACHE: join(folder, 'compiled') } },
    );
    child.stderr?.on('data', (chunk: Buffer) => {
      complaints += chunk.toString('utf8');
    });
    return child;
  };
  return {
    complaints: () => complaints,

    async kill(life: Life, parent: Parent, { moment, count, delay }: Plan, number: number) {
      let last: 'starting' | 'polling' | 'sending' = 'starting';
      let left = count;
      const due = Promise.withResolvers<void>();
      const overdue = new AbortController();
      parent.listen(number, (each) => {
        last = each === 'asked' || each === 'answered' ? 'polling' : 'sending';
        if (each !== moment) return;
        left -= 1;
        if (left !== 0) return;
        due.resolve();
        // What is asked or sent at this very moment is answered after the delay only, that is: never.
        return dead.then(() => {});
      });
      const child = begin(life);
      const dead = once(child, 'close');
      if (moment === 'started') due.resolve();
      wallClock.sleep(longestLife, overdue.signal).then(due.resolve, () => {});
      await Promise.race([due.promise, dead]);
      overdue.abort();
      await wallClock.sleep(delay);
      const went = last;
      child.kill('SIGKILL');
      const [code, signal] = await dead;
      if (signal !== 'SIGKILL')
        throw new Error(`life ${number} ended by itself with code ${code}: ${complaints}`);
      await parent.quiet();
      return went;
    },

    /** Lets one send what is left and end by itself. */
    async drain(life: Life): Promise<void> {
      const child = begin(life);
      const tooLong = setTimeout(() => child.kill('SIGKILL'), longestDrain);
      const [code, signal] = await once(child, 'close');
      clearTimeout(tooLong);
      if (code !== 0)
        throw new Error(`what was left could not be sent: ended with ${code ?? signal}: ${complaints}`);
    },
  };
}

/** The figures, one to a line. */
export const report = (outcome: Outcome): string => {
  const { starting, polling, sending } = outcome.during;
  const rows: [string, string | number][] = [
    ['kills', `${outcome.kills} (starting ${starting}, polling ${polling}, sending ${sending})`],
    ['polls', outcome.polls],
    ['alerts', `${outcome.alerts} (${outcome.revisions} revisions)`],
    ['notifications', outcome.notifications],
    ['doubled, in flight at a kill', outcome.doubled - outcome.doubledTooOften.length],
    ['doubled otherwise', outcome.doubledTooOften.length],
    ['lost', outcome.lost.length],
    ['wrong', outcome.wrong.length],
    ['state forgotten', outcome.forgotten.length],
    ['seconds', outcome.seconds.toFixed(1)],
  ];
  return rows.map(([name, value]) => `${name.padEnd(30)}${value}\n`).join('');
};
