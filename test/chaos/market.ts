import { contract, type EndpointAnswer, type EndpointName } from '#src/contract/index.ts';
import fundingExtreme from '#src/detectors/funding-extreme.ts';
import fundingGap from '#src/detectors/funding-gap.ts';
import liquidationBurst from '#src/detectors/liquidation-burst.ts';
import oiAllVenues from '#src/detectors/oi-all-venues.ts';
import priceLevel from '#src/detectors/price-level.ts';
import { hour, iso, minute, second } from '#src/runtime/units.ts';
import { dispersionOf } from '#src/service/analytics/funding-dispersion.ts';
import { splitByPrice } from '#src/service/analytics/same-coin.ts';
import type { Lie } from './plan.ts';

/** Detectors that look at the market, one of each way of counting what is new, and how the title of their alert begins. */
export const involved = [
  { detector: fundingExtreme, options: {}, title: /BTC funding extreme/i },
  { detector: fundingGap, options: {}, title: /BTC funding gap:/ },
  { detector: oiAllVenues, options: {}, title: /BTC open interest unwinds/ },
  { detector: priceLevel, options: {}, title: /BTC rose above 100,000/ },
  { detector: liquidationBurst, options: { window: '2m', minHistory: 1 }, title: /BTC liquidation burst:/ },
].map(({ detector, options, title }) => ({ detector, options: detector.options.parse(options), title }));

/** The room that subscribes to their alerts. */
export const marketRoom = 'market';

/** Market time, and how it passes. */
export interface MarketTime {
  readonly source: 'live' | 'simulated';
  /** Market ms. */
  readonly now: () => number;
  /** Market seconds per wall second. */
  readonly speed: number;
}

/** A data service's market: the truth, and while it lies something as well formed that is wrong. */
export interface ToldMarket {
  /** Tells a lie until the function that it returns is called. @param by ms by which times are wrong */
  lie(how: Lie, by: number): () => void;
  /** Each of the detectors has something critical to tell from now on. */
  strike(): void;
  /** Returns the answer to a GET; undefined: there is no such endpoint. */
  answer(url: URL): unknown;
}

const symbols = ['BTCUSDT', 'ETHUSDT'];
const venues = [
  { venue: 'binance', title: 'Binance USD-M' },
  { venue: 'okx', title: 'OKX' },
] as const;
const stranger = { venue: 'bybit', title: 'Bybit' } as const;

type Answers = { readonly [Name in EndpointName]?: (url: URL) => EndpointAnswer<Name> };

/** Answers of a market at one time. `isStruck`: every row about BTC is critical. */
function answersAt(
  now: number,
  { isStruck, since, hasStranger }: Record<'isStruck' | 'hasStranger', boolean> & { readonly since: number },
): Answers {
  const timestamp = iso(Math.floor(now / minute) * minute);
  const isHit = (symbol: string) => isStruck && symbol === 'BTCUSDT';
  const priceOf = (symbol: string) => (symbol === 'BTCUSDT' ? (isHit(symbol) ? 104_000 : 97_500) : 3_300);
  const settledAt = iso(isStruck ? since : Math.floor(now / (8 * hour)) * 8 * hour);
  const rateOf = (symbol: string) => (isHit(symbol) ? 0.003 : 0.0001);
  const annual = (rate: number) => rate * 3 * 365 * 100;
  // As the service does: what has another price is another coin.
  const legsOf = (symbol: string) =>
    splitByPrice(
      [...venues, ...(hasStranger ? [stranger] : [])].map((leg, index) => {
        const isStranger = leg === stranger;
        const price = priceOf(symbol) / (isStranger ? 20 : 1);
        return { ...leg, price, isStranger, isDear: isStranger || (isHit(symbol) && index === 0) };
      }),
      ({ price }) => price,
    );
  const excludedOf = (symbol: string) =>
    legsOf(symbol).others.map(({ leg: { venue, title }, deviationPct }) => ({
      ...{ venue, title },
      reason: 'OTHER_PRICE' as const,
      priceDeviationPct: deviationPct,
    }));
  return {
    marketOverview: () => ({
      coins: symbols.map((symbol) => ({
        symbol,
        price: priceOf(symbol),
        signal: 0.1,
        funding: 0.0001,
        master: 50,
      })),
      regime: 'MARKUP',
      timestamp,
    }),
    fundingCurrent: () => ({
      data: symbols.map((symbol) => ({
        symbol,
        rate: String(rateOf(symbol)),
        annualized: String(annual(rateOf(symbol))),
        timestamp: settledAt,
      })),
    }),
    fundingHistory: ({ searchParams }) => ({ symbol: searchParams.get('symbol') ?? 'BTCUSDT', data: [] }),
    fundingIntervals: () => ({ data: symbols.map((symbol) => ({ symbol, hours: 8, timestamp: settledAt })) }),
    fundingExtremes: () => ({
      data: symbols.filter(isHit).map((symbol) => ({
        symbol,
        currentRate: rateOf(symbol),
        annualizedPct: annual(rateOf(symbol)),
        avg30dRate: 0.0001,
        zScore: 4.2,
        severity: 'EXTREME',
        direction: 'OVERLEVERAGED_LONG',
        timestamp: settledAt,
      })),
      count: isStruck ? 1 : 0,
      threshold: '|zScore| > 1.5',
    }),
    fundingDispersion: () => ({
      data: symbols.map((symbol) => {
        const legs = legsOf(symbol).same.map(({ isDear, ...leg }) => {
          return { ...leg, symbol, rate: isDear ? 0.004 : 0.0001, hours: 8, time: now };
        });
        const { gap } = dispersionOf(legs)[0] ?? {};
        return {
          symbol,
          legs: legs.map(({ venue, title, rate, hours }) => ({
            ...{ venue, title, rate, hours, timestamp },
            annualizedPct: annual(rate),
          })),
          highest: gap?.highest,
          lowest: gap?.lowest,
          premiumPct: gap?.pct,
          excluded: excludedOf(symbol),
          timestamp,
        };
      }),
      count: symbols.length,
    }),
    oiAggregate: () => ({
      data: symbols.map((symbol) => {
        const legs = legsOf(symbol).same.map(({ venue, title, isStranger }) => {
          const usd = isStranger ? 90_000_000_000 : 5_000_000_000;
          return { venue, title, openInterest: usd / priceOf(symbol), usd, timestamp };
        });
        const totalUsd = legs.reduce((sum, { usd }) => sum + usd, 0);
        const hasStrangerLeg = totalUsd > 50_000_000_000;
        const pct = isHit(symbol) ? -15 : hasStrangerLeg ? 400 : 0.4;
        return {
          symbol,
          totalUsd,
          legs: legs.map((leg) => ({ ...leg, sharePct: (100 * leg.usd) / totalUsd })),
          change1h: { pct, usd: (totalUsd * pct) / 100, venues: legs.map(({ venue }) => venue) },
          excluded: excludedOf(symbol),
          timestamp,
        };
      }),
      count: symbols.length,
    }),
    oi: ({ searchParams }) => ({
      symbol: searchParams.get('symbol') ?? 'BTCUSDT',
      data: [{ timestamp, oi_contracts: '98000', oi_value_usd: '9500000000' }],
    }),
    liquidations: ({ searchParams }) => {
      const { since: from = iso(now - hour), limit = '100' } = Object.fromEntries(searchParams);
      const first = Math.floor(Date.parse(from) / (10 * second)) + 1;
      const last = Math.floor(now / (10 * second));
      const rows = Array.from(
        { length: Math.min(Number(limit), Math.max(0, last - first + 1)) },
        (_, index) => {
          const time = (last - index) * 10 * second;
          const symbol = symbols[(last - index) % symbols.length] ?? '';
          const usd = isHit(symbol) && time > since ? 4_000_000 : 2_000;
          const price = priceOf(symbol);
          return {
            ...{ symbol, side: 'LONG' as const, price: String(price), quantity: String(usd / price) },
            usd_value: usd,
            event_time: iso(time),
          };
        },
      );
      return { data: rows };
    },
  };
}

export function createToldMarket({ source, now, speed }: MarketTime, random: () => number): ToldMarket {
  let told: { readonly how: Lie; readonly by: number } | undefined;
  let since = Number.POSITIVE_INFINITY;
  const truth = (at = now()): Answers =>
    answersAt(at, { since, isStruck: at >= since, hasStranger: told?.how === 'another price' });
  const meta = (): EndpointAnswer<'meta'> => {
    const isLate = told?.how === 'time ahead' || told?.how === 'time of the past';
    const others = ['live', 'simulated', 'recorded'].filter((name) => name !== source);
    return {
      source: told?.how === 'another source' ? (others[Math.floor(random() * others.length)] ?? '') : source,
      run: told?.how === 'another run' ? 'another' : 'the one',
      marketTime: iso(now() + (isLate ? (told?.by ?? 0) : 0)),
      speed,
      ready: true,
      backfill: 1,
      version: 'test',
      symbols,
      feeds: [],
      extensions: ['fundingIntervals', 'fundingDispersion', 'oiAggregate'],
    };
  };
  /** Returns critical rows at another time among the true ones; an answer of one time alone is at that time. */
  const mixed = (name: EndpointName, url: URL, by: number): unknown => {
    const at = now() + by;
    const wrong = answersAt(at, { since: at - minute, isStruck: true, hasStranger: false })[name]?.(url);
    const right = truth()[name]?.(url);
    if (!isList(right) || !isList(wrong)) return wrong;
    return {
      ...right,
      data: random() < 1 / 2 ? [...right.data, ...wrong.data] : [...wrong.data, ...right.data],
    };
  };
  const twice = (rows: readonly unknown[]): unknown[] =>
    [...rows, ...rows]
      .map((row) => [random(), row] as const)
      .sort(([a], [b]) => a - b)
      .map(([, row]) => row);

  return {
    lie(how, by) {
      const own = { how, by };
      told = own;
      return () => {
        if (told === own) told = undefined;
      };
    },
    strike() {
      since = Math.floor(now() / minute) * minute;
    },
    answer(url) {
      const name = Object.keys(contract).find((each) =>
        url.pathname.endsWith(contract[each as EndpointName].path),
      ) as EndpointName | undefined;
      if (name === 'meta') return meta();
      if (name === undefined) return undefined;
      if (told?.how === 'ahead' || told?.how === 'of the past') return mixed(name, url, told.by);
      const answer = truth()[name]?.(url);
      if (told?.how !== 'twice, in any order' || typeof answer !== 'object') return answer;
      return Object.fromEntries(
        Object.entries(answer).map(([field, value]) => [field, Array.isArray(value) ? twice(value) : value]),
      );
    },
  };
}

const isList = (answer: unknown): answer is { readonly data: readonly unknown[] } =>
  typeof answer === 'object' && answer !== null && 'data' in answer && Array.isArray(answer.data);
