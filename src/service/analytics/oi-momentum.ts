import type { EndpointAnswer } from '../../contract/index.ts';
import { iso, minute } from '../../runtime/units.ts';
import type { OpenInterest } from '../archive/archive.ts';
import { mean, round } from './statistics.ts';

export type OiMomentum = Omit<EndpointAnswer<'oiMomentum'>, 'symbol'>;
export type OiSignal = 'RAPID_BUILDUP' | 'RAPID_UNWIND' | 'BUILDING' | 'UNWINDING' | 'STABLE';

/** How far before its window `oiMomentum` must be given snapshots: two 5-minute steps, and their lateness. */
export const oiLead = 15 * minute;
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

/**
 * ratePct = (OI_t / OI_{t−1} − 1) × 100 in contracts, accelerationPct = ratePct_t − ratePct_{t−1}, over 5-minute
 * snapshots. A row needs three snapshots without a hole: what cannot be computed is left out, never 0.
 * `maxAcceleration` is the largest accelerationPct; the averages of no rows are 0.
 *
 * @param snapshots of one symbol, ascending, from `oiLead` before `from`.
 * @param from first time published, market ms.
 */
export function oiMomentum(snapshots: readonly OpenInterest[], from: number): OiMomentum {
  const data: Row[] = [];
  snapshots.forEach((snapshot, i) => {
    if (snapshot.time < from) return;
    const row = rowOf(snapshot, snapshots[i - 1], snapshots[i - 2]);
    if (row !== undefined) data.push(row);
  });
  const current = data.at(-1);
  return {
    data,
    dataPoints: data.length,
    ...(current === undefined ? {} : { current }),
    avgRatePct: data.length === 0 ? 0 : round(mean(data.map((row) => row.ratePct)), 4),
    maxAcceleration: data.reduce(
      (max, row) => Math.max(max, row.accelerationPct),
      data[0]?.accelerationPct ?? 0,
    ),
    signal: current === undefined ? 'STABLE' : oiSignal(current),
  };
}

type Row = OiMomentum['data'][number];

const rows = new WeakMap<
  OpenInterest,
  {
    readonly before: OpenInterest | undefined;
    readonly earlier: OpenInterest | undefined;
    readonly row: Row | undefined;
  }
>();

/** Made once for three snapshots: a replay asks for a day of them every five minutes. */
function rowOf(
  snapshot: OpenInterest,
  before: OpenInterest | undefined,
  earlier: OpenInterest | undefined,
): Row | undefined {
  const known = rows.get(snapshot);
  if (known !== undefined && known.before === before && known.earlier === earlier) return known.row;
  const ratePct = rate(before, snapshot);
  const rateBefore = rate(earlier, before);
  const row =
    ratePct === undefined || rateBefore === undefined
      ? undefined
      : {
          timestamp: iso(snapshot.time),
          oi: snapshot.contracts,
          ratePct: round(ratePct, 4),
          accelerationPct: round(ratePct - rateBefore, 4),
        };
  rows.set(snapshot, { before, earlier, row });
  return row;
}

function rate(before: OpenInterest | undefined, after: OpenInterest | undefined): number | undefined {
  if (before === undefined || after === undefined || !(before.contracts > 0)) return undefined;
  if (after.time - before.time > longestStep) return undefined;
  return (after.contracts / before.contracts - 1) * 100;
}
