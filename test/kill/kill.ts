import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Receiver } from '#src/alert/subscription.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { minute, second } from '#src/runtime/units.ts';
import { keyOf, uniform } from '#src/service/simulation/random.ts';
import { openStore } from '#src/store/open.ts';
import { start, subscription } from '#test/support/alerts.ts';
import type { Life } from './child.ts';
import { type Ends, webhooks } from './ends.ts';
import { counted, possiblyDoubled } from './kept.ts';
import { spawnLife } from './lives.ts';
import { type Moment, type Parent, startParent } from './parent.ts';
import { wishes } from './storm.ts';
import { judge, type Verdict } from './verdict.ts';

export interface Outcome {
  /** Verdicts by notifier. */
  readonly verdicts: Readonly<Record<string, Verdict>>;
  readonly kills: number;
  /** Number of kills by what happened last: nothing yet, a poll, or a message. */
  readonly during: Readonly<Record<'starting' | 'polling' | 'sending', number>>;
  readonly polls: number;
  /** What the children wrote to stderr; empty if the test succeeds. */
  readonly complaints: string;
  readonly seconds: number;
}

/** Wall ms after its first poll or message when a life is killed that polls or sends less often than its plan counts. */
const longestLife = 2 * second;
/** Wall ms to wait for that first poll or message: even on a slow machine a life gets to the moment of its kill. */
const longestStart = minute;
/** Wall ms within which what is left after the last kill must be sent. */
const longestDrain = 2 * minute;

/**
 * Starts the bot and kills it with SIGKILL, `kills` times at moments that follow from `seed`. Then judges what arrived,
 * and closes the ends.
 * @param url of the database; default: a file of its own
 * @param speed market s per wall s: at a lower speed more of an alert's changes get a message of their own
 */
export async function runKills(
  { kills, seed, url, speed = 60 }: { kills: number; seed: number; url?: string; speed?: number },
  ends: Ends = webhooks,
): Promise<Outcome> {
  const began = wallClock.now();
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-kill-'));
  const parent = await startParent(ends);
  const life: Life = {
    database: url ?? `file:${join(folder, 'bot.db')}`,
    dataUrl: parent.dataUrl,
    notifiers: ends.notifiers(parent.origin),
    market: { market: start, wall: began, speed },
    watch: true,
  };
  const bot = nursery(folder);
  try {
    await subscribe(life.database, (name) => ends.receivers(name, parent.origin));
    const during = { starting: 0, polling: 0, sending: 0 };
    for (let kill = 0; kill < kills; kill++) during[await bot.kill(life, parent, planOf(seed, kill), kill)]++;
    parent.listen(kills, () => {});
    await bot.drain({ ...life, watch: false });

    const store = await openStore(life.database);
    const counts = await counted(store);
    const verdicts: Record<string, Verdict> = {};
    for (const notifier of Object.keys(life.notifiers)) {
      const noted = await possiblyDoubled(store, (name) =>
        ends.receivers(name, parent.origin).find((each) => each.notifier === notifier),
      );
      const own = parent.arrivals.filter((arrival) => arrival.notifier === notifier);
      verdicts[notifier] = judge(own, parent.questions, counts, noted);
    }
    await store.close();
    return {
      verdicts,
      kills,
      during,
      polls: parent.questions.length,
      complaints: bot.complaints(),
      seconds: (wallClock.now() - began) / second,
    };
  } finally {
    await parent.close();
    await ends.close();
    await rm(folder, { recursive: true, force: true });
  }
}

export async function subscribe(
  database: string,
  receivers: (name: string) => readonly Receiver[],
): Promise<void> {
  const store = await openStore(database);
  for (const [name, wishesOf] of Object.entries(wishes)) {
    for (const receiver of receivers(name)) {
      for (const wish of wishesOf) await store.subscriptions.add(subscription({ ...wish, receiver }));
    }
  }
  await store.close();
}

/** When a life ends: `delay` ms after the `count`th occurrence of the moment, or after the start. */
interface Plan {
  readonly moment: Moment | 'started';
  readonly count: number;
  readonly delay: number;
}

function planOf(seed: number, kill: number): Plan {
  // At least one life dies with a message on its way; the moments of the others are random.
  if (kill === 0) return { moment: 'sent', count: 1, delay: 0 };
  const draw = (salt: number) => uniform(keyOf(seed, 'kill'), kill, salt);
  const share = draw(0);
  const soon = draw(1) < 0.5 ? 0 : draw(2) * 10;
  if (share < 0.2) return { moment: 'started', count: 0, delay: draw(1) * 500 };
  if (share < 0.3) return { moment: 'asked', count: 1 + Math.floor(draw(3) * 12), delay: soon };
  if (share < 0.5) return { moment: 'answered', count: 1 + Math.floor(draw(3) * 12), delay: soon };
  if (share < 0.75) return { moment: 'sent', count: 1 + Math.floor(draw(3) * 100), delay: soon };
  return { moment: 'taken', count: 1 + Math.floor(draw(3) * 100), delay: soon };
}

const phaseOf = (moment: Moment) => (moment === 'asked' || moment === 'answered' ? 'polling' : 'sending');

/** Starts and ends child processes. */
function nursery(folder: string) {
  let complaints = '';
  const begin = (life: Life): ChildProcess =>
    spawnLife(life, {
      folder,
      complain(text) {
        complaints += text;
      },
    });
  return {
    complaints: () => complaints,

    async kill(life: Life, parent: Parent, { moment, count, delay }: Plan, number: number) {
      let last: 'starting' | 'polling' | 'sending' = 'starting';
      let left = count;
      let met = false;
      const due = Promise.withResolvers<void>();
      const overdue = new AbortController();
      let lives = false;
      const live = () => {
        if (!lives) wallClock.sleep(longestLife, overdue.signal).then(due.resolve, () => {});
        lives = true;
      };
      parent.listen(number, (each) => {
        last = phaseOf(each);
        if (moment !== 'started' && last === phaseOf(moment)) live();
        if (each !== moment) return;
        left -= 1;
        if (left !== 0) return;
        met = true;
        due.resolve();
        // The request of this moment is never answered, because its response waits until the process has been killed.
        return dead.then(() => {});
      });
      const child = begin(life);
      const dead = once(child, 'close');
      if (moment === 'started') due.resolve();
      wallClock.sleep(longestStart, overdue.signal).then(due.resolve, () => {});
      await Promise.race([due.promise, dead]);
      overdue.abort();
      await wallClock.sleep(delay);
      const went = met && moment !== 'started' ? phaseOf(moment) : last;
      child.kill('SIGKILL');
      const [code, signal] = await dead;
      if (signal !== 'SIGKILL')
        throw new Error(`life ${number} ended by itself with code ${code}: ${complaints}`);
      await parent.quiet();
      return went;
    },

    /** Starts a life that sends what is left and ends by itself. */
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

/** Returns the faults that no notifier may have. What else people see in a chat is judged by platform. */
export function faults({ verdicts, complaints }: Outcome): string[] {
  const all = Object.entries(verdicts).flatMap(([notifier, verdict]) => {
    const { doubledTooOften, unlogged, lost, wrong, forgotten } = verdict;
    return Object.entries({ doubledTooOften, unlogged, lost, wrong, forgotten }).flatMap(([fault, found]) =>
      found.map((text) => `${notifier}, ${fault}: ${text}`),
    );
  });
  return [...all, ...complaints.split('\n').filter((line) => line !== '')];
}
