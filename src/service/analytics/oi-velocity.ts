import type { EndpointAnswer } from '../../contract/index.ts';
import { hour, iso, minute } from '../../runtime/units.ts';
import type { OpenInterest } from '../archive/archive.ts';
import { mean, round } from './statistics.ts';

export type OiVelocity = Omit<EndpointAnswer<'oiVelocity'>, 'symbol'>;

/** How far before its window `oiVelocity` must be given snapshots: an hour, and their lateness. */
export const velocityLead = hour + 5 * minute;
/** The snapshot an hour before may be this much off. */
const slack = 2.5 * minute;

/**
 * velocity = OI_t − OI_{t − 1 h} in contracts; the same in USD at the price of the snapshot, and in percent of
 * OI_{t − 1 h}. The hour makes the difference to /oi/momentum, whose 5 minutes are mostly noise. A row without a
 * snapshot an hour before it is left out.
 *
 * @param snapshots of one symbol, ascending, from `velocityLead` before `from`.
 * @param from first time published, market ms.
 */
export function oiVelocity(snapshots: readonly OpenInterest[], from: number): OiVelocity {
  let behind = 0;
  const data = snapshots.flatMap((snapshot) => {
    const anHourAgo = snapshot.time - hour;
    let before = snapshots[behind];
    while (before !== undefined && before.time < anHourAgo - slack) {
      behind += 1;
      before = snapshots[behind];
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
    ...(current === undefined ? {} : { current }),
    avgVelocityPct: data.length === 0 ? 0 : round(mean(data.map((row) => row.velocityPct)), 4),
  };
}
