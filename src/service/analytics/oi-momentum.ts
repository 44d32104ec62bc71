import type { EndpointAnswer } from '../../contract/index.ts';
import { hour, iso, minute } from '../../runtime/units.ts';
import type { OpenInterest } from '../archive/archive.ts';
import type { Columns } from '../archive/columns.ts';
import { countUpTo, type Derivation } from '../archive/derivation.ts';
import { mean, round } from './statistics.ts';

type OiMomentum = EndpointAnswer<'oiMomentum'>;
type OiMover = Omit<EndpointAnswer<'oiMovers'>['data'][number], 'symbol'>;
type OiSignal = 'RAPID_BUILDUP' | 'RAPID_UNWIND' | 'BUILDING' | 'UNWINDING' | 'STABLE';

/** The longest time between two snapshots to compare, ms. They come every 5 minutes; a hole would make the span longer. */
const maxStep = 7.5 * minute;

/** Returns the signal, from the numbers as published, in percent per 5 minutes. */
export function oiSignal({
  ratePct,
  accelerationPct,
}: {
  ratePct: number;
  accelerationPct: number;
}): OiSignal {
  if (ratePct > 1 && accelerationPct > 0) return 'RAPID_BUILDUP';
  if (ratePct < -1 && accelerationPct < 0) return 'RAPID_UNWIND';
  if (ratePct > 0.3) return 'BUILDING';
  if (ratePct < -0.3) return 'UNWINDING';
  return 'STABLE';
}

type Row = OiMomentum['data'][number];

/**
 * Computes ratePct = (OI_t / OI_{t−1} − 1) × 100 in contracts and accelerationPct = ratePct_t − ratePct_{t−1}, over
 * 5-minute snapshots. A row needs three snapshots without a hole; a row that cannot be computed is left out, never 0.
 */
export const oiRows: Derivation<OpenInterest, Row> = {
  // Two 5-minute steps, and 5 minutes for late snapshots.
  lead: 15 * minute,
  make(snapshots, index) {
    const ratePct = rateAt(snapshots, index);
    const rateBefore = rateAt(snapshots, index - 1);
    if (ratePct === undefined || rateBefore === undefined) return undefined;
    return {
      timestamp: iso(snapshots.time[index] as number),
      oi: snapshots.contracts[index] as number,
      ratePct: round(ratePct, 4),
      accelerationPct: round(ratePct - rateBefore, 4),
    };
  },
};

/**
 * Builds the answer of /oi/momentum. `avgRatePct` is 0 without rows; `maxAcceleration` is the largest accelerationPct, or 0.
 *
 * @param data Ascending in time.
 */
export function oiMomentum(symbol: string, data: Row[]): OiMomentum {
  const current = data.at(-1);
  if (current === undefined)
    return { symbol, data, dataPoints: 0, avgRatePct: 0, maxAcceleration: 0, signal: 'STABLE' };
  return {
    symbol,
    data,
    dataPoints: data.length,
    current,
    avgRatePct: round(mean(data.map(({ ratePct }) => ratePct)), 4),
    maxAcceleration: Math.max(...data.map(({ accelerationPct }) => accelerationPct)),
    signal: oiSignal(current),
  };
}

/** The greatest age of a row that /oi/movers shows, ms: two snapshots may be missing. */
const maxMoverAge = 15 * minute;

/** How far back from now `oiMover` needs snapshots, ms. */
export const moverWindow = maxMoverAge + hour + maxStep;

/** Returns the newest row, its signal and its change over an hour; undefined without a row of the last 15 minutes. */
export function oiMover(snapshots: Columns<OpenInterest>, now: number): OiMover | undefined {
  const { time, contracts } = snapshots;
  for (let index = time.length - 1; index >= 0; index -= 1) {
    const at = time[index] as number;
    if (now - at > maxMoverAge) return undefined;
    const row = oiRows.make(snapshots, index);
    if (row === undefined) continue;
    const earlier = countUpTo(time, at - hour) - 1;
    const before = at - hour - (time[earlier] ?? Number.NEGATIVE_INFINITY) < maxStep ? contracts[earlier] : 0;
    return {
      ...row,
      change1hPct: before !== undefined && before > 0 ? round((row.oi / before - 1) * 100, 4) : undefined,
      signal: oiSignal(row),
    };
  }
  return undefined;
}

/** Returns the change since the previous snapshot, percent; undefined over a hole. Nobody's position is a hole, too. */
function rateAt(
  { time, contracts }: Pick<Columns<OpenInterest>, 'time' | 'contracts'>,
  index: number,
): number | undefined {
  const [before, after] = [contracts[index - 1], contracts[index]];
  if (before === undefined || after === undefined || !(before > 0 && after > 0)) return undefined;
  if ((time[index] as number) - (time[index - 1] as number) > maxStep) return undefined;
  return (after / before - 1) * 100;
}
