import type { EndpointAnswer } from '../../contract/index.ts';
import { day } from '../../runtime/units.ts';
import type { RegimeRow } from '../archive/archive.ts';
import { round } from './statistics.ts';

export type TransitionAnswer = EndpointAnswer<'regimeProbabilities'>['transition'];
type State = RegimeRow['state'];

/** How long a change of state is reported as ENTERING, ms. */
const enteringPeriod = day;

/** By how much another state must be likelier, since calibrated probabilities are often near each other. */
const clearMargin = 0.25;

/**
 * Returns the `transition` of /regime/probabilities; null while the market is stable.
 * LEAVING: a state other than the published one is clearly likelier.
 * ENTERING: no other state is clearly likelier, and the published state is less than a day old.
 * magnitude = |p(to) − p(from)|, 0 to 1.
 *
 * @param rows Ascending in time, of at least the last day.
 */
export function transition(rows: readonly RegimeRow[]): TransitionAnswer {
  const current = rows.at(-1);
  if (current === undefined) return null;
  const { state, probabilities } = current;
  const likeliest = (['RISK_ON', 'TRANSITION', 'RISK_OFF'] as const).reduce(
    (best, other) => (probabilities[other] > probabilities[best] ? other : best),
    state,
  );
  if (probabilities[likeliest] - probabilities[state] >= clearMargin)
    return change(current, { from: state, to: likeliest, type: 'LEAVING' });
  const last = rows.findLast((row) => row.state !== state);
  if (last === undefined || current.time - last.time > enteringPeriod) return null;
  return change(current, { from: last.state, to: state, type: 'ENTERING' });
}

function change(
  { probabilities }: RegimeRow,
  { from, to, type }: { readonly from: State; readonly to: State; readonly type: 'LEAVING' | 'ENTERING' },
): TransitionAnswer {
  return { from, to, type, magnitude: round(Math.abs(probabilities[to] - probabilities[from]), 6) };
}
