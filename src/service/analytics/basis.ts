import type { EndpointAnswer } from '../../contract/index.ts';
import { timeOf } from '../../runtime/rows.ts';
import { hour, iso } from '../../runtime/units.ts';
import type { Mark } from '../archive/archive.ts';
import type { Derivation } from '../archive/derivation.ts';
import { mean, round } from './statistics.ts';

type BasisRow = EndpointAnswer<'basis'>['data'][number];
type BasisSignal = EndpointAnswer<'regimeProbabilities'>['basisSignal'];

/**
 * The time over which the basis is averaged before it is annualised, ms. A single snapshot annualised is noise
 * (measured: HIGH_CONTANGO in 34 % of hours).
 */
export const basisWindow = 8 * hour;
/** Periods of 8 hours in a year: the convention by which funding rates are annualised. */
const periodsPerYear = 3 * 365;

/** Computes basisPct = (mark / index − 1) × 100. A mark that lacks either price gives no row. */
export const basisRows: Derivation<Mark, BasisRow> = {
  lead: 0,
  make(marks, index) {
    const [markPrice, indexPrice] = [marks.markPrice[index] as number, marks.indexPrice[index] as number];
    if (!(markPrice > 0 && indexPrice > 0)) return undefined;
    const basisPct = round((markPrice / indexPrice - 1) * 100, 4);
    const estFunding = marks.estFunding[index] as number;
    return { timestamp: iso(marks.time[index] as number), markPrice, indexPrice, basisPct, estFunding };
  },
};

/** Labels a basis, given in percent. */
export const basisLabel = (basisPct: number): 'CONTANGO' | 'BACKWARDATION' | 'FLAT' =>
  basisPct > 0.05 ? 'CONTANGO' : basisPct < -0.05 ? 'BACKWARDATION' : 'FLAT';

/** Labels an annualised basis, given in percent a year, by the interface's "BasisSignal thresholds". */
export const basisSignalLabel = (
  annualizedPct: number,
): 'HIGH_CONTANGO' | 'CONTANGO' | 'BACKWARDATION' | 'FLAT' => {
  if (annualizedPct > 15) return 'HIGH_CONTANGO';
  if (annualizedPct > 5) return 'CONTANGO';
  return annualizedPct < -5 ? 'BACKWARDATION' : 'FLAT';
};

/**
 * Returns the `basisSignal` of /regime/probabilities: the newest row, and as annualizedPct the mean basisPct of the
 * 8 hours up to that row × 3 × 365. Undefined if there is no row.
 *
 * @param rows Ascending in time.
 */
export function basisSignal(rows: readonly BasisRow[]): BasisSignal | undefined {
  const current = rows.at(-1);
  if (current === undefined) return undefined;
  const from = timeOf(current) - basisWindow;
  const recent = rows.filter((row) => timeOf(row) > from);
  const annualizedPct = round(mean(recent.map(({ basisPct }) => basisPct)) * periodsPerYear, 2);
  return {
    basisPct: current.basisPct,
    annualizedPct,
    signal: basisSignalLabel(annualizedPct),
    markPrice: current.markPrice,
    indexPrice: current.indexPrice,
  };
}
