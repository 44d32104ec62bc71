import { closeDayBefore, maxDayAgo } from '../../../contract/day-ago.ts';
import type { Figure, MarketRow } from '../../../platforms/web/ports/board.ts';
import { day, hour, minute } from '../../../runtime/units.ts';

export interface MarketMemory {
  readonly symbol: string;
  price?: { readonly value: number; readonly at: number };
  /** [time, price] as they came in, oldest first, over somewhat more than an hour. */
  recentPrices: (readonly [number, number])[];
  /** Hourly closes by the end of their hour, over somewhat more than a day. */
  readonly closes: Map<number, number>;
  /** Funding rates by the time of their settlement. */
  readonly settlements: Map<number, number>;
  /** When figures of this market alone last came in, market ms. */
  readonly updatedAt: Map<Figure, number>;
  fundingHours?: number;
  fundingZ?: number | undefined;
  interest1h?: number | undefined;
  basis?: number | undefined;
  longShare?: number | undefined;
  regime?: { readonly state: string; readonly likelier: string | undefined };
}

export const createMarketMemory = (symbol: string): MarketMemory => ({
  symbol,
  recentPrices: [],
  closes: new Map(),
  settlements: new Map(),
  updatedAt: new Map(),
});

/** How many settlements the heat map shows. */
export const settlementsShown = 30;
/** The longest time between two prices for which a price between them is interpolated. */
const maxGap = 30 * minute;

export function addPrice(market: MarketMemory, price: NonNullable<MarketMemory['price']>): void {
  if (market.price !== undefined && price.at < market.price.at) return;
  market.price = price;
  market.recentPrices = market.recentPrices.filter(([at]) => at < price.at && at >= price.at - hour - maxGap);
  market.recentPrices.push([price.at, price.value]);
  // So that no hour is missing until its close is asked for.
  const closedAt = Math.floor(price.at / hour) * hour;
  const close = market.closes.has(closedAt) ? undefined : priceAt(closedAt, market.recentPrices);
  if (close !== undefined) addCloses(market, [[closedAt, close]]);
}

export function addCloses(market: MarketMemory, closes: readonly (readonly [number, number])[]): void {
  for (const [at, close] of closes) market.closes.set(at, close);
  const newest = Math.max(...market.closes.keys());
  for (const at of market.closes.keys()) if (at < newest - maxDayAgo) market.closes.delete(at);
}

/** Adds the prices of an hour and of a day before, with which the service compares, so that nothing waits for them to be past. */
export function addChanges(
  market: MarketMemory,
  {
    price,
    at,
    change1hPct,
    change24hPct,
  }: {
    readonly price: number;
    readonly at: number;
    readonly change1hPct?: number | undefined;
    readonly change24hPct?: number | undefined;
  },
): void {
  const before = (changePct: number) => price / (1 + changePct / 100);
  if (change1hPct !== undefined) market.recentPrices.push([at - hour, before(change1hPct)]);
  const closeAt = Math.floor((at - day) / hour) * hour;
  if (change24hPct !== undefined) market.closes.set(closeAt, before(change24hPct));
}

export function addSettlement(market: MarketMemory, [at, rate]: readonly [number, number]): void {
  if (market.settlements.has(at)) return;
  market.settlements.set(at, rate);
  if (market.settlements.size <= settlementsShown) return;
  market.settlements.delete(Math.min(...market.settlements.keys()));
}

const byTime = <Value>(map: ReadonlyMap<number, Value>): (readonly [number, Value])[] =>
  [...map].sort(([a], [b]) => a - b);

/** Returns [time, rate] of the settlements for the page’s heat map, oldest first. */
export const settlementsOf = ({ settlements }: MarketMemory) => byTime(settlements);

/** Returns the last day’s closes and the current price, oldest first. */
export const trailOf = ({ closes, price }: MarketMemory): readonly number[] => {
  const last = price?.at ?? Number.POSITIVE_INFINITY;
  const hours = byTime(closes).filter(([at]) => at < last && at >= last - day);
  return [...hours.map(([, close]) => close), ...(price === undefined ? [] : [price.value])];
};

const change = (now: number, before: number | undefined): number | undefined =>
  before === undefined || before === 0 ? undefined : (now / before - 1) * 100;

/** Interpolates linearly between the two nearest prices. Undefined if either is missing or they are too far apart. */
function priceAt(at: number, prices: readonly (readonly [number, number])[]): number | undefined {
  const sorted = prices.toSorted(([a], [b]) => a - b);
  const before = sorted.findLast(([time]) => time <= at);
  const after = sorted.find(([time]) => time >= at);
  if (before === undefined || after === undefined || after[0] - before[0] > maxGap) return undefined;
  if (after[0] === before[0]) return after[1];
  return before[1] + ((after[1] - before[1]) * (at - before[0])) / (after[0] - before[0]);
}

/** Builds a market's row. @param liquidated USD within the last hour, by the side that was liquidated */
export function rowOf(
  market: MarketMemory,
  liquidated: { readonly longs: number; readonly shorts: number },
): MarketRow {
  const { symbol, price, recentPrices, closes, regime } = market;
  const { fundingHours, fundingZ, interest1h, basis, longShare } = market;
  const [settled] = settlementsOf(market).slice(-1);
  const hourAgo = price && priceAt(price.at - hour, [...recentPrices, ...closes]);
  const dayAgo = price && closeDayBefore(byTime(closes), price.at);
  return {
    symbol,
    price: price?.value,
    at: price?.at,
    change1h: price && change(price.value, hourAgo),
    change24h: price && change(price.value, dayAgo),
    fundingAt: settled?.[0],
    funding: settled?.[1],
    fundingHours,
    fundingZ,
    interest1h,
    basis,
    longShare,
    regime: regime?.state,
    likelierRegime: regime?.likelier,
    longsLiquidated: liquidated.longs,
    shortsLiquidated: liquidated.shorts,
  };
}
