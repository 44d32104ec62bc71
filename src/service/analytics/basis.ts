import type { EndpointAnswer } from '../../contract/index.ts';
import { timeOf } from '../../runtime/rows.ts';
import { hour, iso } from '../../runtime/units.ts';
import type { Mark } from '../archive/archive.ts';
import type { Derivation } from './derivation.ts';
import { mean, round } from './statistics.ts';

export type BasisRow = EndpointAnswer<'basis'>['data'][number];
export type BasisSignal = EndpointAnswer<'regimeProbabilities'>['basisSignal'];

/** Annualised over this: one snapshot annualised is noise (measured: HIGH_CONTANGO in 34 % of hours). */
export const basisWindow = 8 * hour;
/** Settlements of 8 hours in a year: the same convention as funding's. */
const periodsAYear = 3 * 365;

/** basisPct = (mark / index − 1) × 100. A mark without a price gives no row. */
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

/** Interface, rule 4, percent. */
export const basisLabel = (basisPct: number): 'CONTANGO' | 'BACKWARDATION' | 'FLAT' =>
  basisPct > 0.05 ? 'CONTANGO' : basisPct < -0.05 ? 'BACKWARDATION' : 'FLAT';

/** Interface, "BasisSignal thresholds", percent a year. */
export const basisSignalLabel = (
  annualizedPct: number,
): 'HIGH_CONTANGO' | 'CONTANGO' | 'BACKWARDATION' | 'FLAT' => {
  if (annualizedPct > 15) return 'HIGH_CONTANGO';
  if (annualizedPct > 5) return 'CONTANGO';
  return annualizedPct < -5 ? 'BACKWARDATION' : 'FLAT';
};

/**
 * The `basisSignal` of /regime/probabilities: the newest row, annualised as the mean basisPct of the 8 hours up
 * to it × 3 × 365. Undefined without a row.
 *
 * @param rows ascending in time.
 */
export function basisSignal(rows: readonly BasisRow[]): BasisSignal | undefined {
  const current = rows.at(-1);
  if (current === undefined) return undefined;
  const from = timeOf(current) - basisWindow;
  const recent = rows.filter((row) => timeOf(row) > from);
  const annualizedPct = round(mean(recent.map(({ basisPct }) => basisPct)) * periodsAYear, 2);
  return {
    basisPct: current.basisPct,
    annualizedPct,
    signal: basisSignalLabel(annualizedPct),
    markPrice: current.markPrice,
    indexPrice: current.indexPrice,
  };
}
