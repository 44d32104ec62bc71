import { z } from 'zod';
import { ratePer } from '../../alert/rate-per.ts';
import { askEach } from '../../client/each.ts';
import { fundingHours } from '../../client/funding-hours.ts';
import type { DataClient } from '../../contract/data-client.ts';
import type { EndpointAnswer } from '../../contract/index.ts';
import { mostExtremes, yearlyPct } from '../../contract/settlements.ts';
import { marketName, percent } from '../../language/format.ts';
import { msg, msgIn, type Text } from '../../language/text.ts';
import { ifAnswered } from '../../runtime/errors.ts';
import { hour, msOf } from '../../runtime/units.ts';
import type { Facts } from './episodes.ts';
import type { Drawing } from './series.ts';
import { setting } from './settings.ts';

/** Rates of markets that settle every 8, 4 or 1 h are compared as what they come to in this many hours. */
const reckoned = 8;
/** Settlements are 8 h apart at most: an older one is not the most recent of its market, ms. */
export const stale = 9 * hour;

export const isRecent = (timestamp: string, now: number): boolean =>
  msOf(timestamp) <= now && now - msOf(timestamp) <= stale;

/** Market ms at which the first of the rows that are recent is so no more. */
export const recentUntil = (rows: readonly { readonly timestamp: string }[], now: number): number =>
  rows.reduce(
    (until, { timestamp }) =>
      isRecent(timestamp, now) ? Math.min(until, msOf(timestamp) + stale + 1) : until,
    Number.POSITIVE_INFINITY,
  );

/** What is paid where neither side presses: Binance's interest, 0.01 % in 8 h, in proportion to the interval. */
const restingRate = 0.0001;

/**
 * What funding must cost before anyone acts on it. A z-score alone tells of nothing but how still the rate has been:
 * 41 % of recorded settlements are exactly the resting rate, and a step to zero is then many deviations.
 */
export const fundingFloor = z
  .strictObject({
    yearlyPct: setting(20, 'percent a year by the market’s own interval, either side: 0.018 % per 8 h'),
    offResting: setting(
      0.0001,
      'fraction in 8 h away from the 0.01 % that are paid where neither side presses',
    ),
  })
  .prefault({});
type FundingFloor = z.output<typeof fundingFloor>;
export type ExtremeRow = EndpointAnswer<'fundingExtremes'>['data'][number];

/** Below it a market has stood still: what it does next is far from its mean, and means nothing. */
export const minSpread = setting(
  0.00001,
  'standard deviation, fraction in 8 h, below which a market has stood still: a tenth of the resting rate; any step is then many sigma',
);

/** An unknown interval is taken as the longest one, by which the rate costs least. */
const known = (hours: number | undefined): number => hours ?? reckoned;
const in8h = (rate: number, hours: number | undefined): number => (rate * reckoned) / known(hours);

/** @param rate fraction per settlement @param hours between two settlements; undefined: unknown */
export const costs = (
  rate: number,
  { hours, floor }: { readonly hours: number | undefined; readonly floor: FundingFloor },
): boolean =>
  Math.abs(yearlyPct(rate, known(hours)) ?? 0) >= floor.yearlyPct &&
  Math.abs(in8h(rate, hours) - restingRate) >= floor.offResting;

/** By what a market's funding stands out. */
interface Worth {
  readonly hours: number | undefined;
  readonly floor: FundingFloor;
  readonly minSpread: number;
}

/** Its rate costs enough, and one standard deviation of its last 30 days is no standstill. */
export function standsOut(
  { currentRate: rate, avg30dRate, zScore }: ExtremeRow,
  { hours, floor, minSpread }: Worth,
): boolean {
  const spread = Math.abs(in8h((rate - avg30dRate) / zScore, hours));
  return costs(rate, { hours, floor }) && spread >= minSpread;
}

/** What a market pays at a settlement and in a year. */
export const rateFacts = (rate: number, hours: number | undefined): Facts => [
  [msgIn('funding', 'Rate'), ratePer(rate, hours)],
  hours !== undefined && [msg('Per year'), percent(yearlyPct(rate, hours), 1)],
];

/** What stands out, what all pay now, and how often. Throws ApiError. */
export async function askFunding(data: DataClient, signal: AbortSignal) {
  const [extremes, { data: current }, hours] = await Promise.all([
    data.fundingExtremes({ limit: mostExtremes.asked }, signal),
    data.fundingCurrent({}, signal),
    fundingHours(data, signal),
  ]);
  return { extremes, current, hours };
}

/** Settlements shown: ten days of every eight hours. */
const shown = 30;
/** Requests of one look: at a settlement few markets are told of, and the rest are told without their past. */
const most = 4;

/** Settlements by symbol: [ms, percent]. */
export type FundingPast = ReadonlyMap<string, readonly (readonly [number, number])[]>;

/** What the markets that may be told of have paid before. It is their chart alone: what cannot be had is left out. */
export async function fundingPast(
  symbols: readonly string[],
  { data, signal }: { readonly data: Pick<DataClient, 'fundingHistory'>; readonly signal: AbortSignal },
): Promise<FundingPast> {
  const ask = async (symbol: string) => {
    const { data: rows } = await data.fundingHistory({ symbol, limit: shown }, signal);
    return rows.map(({ timestamp, rate }) => [msOf(timestamp), Number(rate) * 100] as const);
  };
  return (await ifAnswered(askEach(symbols.slice(0, most), ask))) ?? new Map();
}

/** Rates that are marked, fractions per settlement. */
export type MarkedRates = readonly (readonly [name: Text, rate: number])[];

/** A settlement that is told of, market ms, and those before it. */
interface Drawn extends Record<'time' | 'rate', number> {
  readonly past: FundingPast;
  readonly levels: MarkedRates;
}

export function fundingPicture(symbol: string, { past, time, rate, levels }: Drawn): Drawing {
  const before = (past.get(symbol) ?? []).filter(([at, rate]) => at < time && Number.isFinite(rate));
  const name = marketName(symbol);
  return {
    of: msg('{symbol} funding per settlement', { symbol: name }),
    unit: '%',
    line: [name, Number.isFinite(rate) ? [...before, [time, rate * 100]] : []],
    marks: levels.map(([name, rate]) => [name, rate * 100]),
  };
}
