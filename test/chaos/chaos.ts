import { pino } from 'pino';
import type { Alert } from '#src/alert/alert.ts';
import type { Receiver } from '#src/alert/subscription.ts';
import type { DataClient } from '#src/contract/data-client.ts';
import { plainReader, say } from '#src/language/say.ts';
import { createPace } from '#src/pace/pace.ts';
import { startPipeline } from '#src/pipeline/pipeline.ts';
import { createWatch } from '#src/pipeline/watch.ts';
import { realTime } from '#src/runtime/clock.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { keepRole, type Tenure } from '#src/runtime/role.ts';
import { createSchedule } from '#src/runtime/schedule.ts';
import { day, iso, minute, second } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { start, subscription } from '#test/support/alerts.ts';
import { seeded } from '#test/support/random.ts';
import { episodes, shownIn, storms, wishes } from '../kill/storm.ts';
import { type Arrival, judge, type Question } from '../kill/verdict.ts';
import { tickingClock } from './clock.ts';
import { createDatabase, databaseFaults } from './database.ts';
import { createLife, type Life } from './life.ts';
import { createPlatform, isUnheard, type Platform, platformFaults } from './platform.ts';

/** Steps of the storms, market s. */
const length = 10;
/** Until what is left must be told once all faults are over, wall ms. */
const longestDrain = 30 * minute;

export interface Outcome {
  readonly seed: number;
  readonly processes: number;
  /** By name, how often. */
  readonly faults: Readonly<Record<string, number>>;
  readonly alerts: number;
  readonly arrivals: number;
  /** Posts twice where the platform cannot tell, each logged. */
  readonly doubted: number;
  /** What must not be. */
  readonly wrong: readonly string[];
}

const nameOf = ({ event }: Alert): string => shownIn(say(event.title, plainReader))[0]?.[0] ?? '';

/** One market with processes, database and platforms, to which faults happen that follow from the seed. */
export async function runChaos(seed: number): Promise<Outcome> {
  const random = seeded(seed);
  const real = tickingClock(start);
  const store = await openStore('file::memory:');
  const database = createDatabase(store, real, random);
  const arrivals: Arrival[] = [];
  const questions: Question[] = [];
  const errors: string[] = [];
  let life = 0;
  const suffer = () => {
    life += 1;
  };
  const platformOf = (name: string, remembers: boolean) =>
    createPlatform(name, {
      real,
      random,
      remembers,
      lost: suffer,
      arrived: (arrival) => void arrivals.push({ ...arrival, life }),
    });
  const platforms = { discord: platformOf('discord', true), telegram: platformOf('telegram', false) };
  const market = { fault: false };
  const receiver = (notifier: string, room: string): Receiver => ({ notifier, address: { room } });
  for (const [room, wanted] of Object.entries(wishes))
    for (const notifier of Object.keys(platforms))
      for (const wish of wanted)
        await store.subscriptions.add(subscription({ ...wish, receiver: receiver(notifier, room) }));

  const begin = async (): Promise<Life> => {
    const own = createLife(real);
    // Started beside what goes on: it may be killed, or find no database, before it is there.
    void live(own).catch((error: unknown) => errors.push(String(error)));
    return own;
  };

  async function live(own: Life): Promise<void> {
    const mine = database.of(own);
    const log = pino({ level: 'silent' });
    const { wall, steady } = own;
    const roles = { leases: mine.leases, wall, steady, log };
    const pipeline = await startPipeline({
      store: mine,
      wall,
      steady,
      log,
      now: wall.now,
      random,
      inhibitRules: [],
      pageSize: 3,
      outlets: Object.entries(platforms).map(([name, platform]) => ({
        name,
        connection: platform.of(own),
        concurrency: 4,
        pace: createPace({}, real),
      })),
      expireAfter: 365 * day,
      source: () => 'simulated',
      count: () => {},
    });
    const data = {
      async fundingHistory({ symbol = '' }) {
        await own.pass();
        const asked = Number(/\d+$/.exec(symbol)?.[0] ?? -1);
        if (market.fault || asked >= length) throw new ApiError('/funding', 'unreachable', 'away');
        questions.push({ life, symbol });
        await real.sleep(20);
        await own.pass();
        return { symbol, data: [{ timestamp: iso(start), rate: '0', annualized: '0' }] };
      },
    } as unknown as DataClient;
    const watch = createWatch({
      watched: storms.map((detector) => ({
        detector,
        options: {},
        schedule: createSchedule(detector.schedule),
      })),
      data,
      store: mine,
      market: () => realTime(wall),
      wall,
      steady,
      log,
    });
    const watching = ({ lease }: Tenure) =>
      watch.start({
        dispatch: (detector, { state, changes }) =>
          pipeline.dispatch(detector, { state, changes, watching: lease }),
      });
    await keepRole('watch', { ...roles, start: watching });
  }

  const counted = async () => {
    const states = storms.map(async ({ name, state }): Promise<[string, number]> => {
      const kept = state.safeParse(await store.detectors.state(name));
      return [name, kept.success ? kept.data.n : 0];
    });
    return new Map(await Promise.all(states));
  };
  const left = async () => {
    const steps = [...(await counted()).values()].reduce((sum, n) => sum + length - n, 0);
    return steps + (await store.outbox.backlog()).waiting + (await store.expansion.next()).length;
  };

  const processes = 1 + Math.floor(random() * 3);
  const lives = await Promise.all(Array.from({ length: processes }, begin));
  const faults = await suffering();
  for (const over = real.now() + longestDrain; real.now() < over && (await left()) > 0; )
    await real.advance(second);

  const wrong = await judged();
  for (const each of lives) each.kill();
  await store.close();
  const doubted = platforms.telegram.doubles.length;
  return {
    seed,
    processes,
    faults,
    alerts: wrong.alerts,
    arrivals: arrivals.length,
    doubted,
    wrong: wrong.list,
  };

  /** Faults, one after another and at once, while the storms rage; then all is well again. */
  async function suffering(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    const over: { readonly at: number; readonly end: () => void | Promise<void> }[] = [];
    const draw = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
    const lasting = (longest: number, end: () => void | Promise<void>) =>
      over.push({ at: real.now() + second + random() * longest, end });
    const which = () => Math.floor(random() * processes);

    const acts: Record<string, () => void> = {
      kill() {
        const index = which();
        lives[index]?.kill();
        lasting(12 * second, async () => {
          lives[index] = await begin();
        });
      },
      freeze() {
        const frozen = lives[which()];
        frozen?.freeze();
        lasting(25 * second, () => frozen?.thaw());
      },
      jump() {
        const set = lives[which()];
        set?.jump(Math.round((random() - 0.5) * 4 * minute));
        lasting(20 * second, () => set?.jump(0));
      },
      database() {
        database.fault = draw(databaseFaults);
        lasting(15 * second, () => {
          database.fault = undefined;
        });
      },
      platform() {
        const broken: Platform = draw(Object.values(platforms));
        broken.fault = draw(platformFaults);
        lasting(20 * second, () => {
          broken.fault = undefined;
        });
      },
      market() {
        market.fault = true;
        lasting(10 * second, () => {
          market.fault = false;
        });
      },
    };
    const names = Object.keys(acts);
    for (const end = real.now() + 28 * second; real.now() < end; ) {
      await real.advance(Math.floor(200 + random() * 5 * second));
      for (const { end } of over
        .splice(0, over.length, ...over.filter(({ at }) => at > real.now()))
        .filter(({ at }) => at <= real.now()))
        await end();
      const name = draw(names);
      acts[name]?.();
      suffer();
      counts[name] = (counts[name] ?? 0) + 1;
    }
    for (const { end } of over) await end();
    suffer();
    return counts;
  }

  /** Nothing lost, nothing twice, each place in its order, and all as if nothing had happened. */
  async function judged(): Promise<{ readonly alerts: number; readonly list: string[] }> {
    const list = [...errors];
    const steps = await counted();
    for (const [name, n] of steps) if (n !== length) list.push(`${name} came to step ${n} of ${length}`);
    const { waiting } = await store.outbox.backlog();
    if (waiting > 0) list.push(`${waiting} wait in the outbox`);
    for (const [name, platform] of Object.entries(platforms)) {
      const noted = new Map<string, string[]>();
      for (const room of Object.keys(wishes)) {
        const rows = await store.deliveries.recent(receiver(name, room), 10_000);
        const doubtful = rows.filter(({ reason }) => reason?.code === 'possibly_doubled');
        noted.set(
          room,
          doubtful.map(({ title }) => say(title, plainReader)),
        );
      }
      const own = arrivals.filter(({ notifier }) => notifier === name);
      const verdict = judge(own, questions, steps, noted);
      for (const fault of ['lost', 'wrong'] as const)
        list.push(...verdict[fault].map((text) => `${name}, ${fault}: ${text}`));
      // What Telegram has taken and nobody has heard of is left behind there: it cannot be found again.
      const unheard = new Set(platform.posts.filter(isUnheard).map(({ room }) => room));
      const stale = verdict.stale.filter(
        (text) => name === 'discord' || !unheard.has(text.split(':')[0] ?? ''),
      );
      list.push(...stale.map((text) => `${name}, stale: ${text}`));
      if (name === 'telegram') list.push(...verdict.unlogged.map((text) => `telegram, not logged: ${text}`));
      for (const { id, room, excused } of platform.doubles)
        if (name === 'discord' || !excused) list.push(`${name}, twice: ${room} ${id}`);
    }
    const expected = storms.flatMap(({ name }) => [...episodes(name, length)]);
    const kept = new Map((await store.alerts.recent(10_000)).map((alert) => [nameOf(alert), alert.revision]));
    for (const [name, revisions] of expected)
      if (kept.get(name) !== revisions.length)
        list.push(`${name} is kept in revision ${kept.get(name)}, and not ${revisions.length}`);
    if (kept.size !== expected.length) list.push(`${kept.size} alerts are kept, and not ${expected.length}`);
    return { alerts: expected.length, list };
  }
}
