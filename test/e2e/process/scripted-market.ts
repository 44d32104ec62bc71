import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { contract, type EndpointAnswer, type EndpointName } from '#src/contract/index.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { day, hour, iso, minute } from '#src/runtime/units.ts';
import { asOf, answers as fixture } from '#test/support/data.ts';
import { venueAnswers } from '#test/support/venue-answers.ts';
import type { Program } from './program.ts';

/** Wednesday, 28 January 2026, 20:00 UTC. The market is calm, out of order on Thursday, and calm again on Friday. */
const begin = Date.UTC(2026, 0, 28, 20);
const thursday = Date.UTC(2026, 0, 29);
/** Market seconds per wall second: slow enough that an answer which takes a slow machine a second is not old on arrival. */
const speed = 20;
const symbols = Array.from({ length: 12 }, (_, index) => ['BTCUSDT', 'ETHUSDT'][index] ?? `COIN${index}USDT`);

/** Whether the market is out of order at a market time, ms. */
const disorder = (at: number): boolean => Math.floor(at / day) === thursday / day;
/** Returns the hours since the disorder began. Some values go on rising with it, because detectors alert on a rise. */
const hoursOf = (at: number): number => (disorder(at) ? (at - thursday) / hour : 0);
const bitcoin = (at: number): number => 97_000 * Math.exp(0.045 * hoursOf(at));

/** Returns the rows of a series up to `now`, oldest first. The content of a row depends only on its own time. */
const rows = <Row>(now: number, hours: number, every: number, row: (at: number) => Row): Row[] => {
  const last = Math.floor(now / every);
  const count = Math.floor((hours * hour) / every);
  return Array.from({ length: count }, (_, index) => row((last - count + 1 + index) * every));
};

type Script = {
  readonly [Name in EndpointName]?: (now: number, query: URLSearchParams) => Partial<EndpointAnswer<Name>>;
};

/** Returns a time a little in the past, because the bot's clock differs slightly: not in its future, and not old. */
const recentTime = (now: number): string => iso(now - 5 * minute);
const venuesAt = (now: number) => venueAnswers(now - 2 * minute, symbols);
const hoursAsked = (query: URLSearchParams): number => Number(query.get('hours') ?? 24);
const extreme = (symbol: string, zScore: number, now: number) => ({
  symbol,
  zScore,
  currentRate: 0.00045,
  annualizedPct: 49.3,
  avg30dRate: 0.0001,
  severity: zScore > 2 ? 'HIGH' : 'ELEVATED',
  direction: 'OVERLEVERAGED_LONG',
  timestamp: recentTime(now),
});

const momentum = (at: number) => ({
  timestamp: iso(at),
  oi: 98_000,
  accelerationPct: 0.02,
  ratePct: disorder(at) ? 2 : 0.1,
});
const oiSignal = (now: number) => (disorder(now) ? 'RAPID_BUILDUP' : 'STABLE');

/** Answers that differ from those of an ordinary day. */
const script: Script = {
  meta: (now) => ({ marketTime: iso(now), speed, symbols, fearGreed: 'published' }),
  basis: (now, query) => ({
    data: rows(now, hoursAsked(query), 5 * minute, (at) => ({
      timestamp: iso(at),
      markPrice: 97_010,
      indexPrice: 97_000,
      estFunding: 0.0001,
      basisPct: disorder(at) ? -0.05 : 0.05,
    })),
  }),
  volumeCvd: (now, query) => ({
    data: rows(now, hoursAsked(query), hour, (at) => ({
      timestamp: iso(at),
      buyVolume: 510,
      sellVolume: 490,
      delta: 20,
      buyRatio: 51,
      // Falls while the price rises, and rises with it after that.
      cvd: disorder(at) ? -100 * (1 + hoursOf(at)) : at > thursday ? 10_000 : Math.sin(at / hour),
    })),
  }),
  intelligence: (now) => ({
    candles24h: rows(now, 24, hour, (at) => ({
      open_time: iso(at),
      c: String(disorder(at) ? 110 + hoursOf(at) : at > thursday ? 200 : 100 + Math.sin(at / hour)),
    })),
  }),
  crossAssetHistory: (now, query) => {
    const data = rows(now, hoursAsked(query), day / 2, (at) => ({
      timestamp: iso(at),
      dxy: 104.2,
      btc_dxy_corr: disorder(at) ? 0.6 : -0.31,
    }));
    return { data, count: data.length };
  },
  dataQuality: (now) => ({
    ...(disorder(now) && { score: 70, grade: 'C', status: 'DEGRADED' }),
    timestamp: recentTime(now),
  }),
  fundingCurrent: (now) => ({
    data: symbols.map((symbol) => ({
      symbol,
      annualized: '10.95',
      timestamp: recentTime(now),
      rate: disorder(now) ? '-0.00030000' : '0.00010000',
    })),
  }),
  fundingDispersion: (now) => {
    const { data, count } = venuesAt(now).fundingDispersion;
    return { data: data.map((row) => ({ ...row, premiumPct: disorder(now) ? 75 : 5 })), count };
  },
  fundingExtremes: (now) => {
    const crowded = disorder(now) ? symbols.slice(0, 4).map((symbol) => extreme(symbol, 2.4, now)) : [];
    const data = [...crowded, extreme('COIN11USDT', 1.6, now)];
    return { data, count: data.length };
  },
  liquidations: (now, query) => ({
    data: rows(now, 2 / 3, minute, (at) => at)
      .filter((at) => at >= Date.parse(query.get('since') ?? iso(0)))
      .toReversed()
      .flatMap((at) =>
        symbols.map((symbol) => ({
          symbol,
          side: 'LONG',
          price: '100.5',
          quantity: '10',
          event_time: iso(at),
          usd_value: disorder(at) ? 2_000_000 : 1_000,
        })),
      ),
  }),
  liquidationZones: (now) => {
    const levelAt = (distancePct: number) => ({ price: 97_000 * (1 + distancePct / 100), distancePct });
    return {
      zones: [
        { side: 'LONG', ...levelAt(disorder(now) ? -0.5 : -5), estimatedUsd: 41_000_000 },
        { side: 'SHORT', ...levelAt(7), estimatedUsd: 28_000_000 },
      ],
      timestamp: recentTime(now),
    };
  },
  listings: (now) => {
    const change = { symbol: 'COIN5USDT', change: 'LISTED', timestamp: iso(thursday), price: 0.42 };
    const data = now > thursday ? [change] : [];
    return { data, count: data.length, timestamp: recentTime(now) };
  },
  lsRatioHistory: (now, query) => ({
    data: rows(now, hoursAsked(query), 15 * minute, (at) => {
      const longRatio = disorder(at) ? 0.75 : 0.5 + 0.01 * Math.sin(at / hour);
      return { timestamp: iso(at), longRatio, shortRatio: 1 - longRatio };
    }),
  }),
  marketOverview: (now) => ({
    coins: symbols.map((symbol, index) => ({
      symbol,
      signal: 0.1,
      funding: 0.0001,
      master: 50,
      price: index === 0 ? bitcoin(now) : 97_000 / 10 ** index,
    })),
    fearGreed: disorder(now) ? 10 : 50,
    timestamp: recentTime(now),
  }),
  oiAggregate: (now) => {
    const { data, count } = venuesAt(now).oiAggregate;
    const change1h = {
      pct: disorder(now) ? 8 : 0.2,
      usd: 142_000_000,
      venues: ['binance', 'hyperliquid'],
    };
    return { data: data.map((row) => ({ ...row, change1h })), count };
  },
  oiMomentum: (now) => {
    const data = rows(now, 6, 5 * minute, momentum);
    return { data, current: data.at(-1), signal: oiSignal(now) };
  },
  oiMovers: (now) => {
    const newest = momentum(Math.floor(now / (5 * minute)) * 5 * minute);
    return {
      data: symbols.map((symbol) => ({ symbol, ...newest, signal: oiSignal(now) })),
      count: symbols.length,
    };
  },
  optionsSummary: (now) => {
    const data = rows(now, 24, 15 * minute, (at) => ({
      timestamp: iso(at),
      callOI: 100_000,
      putOI: 100_000,
      avgIV: 42.5,
      putCallRatio: disorder(at) ? 1.5 : 0.67,
      // This Friday is the last one of the month, when its options expire at 08:00.
      maxPain: disorder(at) ? bitcoin(at) : 50_000,
    }));
    return { data, current: data.at(-1) };
  },
  regimeProbabilities: (now) => ({
    ...(disorder(now) && {
      current: { state: 'RISK_OFF', legacyRegime: 'MARKDOWN', confidence: 0.8, score: -0.6 },
      volatilityRegime: { regime: 'HIGH_VOL', percentile: 96 },
    }),
    timestamp: recentTime(now),
  }),
  spread: (now, query) => ({
    data: rows(now, hoursAsked(query), minute, (at) => ({
      timestamp: iso(at),
      bidPrice: 96_999.9,
      askPrice: 97_000,
      imbalance: 0,
      spreadPct: disorder(at) ? 0.05 * Math.exp(hoursOf(at)) : 0.001,
    })),
  }),
};

/** Returns what the script answers, and from the fixture what it leaves out. */
function answerOf(name: EndpointName, at: number, query: URLSearchParams): object {
  const scripted: object = script[name]?.(at, query) ?? {};
  // The fixture's long lists are not moved to the present where the script has its own.
  const others = Object.entries(fixture[name]).filter(([field]) => !Object.hasOwn(scripted, field));
  return {
    ...asOf(Object.fromEntries(others), at),
    ...(query.has('symbol') && { symbol: query.get('symbol') }),
    ...(query.has('type') && { type: query.get('type') }),
    ...scripted,
  };
}

export interface ScriptedMarket extends AsyncDisposable {
  /** URL of the service, which ends in /api/v1. */
  readonly url: string;
  /** Market time, ms. */
  now(): number;
  /** Lets requests to these paths fail from now on, e.g. `/spread`. */
  fail(paths: readonly string[]): void;
  /** Lets the bot's machine sleep until just after the next midnight: into the disorder, or out of it. */
  nextDay(bot: Pick<Program, 'sleep'>): Promise<void>;
  /** Lets the bot's machine sleep for one hour of the market. */
  nextHour(bot: Pick<Program, 'sleep'>): Promise<void>;
}

/** Starts a hosted data service on loopback, whose market is out of order for one day in every way that detectors watch. */
export async function startScriptedMarket(): Promise<ScriptedMarket> {
  let slept = 0;
  let awake = Promise.resolve();
  let failing: readonly string[] = [];
  const began = wallClock.now();
  const now = () => begin + (wallClock.now() - began + slept) * speed;
  const names = Object.keys(contract) as EndpointName[];
  /** The market goes on while the bot's machine sleeps, by no more than its speed; what is asked meanwhile is answered after it. */
  const sleep = (bot: Pick<Program, 'sleep'>, span: number): Promise<void> => {
    const ms = Math.ceil(span / speed);
    awake = bot.sleep(ms).then(() => {
      slept += ms;
    });
    return awake;
  };
  const server = createServer(async (request, response) => {
    await awake;
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://scripted');
    const name = names.find((each) => contract[each].path === pathname.replace('/api/v1', ''));
    if (name !== undefined && failing.includes(contract[name].path))
      return void response.writeHead(503, { 'retry-after': '1' }).end();
    const answer = name === undefined ? { error: 'Not found' } : answerOf(name, now(), searchParams);
    response.writeHead(name === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    now,
    fail(paths) {
      failing = paths;
    },
    nextDay: (bot) => sleep(bot, day - (now() % day) + minute),
    // Price moves are measured from prices that are between 60 and 70 minutes old.
    nextHour: (bot) => sleep(bot, hour + 2 * minute),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
