import { z } from 'zod';
import { ratePer } from '../../alert/rate-per.ts';
import { askEach } from '../../client/ask-each.ts';
import { askFundingHours } from '../../client/funding-hours.ts';
import type { DataClient } from '../../contract/data-client.ts';
import type { EndpointAnswer } from '../../contract/index.ts';
import { maxExtremes, yearlyPct } from '../../contract/settlements.ts';
import { marketName, percent, share } from '../../language/format.ts';
import { msg, msgIn, type Text } from '../../language/text.ts';
import { ifAnswered } from '../../runtime/errors.ts';
import { hour } from '../../runtime/units.ts';
import type { Facts } from './define-episodes.ts';
import type { Drawing } from './series.ts';
import * as setting from './settings.ts';

/** The hours over which rates are compared: markets settle every 8, 4 or 1 h. */
const comparedHours = 8;
/** The age above which a settlement cannot be the latest of its market, ms: settlements are at most 8 h apart. */
export const staleAfter = 9 * hour;

export const isRecent = (timestamp: string, now: number): boolean =>
  Date.parse(timestamp) <= now && now - Date.parse(timestamp) <= staleAfter;

/** The rate in 8 h that is paid where neither side presses: Binance's interest of 0.01 %, in proportion to the interval. */
const restingRate = 0.0001;

/**
 * What funding must cost before anyone acts on it. A z-score alone mostly shows how still the rate has been: 41 % of
 * recorded settlements are exactly the resting rate, and a step to zero is then many standard deviations.
 */
export const floorSetting = z
  .strictObject({
    yearlyPct: setting.number(
      20,
      'percent a year by the market’s own interval, either side: 0.018 % per 8 h',
    ),
    offResting: setting.number(
      0.0001,
      'fraction in 8 h away from the 0.01 % that are paid where neither side presses',
    ),
  })
  .prefault({});

/** Says the smallest rate that costs enough to be worth an alert. */
export const smallest = ({ floor }: Pick<CostRules, 'floor'>): Text =>
  msg('funding of {size} a year', { size: share(floor.yearlyPct / 100) });

/** The spread below which a market's rate has stood still: any step is then far from its mean without meaning anything. */
export const minSpreadSetting = setting.number(
  0.00001,
  'standard deviation, fraction in 8 h, below which a market has stood still: a tenth of the resting rate; any step is then many sigma',
);

/** The hours between a market's settlements, if known, and what a rate must cost. */
interface CostRules {
  readonly hours: number | undefined;
  readonly floor: z.output<typeof floorSetting>;
}

const in8h = (rate: number, hours: number): number => (rate * comparedHours) / hours;

/**
 * Returns whether a rate, a fraction per settlement, costs enough to be worth an alert. An unknown interval is taken as
 * the longest one, by which a rate costs least.
 */
export const costsEnough = (rate: number, { hours = comparedHours, floor }: CostRules): boolean =>
  Math.abs(yearlyPct(rate, hours) ?? 0) >= floor.yearlyPct &&
  Math.abs(in8h(rate, hours) - restingRate) >= floor.offResting;

export type ExtremeRow = EndpointAnswer<'fundingExtremes'>['data'][number];

/**
 * Returns whether a market's rate costs enough and has not stood still over its last 30 days. The z-score says how many
 * standard deviations the rate is from its mean, which gives their size.
 */
export function standsOut(
  { currentRate: rate, avg30dRate, zScore }: ExtremeRow,
  { minSpread, ...rules }: CostRules & { readonly minSpread: number },
): boolean {
  const spread = Math.abs(in8h((rate - avg30dRate) / zScore, rules.hours ?? comparedHours));
  return costsEnough(rate, rules) && spread >= minSpread;
}

/** Returns facts about what a market pays per settlement and per year. */
export const rateFacts = (rate: number, hours: number | undefined): Facts => [
  [msgIn('funding', 'Rate'), ratePer(rate, hours)],
  hours !== undefined && [msg('Per year'), percent(yearlyPct(rate, hours), 1)],
];

/**
 * Asks for the funding extremes, the current rates of all markets and the hours between their settlements.
 *
 * @throws ApiError
 */
export async function askRates(data: DataClient, signal: AbortSignal) {
  const [extremes, { data: current }, hours] = await Promise.all([
    data.fundingExtremes({ limit: maxExtremes.requested }, signal),
    data.fundingCurrent({}, signal),
    askFundingHours(data, signal),
  ]);
  return { extremes, current, hours };
}

/** How many settlements a chart shows: ten days at one every eight hours. */
const maxChartSettlements = 30;
/** The most requests for past settlements in one look. Further alerts, which are few, are sent without their past. */
const maxPastRequests = 4;

/** Settlements by symbol: [ms, percent]. */
type PastSettlements = ReadonlyMap<string, readonly (readonly [number, number])[]>;

/** Asks for past settlements of the markets that may have an alert, for its chart. What cannot be had is left out. */
export async function askPast(
  symbols: readonly string[],
  data: Pick<DataClient, 'fundingHistory'>,
  signal: AbortSignal,
): Promise<PastSettlements> {
  const ask = async (symbol: string) => {
    const { data: rows } = await data.fundingHistory({ symbol, limit: maxChartSettlements }, signal);
    return rows.map(({ timestamp, rate }) => [Date.parse(timestamp), Number(rate) * 100] as const);
  };
  return (await ifAnswered(askEach(symbols.slice(0, maxPastRequests), ask))) ?? new Map();
}

/** Levels to mark in a chart: rates as fractions per settlement. */
export type MarkedRates = readonly (readonly [name: Text, rate: number])[];

/** The settlement that an alert is about, with `time` in market ms and `rate` as a fraction, and the settlements before it. */
interface FundingPictureInput extends Record<'time' | 'rate', number> {
  readonly past: PastSettlements;
  readonly levels: MarkedRates;
}

/** Returns the chart of a market's settlements. */
export function pictureOf(symbol: string, { past, time, rate, levels }: FundingPictureInput): Drawing {
  const before = (past.get(symbol) ?? []).filter(([at, rate]) => at < time && Number.isFinite(rate));
  const name = marketName(symbol);
  return {
    subject: msg('{symbol} funding per settlement', { symbol: name }),
    unit: '%',
    line: [name, Number.isFinite(rate) ? [...before, [time, rate * 100]] : [], 'steps'],
    marks: levels.map(([name, rate]) => [name, rate * 100]),
  };
}
