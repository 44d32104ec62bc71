import { pino } from 'pino';
import type { Dispatcher } from 'undici';
import type { DataClient } from '#src/contract/data-client.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { createPace } from '#src/runtime/pace.ts';
import { createTrueTime } from '#src/runtime/true-time.ts';
import { iso, second } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import type { FakeClock } from '#test/support/clock.ts';
import { startParts } from './bot-parts.ts';
import type { Database } from './database.ts';
import { length } from './judged.ts';
import type { Life } from './life.ts';
import type { ToldMarket } from './market.ts';
import type { ServiceFault } from './plan.ts';
import type { Platform } from './platform.ts';

/** A data service that responds until the storms are over, and on its market for ever. */
export interface Service {
  fault: ServiceFault | undefined;
  readonly market: ToldMarket;
  /** Called with every question of a storm and the process that asks it. */
  readonly asked: (symbol: string, by: Life) => void;
}

/** What all processes share. */
export interface Surroundings {
  readonly real: FakeClock;
  readonly random: () => number;
  readonly database: Database;
  readonly platforms: ReadonlyMap<string, Platform>;
  readonly service: Service;
  /** Market seconds between two steps of a storm. */
  readonly every: number;
}

/** Starts the bot in one of the processes, from its data client to its notifiers. */
export async function startBot(life: Life, around: Surroundings): Promise<void> {
  const { database, platforms, real, random, every } = around;
  const log = pino({ level: 'silent' });
  const { wall } = createTrueTime(life.wall, { steady: life.steady, log });
  await startParts({
    store: database.of(life),
    wall,
    steady: life.steady,
    log,
    random,
    every,
    baseUrl: 'http://service',
    http: httpOf(life, around),
    stormData: stormDataOf(life, around),
    outlets: [...platforms].map(([name, platform]) => ({
      name,
      connection: platform.of(life),
      concurrency: 4,
      pace: createPace({}, real),
    })),
  });
}

function stormDataOf(life: Life, { service, real }: Surroundings): DataClient {
  const refuse = (fault: ServiceFault | undefined) => {
    if (fault === 'away') throw new ApiError('/funding', 'unreachable', 'away');
    if (fault === 'busy') throw new ApiError('/funding', 'rate_limited', '429', { retryAfter: 2 * second });
  };
  return {
    async fundingHistory({ symbol = '' } = {}) {
      await life.pass();
      refuse(service.fault);
      if (Number(/\d+$/.exec(symbol)?.[0] ?? -1) >= length)
        throw new ApiError('/funding', 'unreachable', 'the storm is over');
      // A question is repeated after an unreadable answer, as after none, so it does not count as asked.
      const { fault } = service;
      if (fault !== 'garbled') service.asked(symbol, life);
      await real.sleep(fault === 'slow' ? 3 * second : 20);
      await life.pass();
      if (fault === 'garbled') throw new ApiError('/funding', 'malformed', 'not JSON');
      return { symbol, data: [{ timestamp: iso(start), rate: '0', annualized: '0' }] };
    },
  } as Partial<DataClient> as DataClient;
}

/** HTTP without sockets, which would not keep to the simulated time: what the data client uses of a dispatcher. */
function httpOf(life: Life, { service, real }: Surroundings): Dispatcher {
  const respond = (statusCode: number, body: string) => ({
    statusCode,
    headers: {
      'content-type': 'application/json',
      date: new Date(real.now()).toUTCString(),
      ...(statusCode === 429 && { 'retry-after': '2' }),
    },
    body: (async function* () {
      yield Buffer.from(body);
    })(),
  });
  const request = async ({ origin, path }: { readonly origin: string; readonly path: string }) => {
    await life.pass();
    const { fault } = service;
    if (fault === 'away') throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    if (fault === 'busy') return respond(429, '{"error":"Too many requests"}');
    await real.sleep(fault === 'slow' ? 3 * second : 20);
    const answer = service.market.answer(new URL(path, origin));
    await life.pass();
    const body = JSON.stringify(answer ?? { error: 'not found' });
    return respond(answer === undefined ? 404 : 200, fault === 'garbled' ? body.slice(0, 10) : body);
  };
  return { request } as Partial<Record<keyof Dispatcher, unknown>> as Dispatcher;
}
