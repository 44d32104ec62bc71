import { yearlyPct } from '../../contract/settlements.ts';
import { round } from './statistics.ts';

/** The running rate of one symbol at one venue. */
export interface FundingLeg {
  readonly symbol: string;
  readonly venue: string;
  /** A fraction per settlement. */
  readonly rate: number;
  /** Between two settlements there; undefined where it is not known. */
  readonly hours: number | undefined;
  /** Market ms. */
  readonly time: number;
}

export interface AnnualLeg extends FundingLeg {
  /** By its own interval; undefined where that is not known. */
  readonly annualizedPct: number | undefined;
}

/** What one symbol's funding comes to at each venue. */
export interface Dispersion {
  readonly symbol: string;
  /** The dearest for longs first; those of which it is not known last. */
  readonly legs: readonly AnnualLeg[];
  /** Between the highest and the lowest, where there are two: percent a year of what is held on each side. */
  readonly gap: { readonly highest: string; readonly lowest: string; readonly pct: number } | undefined;
}

/** By symbol, the widest gap first; those with none last. Rates of other intervals are compared as what they are in a year. */
export function dispersionOf(legs: readonly FundingLeg[]): Dispersion[] {
  const rows = [...Map.groupBy(legs, ({ symbol }) => symbol)].map(([symbol, all]): Dispersion => {
    const annual = all.map((leg): AnnualLeg => ({ ...leg, annualizedPct: yearlyPct(leg.rate, leg.hours) }));
    const ordered = annual.toSorted(
      // What is not known is below all that is.
      (a, b) => worth(b) - worth(a) || (a.venue < b.venue ? -1 : 1),
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

const worth = ({ annualizedPct = -Number.MAX_VALUE }: AnnualLeg): number => annualizedPct;
