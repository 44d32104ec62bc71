import type { EndpointAnswer } from '../../contract/index.ts';
import { iso, minute } from '../../runtime/units.ts';
import type { OpenInterest } from '../archive/archive.ts';
import type { Derivation } from './derivation.ts';
import { round } from './statistics.ts';

export type OiMomentum = Omit<EndpointAnswer<'oiMomentum'>, 'symbol'>;
export type OiSignal = 'RAPID_BUILDUP' | 'RAPID_UNWIND' | 'BUILDING' | 'UNWINDING' | 'STABLE';

/** Snapshots come every 5 minutes; over a hole the change is that of another span of time. */
const longestStep = 7.5 * minute;

/** Interface, rule 8, on the numbers as published, percent per 5 minutes. */
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
 * ratePct = (OI_t / OI_{t−1} − 1) × 100 in contracts, accelerationPct = ratePct_t − ratePct_{t−1}, over 5-minute
 * snapshots. A row needs three snapshots without a hole: what cannot be computed is left out, never 0.
 */
export const oiRows: Derivation<OpenInterest, Row> = {
  // Two 5-minute steps, and their lateness.
  lead: 15 * minute,
  make(snapshot, { before, earlier }) {
    const ratePct = rate(before, snapshot);
    const rateBefore = rate(earlier, before);
    if (ratePct === undefined || rateBefore === undefined) return undefined;
    return {
      timestamp: iso(snapshot.time),
      oi: snapshot.contracts,
      ratePct: round(ratePct, 4),
      accelerationPct: round(ratePct - rateBefore, 4),
    };
  },
};

/** `maxAcceleration` is the largest accelerationPct; the averages of no rows are 0. @param data ascending */
export function oiMomentum(data: Row[]): OiMomentum {
  const current = data.at(-1);
  let fastest = data[0]?.accelerationPct ?? 0;
  let sum = 0;
  for (const { ratePct, accelerationPct } of data) {
    sum += ratePct;
    if (accelerationPct > fastest) fastest = accelerationPct;
  }
  return {
    data,
    dataPoints: data.length,
    ...(current === undefined ? {} : { current }),
    avgRatePct: data.length === 0 ? 0 : round(sum / data.length, 4),
    maxAcceleration: fastest,
    signal: current === undefined ? 'STABLE' : oiSignal(current),
  };
}

function rate(before: OpenInterest | undefined, after: OpenInterest | undefined): number | undefined {
  if (before === undefined || after === undefined || !(before.contracts > 0)) return undefined;
  if (after.time - before.time > longestStep) return undefined;
  return (after.contracts / before.contracts - 1) * 100;
}
