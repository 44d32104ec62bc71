import { minute } from '../../runtime/units.ts';
import type { FundingLeg } from '../analytics/funding-dispersion.ts';
import { splitByPrice } from '../analytics/same-coin.ts';
import { round } from '../analytics/statistics.ts';
import type { OpenInterest, SeriesRows } from '../archive/archive.ts';
import { marketAt, venueAndSymbol } from '../archive/identity.ts';
import { seriesDescriptions } from '../archive/series.ts';
import { otherKinds } from '../collecting/collectors/venues.ts';
import { hoursOfSettlements } from './funding.ts';
import type { HandlerContext } from './handler.ts';

/** The greatest age of a current row, ms. Rows come every 5 minutes. */
export const maxRowAge = 15 * minute;

interface LegFilter {
  /** Absent: all tracked symbols. */
  readonly symbol?: string | undefined;
  /** Absent: all venues that are asked. */
  readonly venue?: string | undefined;
}

type Leg<Row> = Row & { readonly venue: string };

/** The running rate and the prices of a symbol at a venue. */
interface MarkLeg extends FundingLeg {
  readonly markPrice: number;
  readonly indexPrice: number;
}

/** Returns the current running rates and mark prices: the newest row of each symbol at each venue. */
export async function currentMarks(context: HandlerContext, filter: LegFilter): Promise<MarkLeg[]> {
  const at = context.now;
  const [own, others, hours] = await Promise.all([
    newestLegs(context, 'marks', { ...filter, at }),
    newestLegs(context, 'venueMarks', { ...filter, at }),
    hoursOfSettlements(context),
  ]);
  return [
    ...own.map(({ estFunding: rate, ...row }) => ({ ...row, rate, hours: hours.get(row.symbol)?.hours })),
    ...others.map(({ estFunding: rate, fundingHours, ...row }) => ({
      ...row,
      rate,
      hours: fundingHours > 0 ? fundingHours : undefined,
    })),
  ];
}

/** Returns the open interest as of `at`: the newest row by then of each symbol at each venue. */
export async function interestAt(
  context: HandlerContext,
  asked: LegFilter & { readonly at: number },
): Promise<Leg<OpenInterest>[]> {
  const legs = await Promise.all([
    newestLegs(context, 'openInterest', asked),
    newestLegs(context, 'venueOpenInterest', asked),
  ]);
  return legs.flat();
}

/**
 * Returns the row of each leg from `ago` ms before the leg's own time, by `legKey`. The distance is measured from that time
 * and not from `now`, so that late rows do not change it.
 */
export async function interestBefore(
  context: HandlerContext,
  { legs, ago, symbol }: LegFilter & { readonly legs: readonly Leg<OpenInterest>[]; readonly ago: number },
): Promise<ReadonlyMap<string, Leg<OpenInterest>>> {
  const rows = new Map<string, Leg<OpenInterest>>();
  // Rows come every 5 minutes and at most 15 minutes late, so that the legs have few different times.
  for (const [time, legsThen] of Map.groupBy(legs, (leg) => leg.time)) {
    const keys = new Set(legsThen.map(legKey));
    for (const row of await interestAt(context, { symbol, at: time - ago })) {
      const key = legKey(row);
      if (keys.has(key)) rows.set(key, row);
    }
  }
  return rows;
}

export const legKey = ({ venue, symbol }: Record<'venue' | 'symbol', string>): string => `${venue} ${symbol}`;

/** A venue's market of a coin's name that is not the coin. */
export interface ExcludedLeg {
  readonly symbol: string;
  readonly venue: string;
  readonly reason: 'OTHER_CATEGORY' | 'OTHER_PRICE';
  /** How far the price is from the median of the others, percent. */
  readonly priceDeviationPct?: number;
}

/**
 * Leaves out the legs that are another thing than their name says: by the venue's own category, or because of their price.
 * Rows of several venues are joined by their symbol, and a symbol is a name that anybody may give.
 */
export async function comparableLegs<Row extends { readonly symbol: string }>(
  { archive, universe, state }: HandlerContext,
  legs: readonly Leg<Row>[],
  priceOf: (leg: Leg<Row>) => number,
): Promise<{ readonly legs: Leg<Row>[]; readonly excluded: ReadonlyMap<string, ExcludedLeg[]> }> {
  const kinds = await otherKinds(archive);
  const strangers = (state.venues ?? [])
    .slice(1)
    .flatMap(({ name: venue }) =>
      (kinds[venue] ?? []).flatMap((symbol): ExcludedLeg[] =>
        universe.includes(symbol) ? [{ venue, symbol, reason: 'OTHER_CATEGORY' }] : [],
      ),
    );
  const strangerKeys = new Set(strangers.map(legKey));
  const ofCoins = legs.filter((leg) => !strangerKeys.has(legKey(leg)) && priceOf(leg) > 0);
  const splits = [...Map.groupBy(ofCoins, ({ symbol }) => symbol).values()].map((named) =>
    splitByPrice(named, priceOf),
  );
  const mispriced = splits.flatMap(({ others }) =>
    others.map(({ leg: { symbol, venue }, deviationPct }): ExcludedLeg => {
      return { symbol, venue, reason: 'OTHER_PRICE', priceDeviationPct: round(deviationPct, 2) };
    }),
  );
  return {
    legs: splits.flatMap(({ same }) => same),
    excluded: Map.groupBy([...strangers, ...mispriced], ({ symbol }) => symbol),
  };
}

/** Returns the newest row by `at` of each symbol, if it is recent, at each venue whose rows the series holds. */
async function newestLegs<Name extends 'marks' | 'openInterest' | 'venueMarks' | 'venueOpenInterest'>(
  { archive, state, universe }: HandlerContext,
  series: Name,
  { symbol, venue, at }: LegFilter & { readonly at: number },
): Promise<Leg<SeriesRows[Name]>[]> {
  const names = (state.venues ?? []).map(({ name }) => name);
  const byVenue = seriesDescriptions[series].byVenue === true;
  const asked = (byVenue ? names.slice(1) : names.slice(0, 1)).filter((name) => (venue ?? name) === name);
  if (asked.length === 0) return [];
  const newestOf = (of: string, name: string) =>
    archive.last(series, { symbol: byVenue ? marketAt(name, of) : of, count: 1, to: at });
  const rows =
    symbol === undefined
      ? await archive.latest(series, at)
      : (await Promise.all(asked.map((name) => newestOf(symbol, name)))).flat();
  return rows.flatMap((row) => {
    const [name, of] = byVenue ? venueAndSymbol(row.symbol) : [names[0] ?? '', row.symbol];
    const isAsked = asked.includes(name) && universe.includes(of) && at - row.time < maxRowAge;
    return isAsked ? [{ ...row, venue: name, symbol: of }] : [];
  });
}
