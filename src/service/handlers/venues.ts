import { contract } from '../../contract/index.ts';
import { yearlyPct } from '../../contract/settlements.ts';
import { ApiError, InputError } from '../../runtime/errors.ts';
import { day, hour, iso, minute } from '../../runtime/units.ts';
import { dispersionOf } from '../analytics/funding-dispersion.ts';
import { aggregateOpenInterest } from '../analytics/oi-aggregate.ts';
import { round } from '../analytics/statistics.ts';
import { venueAndSymbol } from '../archive/identity.ts';
import { venueProblems } from '../collecting/collectors/venues.ts';
import { type AskedVenue, type Handler, type HandlerContext, noDataYet } from './handler.ts';
import { bySymbol } from './newest-price.ts';
import {
  comparableLegs,
  currentMarks,
  type ExcludedLeg,
  interestAt,
  interestBefore,
  legKey,
  maxRowAge,
} from './venue-legs.ts';
import { findVenue, requireAnswering } from './venue-rows.ts';

/** Returns the venues by name. @throws ApiError if only the primary venue is asked */
function venuesOf({ state }: HandlerContext, path: string): ReadonlyMap<string, AskedVenue> {
  const { venues = [] } = state;
  if (venues.length < 2)
    throw new ApiError(path, 'not_offered', 'only one venue is asked: data.venues names others');
  return new Map(venues.map((venue) => [venue.name, venue]));
}

const venueFields = (name: string, venues: ReadonlyMap<string, AskedVenue>) => ({
  venue: name,
  title: venues.get(name)?.title ?? name,
});

const excludedRows = (
  excluded: readonly ExcludedLeg[] | undefined,
  venues: ReadonlyMap<string, AskedVenue>,
) => excluded?.map(({ venue, symbol: _, ...why }) => ({ ...venueFields(venue, venues), ...why }));

/** Returns the time of the newest row, market ms; 0 if there is no row. */
const newestTime = (rows: readonly { readonly time: number }[]): number =>
  rows.reduce((latest, { time }) => Math.max(latest, time), 0);

/** The names of the feeds that come from the primary venue. */
const primaryFeeds: ReadonlySet<string> = new Set([
  'candles',
  'funding',
  'marks',
  'open-interest',
  'ratios',
  'book',
  'liquidations',
]);

export const venues: Handler<'venues'> = {
  needs: ['state'],
  uses: ['marks', 'openInterest', 'venueMarks', 'venueOpenInterest'],
  async answer(_query, context) {
    const { now, state, feeds, archive } = context;
    const { venues: all = [] } = state;
    const [own, others, problems, feedStates] = await Promise.all([
      Promise.all((['marks', 'openInterest'] as const).map((series) => archive.latest(series, now))),
      Promise.all(
        (['venueMarks', 'venueOpenInterest'] as const).map((series) => archive.latest(series, now)),
      ),
      venueProblems(archive),
      feeds(),
    ]);
    const byVenue = Map.groupBy(others.flat(), (row) => venueAndSymbol(row.symbol)[0]);
    const primaryProblem = feedStates.find(
      ({ feed, problem }) => primaryFeeds.has(feed) && problem !== null,
    )?.problem;
    return {
      source: state.source,
      data: all.map(({ name, title, roles }, place) => {
        const primary = place === 0;
        const time = newestTime(primary ? own.flat() : (byVenue.get(name) ?? []));
        const problem = primary ? (primaryProblem ?? undefined) : problems[name];
        return {
          venue: name,
          title,
          primary,
          roles: Object.keys(roles),
          answers: now - time < maxRowAge && (primary || problem === undefined),
          ...(time > 0 && { lastUpdate: iso(time), ageMinutes: round((now - time) / minute, 1) }),
          problem,
        };
      }),
    };
  },
};

const { path } = contract.venueMarkets;

export const venueMarkets: Handler<'venueMarkets'> = {
  needs: ['state'],
  uses: ['marks', 'openInterest', 'funding', 'venueMarks', 'venueOpenInterest'],
  async answer({ venue: venueName, symbol }, context) {
    const venue = findVenue(venueName, path, context);
    const { name, title } = venue;
    const currentRows = async (of: string | undefined) => {
      const filter = { symbol: of, venue: name };
      const [marks, interest] = await Promise.all([
        currentMarks(context, filter),
        interestAt(context, { ...filter, at: context.now }),
      ]);
      return { marks: bySymbol(marks), interest: bySymbol(interest), count: marks.length + interest.length };
    };
    const { marks, interest, count } = await currentRows(symbol);
    if (count === 0) {
      await requireAnswering(venue, path, context);
      if (symbol === undefined || (await currentRows(undefined)).count === 0)
        throw noDataYet(path, `answer of ${title}`);
      throw new InputError(`${title} has told nothing of ${symbol} lately`);
    }
    return {
      venue: name,
      title,
      lacks: [...(marks.size === 0 ? ['marks'] : []), ...(interest.size === 0 ? ['openInterest'] : [])],
      data: context.universe.flatMap((each) => {
        const [mark, held] = [marks.get(each), interest.get(each)];
        const rows = [mark, held].filter((row) => row !== undefined);
        if (rows.length === 0) return [];
        return [
          {
            symbol: each,
            ...(mark !== undefined && {
              markPrice: mark.markPrice,
              indexPrice: mark.indexPrice,
              rate: mark.rate,
              ...annualFields(mark),
            }),
            ...(held !== undefined && {
              openInterest: held.contracts,
              openInterestUsd: round(held.valueUsd, 2),
            }),
            timestamp: iso(newestTime(rows)),
          },
        ];
      }),
    };
  },
};

const annualFields = ({ rate, hours }: { readonly rate: number; readonly hours: number | undefined }) =>
  hours === undefined ? {} : { hours, annualizedPct: round(yearlyPct(rate, hours) ?? 0, 4) };

export const fundingDispersion: Handler<'fundingDispersion'> = {
  needs: ['venueMarks'],
  uses: ['marks', 'funding', 'state'],
  async answer({ symbol, limit }, context) {
    const venuesByName = venuesOf(context, contract.fundingDispersion.path);
    const { legs: comparable, excluded } = await comparableLegs(
      context,
      await currentMarks(context, { symbol }),
      ({ markPrice }) => markPrice,
    );
    const all = dispersionOf(comparable);
    const withGap = all.filter(({ gap }) => gap !== undefined);
    return {
      data: (symbol === undefined ? withGap : all).slice(0, limit).map(({ symbol: of, legs, gap }) => ({
        symbol: of,
        legs: legs.map((leg) => ({
          ...venueFields(leg.venue, venuesByName),
          rate: leg.rate,
          ...annualFields(leg),
          timestamp: iso(leg.time),
        })),
        ...(gap !== undefined && {
          highest: gap.highest,
          lowest: gap.lowest,
          gap8h: round(gap.pct / 100 / (3 * 365), 8),
          premiumPct: gap.pct,
        }),
        excluded: excludedRows(excluded.get(of), venuesByName),
        timestamp: iso(newestTime(legs)),
      })),
      count: withGap.length,
    };
  },
};

export const oiAggregate: Handler<'oiAggregate'> = {
  needs: ['venueOpenInterest'],
  uses: ['openInterest', 'state'],
  async answer({ symbol, limit }, context) {
    const venuesByName = venuesOf(context, contract.oiAggregate.path);
    const { legs: currentLegs, excluded } = await comparableLegs(
      context,
      await interestAt(context, { symbol, at: context.now }),
      ({ contracts, valueUsd }) => valueUsd / contracts,
    );
    const [hourAgo, dayAgo] = await Promise.all(
      [hour, day].map((ago) => interestBefore(context, { symbol, legs: currentLegs, ago })),
    );
    const sums = [...Map.groupBy(currentLegs, (row) => row.symbol)].map(([of, rows]) => ({
      symbol: of,
      ...aggregateOpenInterest(
        rows.map((row) => ({
          venue: row.venue,
          now: row,
          hourAgo: hourAgo?.get(legKey(row)),
          dayAgo: dayAgo?.get(legKey(row)),
        })),
      ),
    }));
    sums.sort((a, b) => b.usd - a.usd || (a.symbol < b.symbol ? -1 : 1));
    return {
      data: sums.slice(0, limit).map(({ symbol: of, usd, legs, change1h, change24h }) => ({
        symbol: of,
        totalUsd: round(usd, 2),
        legs: legs.map(({ venue, now: held, share }) => ({
          ...venueFields(venue, venuesByName),
          openInterest: held.contracts,
          usd: round(held.valueUsd, 2),
          sharePct: round(share * 100, 2),
          timestamp: iso(held.time),
        })),
        change1h,
        change24h,
        excluded: excludedRows(excluded.get(of), venuesByName),
        timestamp: iso(newestTime(legs.map(({ now: held }) => held))),
      })),
      count: sums.length,
    };
  },
};
