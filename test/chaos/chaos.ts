import type { Receiver } from '#src/alert/subscription.ts';
import { minute, second } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { start, subscription } from '#test/support/alerts.ts';
import { seeded } from '#test/support/random.ts';
import { wishes } from '../kill/storm.ts';
import type { Arrival, Question } from '../kill/verdict.ts';
import { type Market, startBot } from './bot.ts';
import { tickingClock } from './clock.ts';
import { createDatabase } from './database.ts';
import { judged, left, type Outcome, sleepers, type Told, wrongSoFar } from './judged.ts';
import { createLife, type Life } from './life.ts';
import { countsOf, type End, type Fault, nights, planOf, platforms, rage, zone } from './plan.ts';
import { createPlatform } from './platform.ts';

/** Ms within which everything left must be sent once all faults are over. */
const longestDrain = 30 * minute;
/** Ms from the start of the storms to the change of the clocks. */
const untilChange = 12 * second;

/**
 * Runs several simulated bot processes in this process, with one market, a database in memory and platforms, to which
 * faults happen that follow from the seed. Nothing depends on real clocks, chance or scheduling, so a seed always gives
 * the same outcome.
 */
export async function runChaos(seed: number): Promise<Outcome> {
  const plan = planOf(seed);
  const night = plan.night && nights[plan.night];
  const random = seeded(seed);
  const real = tickingClock(night === undefined ? start : night.change - untilChange);
  const store = await openStore('file::memory:');
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
    market: {
      fault: undefined,
      asked: (symbol: string, by: Life) => void questions.push({ life, symbol, path: pathOf(by) }),
    } as Market,
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

  const begin = (): Life => {
    const own = createLife(real);
    begun.push(own);
    // The start is not awaited: the process may be killed, or find no database, before it is up.
    void startBot(own, around).catch(() => {});
    return own;
  };
  const lives = Array.from({ length: plan.processes }, begin);
  const told: Told = { store, arrivals, questions, receiverOf, night: night !== undefined };
  const wrong: string[] = [];

  await rage(plan, {
    pass: (ms) => real.advance(ms),
    begin(fault) {
      const end = afflict(fault);
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
  for (const over = real.now() + longestDrain; real.now() < over && (await left(store)) > 0; )
    await real.advance(second);

  const verdict = await judged(told);
  const atLast = [...verdict.wrong];
  for (const each of lives) each.kill();
  await store.close();
  const { discord, telegram, webhook } = Object.fromEntries(around.platforms);
  for (const { id, room } of discord?.doubles ?? []) atLast.push(`discord, twice: ${room} ${id}`);
  for (const { name, doubles } of [telegram, webhook].filter((each) => each !== undefined))
    for (const { id, room, why } of doubles)
      if (why === undefined) atLast.push(`${name}, twice and its answer was heard and kept: ${room} ${id}`);
  return {
    seed,
    database: 'sqlite',
    processes: plan.processes,
    faults: countsOf(plan),
    arrivals: arrivals.length,
    ...verdict,
    unkept: [telegram, webhook].flatMap((each) => each?.doubles ?? []).filter(({ why }) => why === 'unkept')
      .length,
    wrong: [...new Set([...wrong, ...atLast])],
  };

  function afflict(fault: Fault): End {
    switch (fault.what) {
      case 'kill':
      case 'exhaust': {
        const { what, process } = fault;
        const afflicted = lives[process];
        // A process that runs out of memory stands still, collecting garbage, before it ends.
        if (what === 'exhaust') afflicted?.freeze();
        else afflicted?.kill();
        return () => {
          afflicted?.kill();
          if (lives[process] === afflicted) lives[process] = begin();
        };
      }
      case 'freeze': {
        const frozen = lives[fault.process];
        frozen?.freeze();
        return () => frozen?.thaw();
      }
      case 'jump': {
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
      case 'platform': {
        const broken = around.platforms.get(fault.which);
        if (broken !== undefined) broken.fault = fault.how;
        return () => {
          if (broken !== undefined) broken.fault = undefined;
        };
      }
      case 'market':
        around.market.fault = fault.how;
        return () => {
          around.market.fault = undefined;
        };
    }
  }
}
