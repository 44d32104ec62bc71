import { inhibitor } from '../alert/inhibit.ts';
import { digestTime } from '../alert/post-group.ts';
import { minute } from '../runtime/units.ts';
import type { Claim } from '../store/store.ts';
import type { Considered, DeliveryContext } from './delivery.ts';
import { heldBackBy } from './inhibit.ts';
import { pass, postpone, type Verdict } from './stage.ts';

/** How soon it is looked at again whether the broader alert still fires. */
const lookAgain = 5 * minute;

/** What began to be held back by a broader alert while it waited, waits on. Told alerts are never held. */
export function holdBack(claim: Claim, context: DeliveryContext): Verdict<Considered> {
  const considered = { claim, mayNotify: true };
  // A digest tells what was: one of its alerts must not keep the others.
  if (claim.post !== undefined || digestTime(claim.group) !== undefined) return pass(considered);
  for (const alert of claim.alerts) {
    const by = inhibitor(context.inhibitRules, context.broader, alert);
    if (by !== undefined) {
      return postpone(context.now() + lookAgain, heldBackBy(by));
    }
  }
  return pass(considered);
}
