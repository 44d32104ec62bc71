import { minute } from '../../runtime/units.ts';
import type { FundingLeg } from '../analytics/funding-dispersion.ts';
import type { OpenInterest, SeriesName, SeriesRows, TimeRange } from '../archive/archive.ts';
import { marketAt, venueAndSymbol } from '../archive/identity.ts';
import { hoursOfSettlements } from './funding.ts';
import type { HandlerContext } from './handler.ts';

/** The greatest age of a current row, ms. Rows come every 5 minutes. */
export const maxRowAge = 15 * minute;

interface LegFilter {
  /** Absent: all tracked symbols. */
  readonly symbol?: string | undefined;
  /** Absent: all venues that are asked. */
  readonly venue?: string;
}

type Leg<Row> = Row & { readonly venue: string };

/** The running rate and the prices of a symbol at a venue. */
interface MarkLeg extends FundingLeg {
  readonly markPrice: number;
  readonly indexPrice: number;
}

/** Returns the current running rates and mark prices: the newest row of each symbol at each venue. */
export async function currentMarks(context: HandlerContext, filter: LegFilter): Promise<MarkLeg[]> {
  const window = { from: context.now - maxRowAge + 1, to: context.now };
  const [own, others, hours] = await Promise.all([
    primaryRows(context, { ...filter, series: 'marks', window }),
    otherVenueRows(context, { ...filter, series: 'venueMarks', window }),
    hoursOfSettlements(context),
  ]);
  return [
    ...newestOfEach(own).map(({ estFunding: rate, ...row }) => ({
      ...row,
      rate,
      hours: hours.get(row.symbol)?.hours,
    })),
    ...newestOfEach(others).map(({ estFunding: rate, fundingHours, ...row }) => ({
      ...row,
      rate,
      hours: fundingHours > 0 ? fundingHours : undefined,
    })),
  ];
}

/** Returns the open interest as of `at`: the newest row by then of each symbol at each venue. */
export async function interestAt(
  context: HandlerContext,
  { at, ...filter }: LegFilter & { readonly at: number },
): Promise<Leg<OpenInterest>[]> {
  return newestOfEach(await interestIn(context, { ...filter, window: { from: at - maxRowAge + 1, to: at } }));
}

/**
 * Returns the row of each leg from `ago` ms before the leg's own time, by `legKey`. The distance is measured from that time
 * and not from `now`, so that late rows do not change it.
 */
export async function interestBefore(
  context: HandlerContext,
  { legs, ago, symbol }: LegFilter & { readonly legs: readonly Leg<OpenInterest>[]; readonly ago: number },
): Promise<ReadonlyMap<string, Leg<OpenInterest>>> {
  const window = { from: context.now - ago - 2 * maxRowAge + 1, to: context.now - ago };
  const before = Map.groupBy(await interestIn(context, { symbol, window }), legKey);
  return new Map(
    legs.flatMap((leg) => {
      const then = before
        .get(legKey(leg))
        ?.findLast(({ time }) => time <= leg.time - ago && time > leg.time - ago - maxRowAge);
      return then === undefined ? [] : [[legKey(leg), then] as const];
    }),
  );
}

export const legKey = ({ venue, symbol }: Record<'venue' | 'symbol', string>): string => `${venue} ${symbol}`;

async function interestIn(
  context: HandlerContext,
  filter: LegFilter & { readonly window: TimeRange },
): Promise<Leg<OpenInterest>[]> {
  const [own, others] = await Promise.all([
    primaryRows(context, { ...filter, series: 'openInterest' }),
    otherVenueRows(context, { ...filter, series: 'venueOpenInterest' }),
  ]);
  return [...own, ...others];
}

/** Groups legs by venue or by symbol. */
export async function groupLegs<Row extends Record<'venue' | 'symbol', string>>(
  rows: Promise<readonly Row[]>,
  by: 'venue' | 'symbol',
): Promise<Map<string, Row[]>> {
  return Map.groupBy(await rows, (row) => row[by]);
}

interface LegQuery<Name extends SeriesName> extends LegFilter {
  readonly series: Name;
  readonly window: TimeRange;
}

/** @param rows those of each leg in ascending order of time */
const newestOfEach = <Row extends Record<'venue' | 'symbol', string>>(rows: readonly Row[]): Row[] => [
  ...new Map(rows.map((row) => [legKey(row), row])).values(),
];

async function primaryRows<Name extends 'marks' | 'openInterest'>(
  { archive, state, universe }: HandlerContext,
  { symbol, venue, series, window }: LegQuery<Name>,
): Promise<Leg<SeriesRows[Name]>[]> {
  const primary = state.venues?.[0]?.name;
  if (primary === undefined || (venue ?? primary) !== primary) return [];
  const rows: readonly SeriesRows[Name][] =
    symbol === undefined
      ? await archive.readAll(series, window)
      : await archive.read(series, { symbol, window });
  return rows.flatMap((row) => (universe.includes(row.symbol) ? [{ ...row, venue: primary }] : []));
}

async function otherVenueRows<Name extends 'venueMarks' | 'venueOpenInterest'>(
  { archive, state, universe }: HandlerContext,
  { symbol, venue, series, window }: LegQuery<Name>,
): Promise<Leg<SeriesRows[Name]>[]> {
  const others = (state.venues ?? [])
    .slice(1)
    .flatMap(({ name }) => ((venue ?? name) === name ? [name] : []));
  if (others.length === 0) return [];
  const read = (of: string): Promise<SeriesRows[Name][]> =>
    Promise.all(others.map((name) => archive.read(series, { symbol: marketAt(name, of), window }))).then(
      (all) => all.flat(),
    );
  const rows = symbol === undefined ? await archive.readAll(series, window) : await read(symbol);
  return rows.flatMap((row) => {
    const [name, of] = venueAndSymbol(row.symbol);
    return others.includes(name) && universe.includes(of) ? [{ ...row, venue: name, symbol: of }] : [];
  });
}
