import { pino } from 'pino';
import type { DataClient } from '#src/contract/data-client.ts';
import { startPipeline } from '#src/pipeline/pipeline.ts';
import { createWatch } from '#src/pipeline/watch.ts';
import { realTime } from '#src/runtime/clock.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { createPace } from '#src/runtime/pace.ts';
import { type HeldRole, keepRole } from '#src/runtime/role.ts';
import { createSchedule } from '#src/runtime/schedule.ts';
import { day, iso, second } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import type { FakeClock } from '#test/support/clock.ts';
import { storms } from '../kill/storm.ts';
import type { Database } from './database.ts';
import { length } from './judged.ts';
import type { Life } from './life.ts';
import type { MarketFault } from './plan.ts';
import type { Platform } from './platform.ts';

/** A data service that responds until the storms are over. */
export interface Market {
  fault: MarketFault | undefined;
  /** Called with every question and the process that asks it. */
  readonly asked: (symbol: string, by: Life) => void;
}

/** What all processes share. */
export interface Surroundings {
  readonly real: FakeClock;
  readonly random: () => number;
  readonly database: Database;
  readonly platforms: ReadonlyMap<string, Platform>;
  readonly market: Market;
}

/** Starts the bot in one of the processes, from its watch to its notifiers. */
export async function startBot(
  life: Life,
  { database, platforms, market, real, random }: Surroundings,
): Promise<void> {
  const store = database.of(life);
  const log = pino({ level: 'silent' });
  const { wall, steady } = life;
  const pipeline = await startPipeline({
    store,
    wall,
    steady,
    log,
    now: wall.now,
    random,
    inhibitRules: [],
    pageSize: 3,
    outlets: [...platforms].map(([name, platform]) => ({
      name,
      connection: platform.of(life),
      concurrency: 4,
      pace: createPace({}, real),
    })),
    expireAfter: 365 * day,
    source: () => 'simulated',
    count: () => {},
  });
  const watch = createWatch({
    watched: storms.map((detector) => ({
      detector,
      options: {},
      schedule: createSchedule(detector.schedule),
    })),
    data: dataOf(life, { market, real }),
    store,
    market: () => realTime(wall),
    wall,
    steady,
    log,
  });
  const watching = ({ lease, isHeld }: HeldRole) =>
    watch.start(
      {
        dispatch: (detector, { state, changes }) =>
          pipeline.dispatch(detector, { state, changes, watching: lease }),
      },
      isHeld,
    );
  await keepRole('watch', { leases: store.leases, wall, steady, log, start: watching });
}

function dataOf(life: Life, { market, real }: Pick<Surroundings, 'market' | 'real'>): DataClient {
  const refuse = (fault: MarketFault | undefined) => {
    if (fault === 'away') throw new ApiError('/funding', 'unreachable', 'away');
    if (fault === 'busy') throw new ApiError('/funding', 'rate_limited', '429', { retryAfter: 2 * second });
  };
  return {
    async fundingHistory({ symbol = '' } = {}) {
      await life.pass();
      refuse(market.fault);
      if (Number(/\d+$/.exec(symbol)?.[0] ?? -1) >= length)
        throw new ApiError('/funding', 'unreachable', 'the storm is over');
      // A question is repeated after an unreadable answer, as after none, so it does not count as asked.
      const { fault } = market;
      if (fault !== 'garbled') market.asked(symbol, life);
      await real.sleep(fault === 'slow' ? 3 * second : 20);
      await life.pass();
      if (fault === 'garbled') throw new ApiError('/funding', 'malformed', 'not JSON');
      return { symbol, data: [{ timestamp: iso(start), rate: '0', annualized: '0' }] };
    },
  } as Partial<DataClient> as DataClient;
}
