import { contract } from '../../contract/index.ts';
import { settlementHours, yearlyPct } from '../../contract/settlements.ts';
import { day, hour, iso } from '../../runtime/units.ts';
import {
  annualizedPct,
  fundingExtremes as extremes,
  fundingThreshold,
  fundingWindow,
  fundingStandings as standings,
} from '../analytics/funding-extremes.ts';
import type { SettledFunding } from '../archive/archive.ts';
import { type Handler, type HandlerContext, lastWindow, noDataYet } from './handler.ts';
import { locateRows } from './venue-rows.ts';

/**
 * Returns the hours of the interval that ended with each settlement. An outage leaves a gap that looks like an interval, so a
 * distance counts only if the one before or after it is as long. Any other settlement has the interval of the next one.
 *
 * @param times ms, ascending
 * @param current hours of the interval that follows the newest settlement
 */
export function intervalsEnding(times: readonly number[], current: number): readonly number[] {
  const distances = times.map((time, index) => Math.round((time - (times[index - 1] ?? Number.NaN)) / hour));
  const hours: number[] = [];
  let next = current;
  for (let index = times.length - 1; index >= 0; index -= 1) {
    const distance = distances[index] ?? Number.NaN;
    const isRepeated = distance === distances[index - 1] || distance === (distances[index + 1] ?? current);
    if (isRepeated && 24 % distance === 0) next = distance;
    hours.unshift(next);
  }
  return hours;
}

const fundingRow = ({ time, rate }: SettledFunding) => ({
  timestamp: iso(time),
  rate: rate.toFixed(8),
  annualized: annualizedPct(rate).toFixed(4),
});

export const fundingCurrent: Handler<'fundingCurrent'> = {
  needs: ['funding'],
  async answer(_query, { archive, now, universe }) {
    const newest = await archive.latest('funding', now);
    return {
      data: newest
        .filter(({ symbol }) => universe.includes(symbol))
        .map((settlement) => ({ symbol: settlement.symbol, ...fundingRow(settlement) })),
    };
  },
};

export const fundingHistory: Handler<'fundingHistory'> = {
  needs: ['funding'],
  uses: ['venueFunding', 'venueMarks', 'state'],
  async answer({ symbol, limit, venue }, context) {
    const question = { path: contract.fundingHistory.path, symbol, venue };
    const { name, symbol: of, venueFields } = await locateRows('funding', question, context);
    const last = (count: number) => context.archive.last(name, { symbol: of, count, to: context.now });
    if (name === 'funding') return { ...venueFields, symbol, data: (await last(limit)).map(fundingRow) };
    // One settlement more shows the interval of the first.
    const settlements = await last(limit + 1);
    const hours = await otherVenueHours(of, settlements, context);
    const data = settlements.map((each, index) => ({
      ...fundingRow(each),
      annualized: (yearlyPct(each.rate, hours[index]) ?? 0).toFixed(4),
    }));
    return { ...venueFields, symbol, data: data.slice(-limit) };
  },
};

/**
 * Returns the hours of the interval that ended with each settlement of another venue's market.
 * @throws ApiError if they are not known yet
 */
async function otherVenueHours(
  market: string,
  settlements: readonly SettledFunding[],
  { archive, now }: HandlerContext,
): Promise<readonly number[]> {
  const [mark] = await archive.last('venueMarks', { symbol: market, count: 1, to: now });
  const times = settlements.map(({ time }) => time);
  const current = mark !== undefined && mark.fundingHours > 0 ? mark.fundingHours : settlementHours(times);
  if (current === undefined) throw noDataYet(contract.fundingHistory.path, 'interval of settlements', market);
  return intervalsEnding(times, current);
}

/** The period of settlements that is read: long enough to show the interval of a market that settles every 8 hours. */
const intervalWindow = 2 * day;

/**
 * Returns the hours between two settlements of each tracked symbol, derived from its latest settlements, and the time of the
 * newest settlement. Symbols whose interval is unknown are left out.
 */
export async function hoursOfSettlements(
  context: HandlerContext,
): Promise<ReadonlyMap<string, { readonly hours: number; readonly newest: number }>> {
  const settlements = await settlementsWithin(intervalWindow, context);
  const bySymbol = Map.groupBy(settlements, ({ symbol }) => symbol);
  return new Map(
    context.universe.flatMap((symbol) => {
      const times = (bySymbol.get(symbol) ?? []).map(({ time }) => time);
      const hours = settlementHours(times);
      const newest = times.at(-1);
      return hours === undefined || newest === undefined ? [] : [[symbol, { hours, newest }] as const];
    }),
  );
}

export const fundingIntervals: Handler<'fundingIntervals'> = {
  needs: ['funding'],
  async answer(_query, context) {
    return {
      data: [...(await hoursOfSettlements(context))].map(([symbol, { hours, newest }]) => ({
        symbol,
        hours,
        timestamp: iso(newest),
      })),
    };
  },
};

/** Returns the settlements of the followed markets within `length` ms. */
async function settlementsWithin(length: number, { archive, now, universe }: HandlerContext) {
  const followed = new Set(universe);
  const settlements = await archive.readAll('funding', lastWindow(length, now));
  return settlements.filter(({ symbol }) => followed.has(symbol));
}

export const fundingExtremes: Handler<'fundingExtremes'> = {
  needs: ['funding'],
  async answer({ limit }, context) {
    const data = extremes(await settlementsWithin(fundingWindow, context), context.now).slice(0, limit);
    return { data, count: data.length, threshold: fundingThreshold };
  },
};

export const fundingStandings: Handler<'fundingStandings'> = {
  needs: ['funding'],
  async answer(_query, context) {
    return { data: standings(await settlementsWithin(fundingWindow, context), context.now) };
  },
};
