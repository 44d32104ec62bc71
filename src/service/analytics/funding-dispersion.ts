import { yearlyPct } from '../../contract/settlements.ts';
import { round } from './statistics.ts';

/** The running rate of one symbol at one venue. */
export interface FundingLeg {
  readonly symbol: string;
  readonly venue: string;
  /** A fraction per settlement. */
  readonly rate: number;
  /** Hours between two settlements at the venue; undefined if unknown. */
  readonly hours: number | undefined;
  /** Market ms. */
  readonly time: number;
}

interface AnnualLeg extends FundingLeg {
  /** The rate in percent a year by the leg's own settlement interval; undefined if the interval is unknown. */
  readonly annualizedPct: number | undefined;
}

/** The funding of one symbol at each venue. */
interface Dispersion {
  readonly symbol: string;
  /** The most expensive for longs first; legs whose annual rate is unknown last. */
  readonly legs: readonly AnnualLeg[];
  /** Difference of the highest and the lowest known rate, percent a year of the position on each side; needs two rates. */
  readonly gap: { readonly highest: string; readonly lowest: string; readonly pct: number } | undefined;
}

/** Groups legs by symbol: the widest gap first, symbols without a gap last. Rates are compared as annual rates. */
export function dispersionOf(legs: readonly FundingLeg[]): Dispersion[] {
  const rows = [...Map.groupBy(legs, ({ symbol }) => symbol)].map(([symbol, all]): Dispersion => {
    const annual = all.map((leg): AnnualLeg => ({ ...leg, annualizedPct: yearlyPct(leg.rate, leg.hours) }));
    const ordered = annual.toSorted(
      // Unknown rates sort below all known ones.
      (a, b) => sortValue(b) - sortValue(a) || (a.venue < b.venue ? -1 : 1),
    );
    const known = ordered.filter(({ annualizedPct }) => annualizedPct !== undefined);
    const [highest, lowest] = [known[0], known.at(-1)];
    return {
      symbol,
      legs: ordered,
      gap:
        highest === undefined || lowest === undefined || known.length < 2
          ? undefined
          : {
              highest: highest.venue,
              lowest: lowest.venue,
              pct: round((highest.annualizedPct ?? 0) - (lowest.annualizedPct ?? 0), 4),
            },
    };
  });
  return rows.sort((a, b) => (b.gap?.pct ?? -1) - (a.gap?.pct ?? -1) || (a.symbol < b.symbol ? -1 : 1));
}

const sortValue = ({ annualizedPct = -Number.MAX_VALUE }: AnnualLeg): number => annualizedPct;
