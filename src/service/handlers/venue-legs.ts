import { minute } from '../../runtime/units.ts';
import type { FundingLeg } from '../analytics/funding-dispersion.ts';
import type { OpenInterest, SeriesName, SeriesRows, TimeRange } from '../archive/archive.ts';
import { marketAt, venueAndSymbol } from '../archive/identity.ts';
import { hoursOfSettlements } from './funding.ts';
import type { HandlerContext } from './handler.ts';

/** Rows come every 5 minutes: what is older is not of now. */
export const recent = 15 * minute;

interface Wanted {
  /** All that are tracked where none is named. */
  readonly symbol?: string | undefined;
  /** All that are asked where none is named. */
  readonly venue?: string;
}

type Leg<Row> = Row & { readonly venue: string };

/** What a venue's funding is made of. */
interface MarkLeg extends FundingLeg {
  readonly markPrice: number;
  readonly indexPrice: number;
}

/** Running rates and marks of now, by what is newest of each symbol at each venue. */
export async function marksOf(context: HandlerContext, wanted: Wanted): Promise<MarkLeg[]> {
  const window = { from: context.now - recent + 1, to: context.now };
  const [own, others, hours] = await Promise.all([
    ofPrimary(context, { ...wanted, series: 'marks', window }),
    ofOthers(context, { ...wanted, series: 'venueMarks', window }),
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

/** As of `at`: the newest by then of each symbol at each venue. */
export async function interestAt(
  context: HandlerContext,
  { at, ...wanted }: Wanted & { readonly at: number },
): Promise<Leg<OpenInterest>[]> {
  const window = { from: at - recent + 1, to: at };
  const [own, others] = await Promise.all([
    ofPrimary(context, { ...wanted, series: 'openInterest', window }),
    ofOthers(context, { ...wanted, series: 'venueOpenInterest', window }),
  ]);
  return [...own, ...others];
}

/** The legs of each venue, or of each symbol. */
export async function legsOf<Row extends Record<'venue' | 'symbol', string>>(
  rows: Promise<readonly Row[]>,
  by: 'venue' | 'symbol',
): Promise<Map<string, Row[]>> {
  return Map.groupBy(await rows, (row) => row[by]);
}

interface Reading<Name extends SeriesName> extends Wanted {
  readonly series: Name;
  readonly window: TimeRange;
}

const newestOfEach = <Row extends { readonly symbol: string; readonly time: number }>(
  rows: readonly Row[],
): Row[] => [...new Map(rows.map((row) => [row.symbol, row])).values()];

async function ofPrimary<Name extends 'marks' | 'openInterest'>(
  { archive, state, universe }: HandlerContext,
  { symbol, venue, series, window }: Reading<Name>,
): Promise<Leg<SeriesRows[Name]>[]> {
  const primary = state.venues?.[0]?.name;
  if (primary === undefined || (venue ?? primary) !== primary) return [];
  const rows: readonly SeriesRows[Name][] =
    symbol === undefined
      ? await archive.readAll(series, window)
      : await archive.read(series, { symbol, window });
  return newestOfEach(rows).flatMap((row) =>
    universe.includes(row.symbol) ? [{ ...row, venue: primary }] : [],
  );
}

async function ofOthers<Name extends 'venueMarks' | 'venueOpenInterest'>(
  { archive, state, universe }: HandlerContext,
  { symbol, venue, series, window }: Reading<Name>,
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
  return newestOfEach(rows).flatMap((row) => {
    const [name, of] = venueAndSymbol(row.symbol);
    return others.includes(name) && universe.includes(of) ? [{ ...row, venue: name, symbol: of }] : [];
  });
}
