import type { EndpointAnswer } from '../../contract/index.ts';
import { hour, iso, minute } from '../../runtime/units.ts';
import type { OpenInterest } from '../archive/archive.ts';
import { mean, round } from './statistics.ts';

type OiVelocity = Omit<EndpointAnswer<'oiVelocity'>, 'symbol'>;

/** How long before its window `oiVelocity` needs snapshots, ms: an hour, and 5 minutes for late snapshots. */
export const velocityLead = hour + 5 * minute;
/** The snapshot of an hour before may be off by this much, ms. */
const slack = 2.5 * minute;

/**
 * Computes velocity = OI_t − OI_{t − 1 h} in contracts, in USD at the price of the snapshot, and in percent of
 * OI_{t − 1 h}. It spans an hour because the 5-minute changes of /oi/momentum are mostly noise. A snapshot without
 * another one an hour before it gives no row.
 *
 * @param snapshots Snapshots of one symbol, ascending, from `velocityLead` before `from`.
 * @param from Time of the first row to return, market ms.
 */
export function oiVelocity(snapshots: readonly OpenInterest[], from: number): OiVelocity {
  let beforeIndex = 0;
  const data = snapshots.flatMap((snapshot) => {
    const anHourAgo = snapshot.time - hour;
    let before = snapshots[beforeIndex];
    while (before !== undefined && before.time < anHourAgo - slack) {
      beforeIndex += 1;
      before = snapshots[beforeIndex];
    }
    if (snapshot.time < from || before === undefined || before.time > anHourAgo + slack) return [];
    if (!(before.contracts > 0) || !(snapshot.contracts > 0)) return [];
    const velocity = snapshot.contracts - before.contracts;
    return [
      {
        timestamp: iso(snapshot.time),
        oi: snapshot.contracts,
        velocity: round(velocity, 8),
        velocityUsd: round((velocity * snapshot.valueUsd) / snapshot.contracts, 2),
        velocityPct: round((velocity / before.contracts) * 100, 4),
      },
    ];
  });
  const current = data.at(-1);
  return {
    data,
    dataPoints: data.length,
    current,
    avgVelocityPct: data.length === 0 ? 0 : round(mean(data.map((row) => row.velocityPct)), 4),
  };
}
