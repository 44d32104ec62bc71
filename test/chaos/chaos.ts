import type { Receiver } from '#src/alert/subscription.ts';
import { minute, second } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { start, subscription } from '#test/support/alerts.ts';
import { seeded } from '#test/support/random.ts';
import { wishes } from '../kill/storm.ts';
import type { Arrival, Question } from '../kill/verdict.ts';
import { startBot } from './bot.ts';
import { bindAtFirst, subscribeToMarket } from './bot-parts.ts';
import { tickingClock } from './clock.ts';
import { createDatabase } from './database.ts';
import { judged, left, type Outcome, sleepers, stillSilent, type Told, wrongSoFar } from './judged.ts';
import { createLife, type Life } from './life.ts';
import { createToldMarket, marketRoom } from './market.ts';
import {
  countsOf,
  type End,
  type Fault,
  nights,
  planOf,
  platforms,
  rage,
  type ServiceFault,
  zone,
} from './plan.ts';
import { createPlatform } from './platform.ts';
import { recover } from './recovery.ts';

/** Ms in which everything left must be sent once all faults are over, and in which what happens then must be told. */
const allowed = 30 * minute;
/** Ms from the start of the storms to the change of the clocks. */
const untilChange = 12 * second;
/** How late each answer is to a process with a tenth of a core, ms. */
const starved = 200;

/**
 * Runs several simulated bot processes in this process, with one market, one database and platforms, to which faults happen
 * that follow from the seed. Nothing depends on real clocks, chance or scheduling, so a seed always gives
 * the same outcome.
 */
export async function runChaos(seed: number): Promise<Outcome> {
  const plan = planOf(seed);
  const night = plan.night && nights[plan.night];
  const random = seeded(seed);
  const real = tickingClock(night === undefined ? start : night.change - untilChange);
  await using run = new AsyncDisposableStack();
  const store = await openStore('file::memory:');
  run.defer(() => store.close());
  // Quiet hours are kept by the live market's time; any other market runs faster, so that more rows are looked at.
  const speed = night === undefined ? 60 : 1;
  const first = real.now();
  const time = {
    source: night === undefined ? ('simulated' as const) : ('live' as const),
    now: () => first + (real.now() - first) * speed,
    speed,
  };
  const market = createToldMarket(time, random);
  await bindAtFirst(store, { ...time, now: first, wall: first });
  const arrivals: Arrival[] = [];
  const questions: Question[] = [];
  let life = 0;
  const suffer = () => {
    life += 1;
  };
  const around = {
    real,
    random,
    database: createDatabase(store, real, random),
    platforms: new Map(
      platforms.map((name) => {
        const arrived = (arrival: Omit<Arrival, 'life'>) => void arrivals.push({ ...arrival, life });
        return [name, createPlatform(name, { real, random, lost: suffer, arrived })];
      }),
    ),
    service: {
      fault: undefined as ServiceFault | undefined,
      market,
      asked: (symbol: string, by: Life) => void questions.push({ life, symbol, path: pathOf(by) }),
    },
    every: speed,
  };
  const begun: Life[] = [];
  const pathOf = (by: Life): string => `/${begun.indexOf(by)}`;
  const receiverOf = (room: string, notifier: string): Receiver => ({ notifier, address: { room } });
  for (const [room, wanted] of Object.entries(wishes)) {
    const sleeps = night !== undefined && sleepers.includes(room);
    const quietHours = sleeps ? { ...night.quiet, timeZone: zone } : null;
    for (const notifier of platforms)
      for (const wish of wanted)
        await store.subscriptions.add(
          subscription({ ...wish, receiver: receiverOf(room, notifier), quietHours }),
        );
  }

  await subscribeToMarket(
    store,
    platforms.map((notifier) => receiverOf(marketRoom, notifier)),
  );

  const begin = (): Life => {
    const own = createLife(real);
    begun.push(own);
    // The start is not awaited: the process may be killed before it is up. One that finds no database is started again.
    const attempt = (): Promise<void> =>
      startBot(own, around).catch(() => own.wall.sleep(second).then(attempt, () => {}));
    void attempt();
    return own;
  };
  const lives = Array.from({ length: plan.processes }, begin);
  const told: Told = { store, arrivals, questions, receiverOf, night: night !== undefined };
  const wrong: string[] = [];

  await rage(plan, {
    pass: (ms) => real.advance(ms),
    async begin(fault) {
      const end = await afflict(fault);
      suffer();
      return async () => {
        await end();
        suffer();
      };
    },
    async look() {
      if (wrong.length === 0) wrong.push(...(await wrongSoFar(told)));
    },
  });
  suffer();
  const untilOver = (how: () => Promise<number>) =>
    recover({
      left: how,
      own: real.now,
      wall: real.now,
      pass: () => real.advance(second),
      allowed,
      patience: Number.POSITIVE_INFINITY,
    });
  const recovery = await untilOver(() => left(store));
  const struckAt = arrivals.length;
  market.strike();
  const again = await untilOver(async () => stillSilent(told, struckAt).length + (await left(store)));

  const verdict = await judged(told, { recovery, again, struckAt });
  const atLast = [...verdict.wrong];
  for (const each of lives) each.kill();
  const { discord, telegram, webhook } = Object.fromEntries(around.platforms);
  for (const { id, room } of discord?.doubles ?? []) atLast.push(`discord, twice: ${room} ${id}`);
  for (const { name, doubles } of [telegram, webhook].filter((each) => each !== undefined))
    for (const { id, room, why } of doubles)
      if (why === undefined) atLast.push(`${name}, twice and its answer was heard and kept: ${room} ${id}`);
  return {
    seed,
    stage: 'simulated',
    processes: plan.processes,
    faults: countsOf(plan),
    arrivals: arrivals.length,
    ...verdict,
    unkept: [telegram, webhook].flatMap((each) => each?.doubles ?? []).filter(({ why }) => why === 'unkept')
      .length,
    wrong: [...new Set([...wrong, ...atLast])],
  };

  function afflict(fault: Fault): Promise<End> | End {
    switch (fault.what) {
      case 'process':
        return afflictProcess(fault);
      case 'clock': {
        const set = lives[fault.process];
        set?.jump(fault.by);
        return () => set?.jump(0);
      }
      case 'database':
        around.database.fault = fault.how;
        for (const each of lives) each.cutOff();
        return () => {
          around.database.fault = undefined;
          for (const each of lives) each.cutOff();
        };
      case 'file': {
        for (const each of lives) each.cutOff();
        // What the guard finds of real files is tried with real processes; here it is what follows from that.
        store.guard.note('identity', fault.how);
        return () => {
          store.guard.note('identity', null);
          for (const each of lives) each.cutOff();
        };
      }
      case 'platform': {
        const broken = around.platforms.get(fault.which);
        if (broken !== undefined) broken.fault = fault.how;
        return () => {
          if (broken !== undefined) broken.fault = undefined;
        };
      }
      case 'service':
        around.service.fault = fault.how;
        return () => {
          around.service.fault = undefined;
        };
      case 'rows':
      case 'meta':
        return market.lie(fault.how, fault.by);
    }
  }

  function afflictProcess({ how, process }: Extract<Fault, { readonly what: 'process' }>): End {
    const life = lives[process];
    switch (how) {
      case 'frozen':
        life?.freeze();
        return () => life?.thaw();
      case 'starved':
        life?.starve(starved);
        return () => life?.starve(0);
      default:
        // A process that runs out of memory stands still, collecting garbage, before it ends.
        if (how === 'out of memory') life?.freeze();
        else life?.kill();
        return () => {
          life?.kill();
          if (lives[process] === life) lives[process] = begin();
        };
    }
  }
}
