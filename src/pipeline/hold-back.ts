import type { Alert } from '../alert/alert.ts';
import { getsWholeEvent, inhibitor } from '../alert/inhibit.ts';
import { digestTime } from '../alert/post-group.ts';
import type { Reason } from '../alert/reason.ts';
import { msg } from '../language/text.ts';
import { minute } from '../runtime/units.ts';
import type { Claim } from '../store/ports.ts';
import { type Considered, type DeliveryContext, livingPost } from './delivery.ts';
import { heldBackBy } from './inhibit.ts';
import { pass, postpone, suppress, type Verdict } from './stage.ts';

/** Market ms until it is checked again whether the broader alert still fires. */
const recheckAfter = 5 * minute;

/**
 * Leaves out alerts that became part of an event while they waited, because the event's post covers them, and postpones
 * a first post while a broader alert holds back one of its alerts. A message that exists already is still edited, but
 * people are not notified of the parts of an event.
 */
export function holdBack(claim: Claim, context: DeliveryContext): Verdict<Considered> {
  const universe = context.universe();
  const alerts = claim.alerts.map((alert): Alert => {
    if (getsWholeEvent(alert, claim.subscriptions, universe)) return alert;
    // This chat does not receive the event, so the alert is not treated as part of it here.
    const { partOf: _, ...own } = alert;
    return own;
  });
  const parts = alerts.filter(({ partOf }) => partOf !== undefined);
  const own = alerts.filter(({ partOf }) => partOf === undefined);
  if (livingPost(claim) !== undefined) return pass({ claim: { ...claim, alerts }, notifying: own });
  const leftOut = parts.map((alert) => ({ alert, reason: partOfEvent(alert) }));
  const [first] = leftOut;
  if (first !== undefined && own.length === 0) return suppress(first.reason);
  const considered = { claim: { ...claim, alerts: own, ...(first && { leftOut }) }, notifying: own };
  // A digest is about the past: one of its alerts must not hold up the others.
  if (digestTime(claim.group) !== undefined) return pass(considered);
  for (const alert of own) {
    const by = inhibitor(context.inhibitRules, context.broaderAlerts, alert);
    if (by !== undefined) return postpone(context.now() + recheckAfter, heldBackBy(by));
  }
  return pass(considered);
}

const partOfEvent = ({ partOf }: Alert): Reason => ({
  code: 'part_of',
  text: msg('part of "{alert}"', { alert: partOf?.title ?? '' }),
});
