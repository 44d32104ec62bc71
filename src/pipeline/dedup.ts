import { type Alert, severityRank } from '../alert/alert.ts';
import { digestTime, isOverGroup } from '../alert/post-group.ts';
import type { Reason } from '../alert/reason.ts';
import { msg } from '../language/text.ts';
import type { Claim } from '../store/store.ts';
import { unseenSince } from './blindness.ts';
import {
  type Considered,
  type DeliveryContext,
  isEditedInPlace,
  type Outlet,
  type Planned,
} from './delivery.ts';
import { pass, suppress, type Verdict } from './stage.ts';

/**
 * Nothing is sent twice. Where a chat has a message of this group already, that is edited; an answer to it, which
 * notifies, is posted only for an alert that is new in it or has got worse.
 */
export function dedup(
  considered: Considered,
  { blind, outlet }: Pick<DeliveryContext, 'blind' | 'outlet'>,
): Verdict<Planned> {
  const { claim, mayNotify } = considered;
  const { post, rows, alerts } = claim;
  const isNew = (alert: Alert) =>
    rows.some((row) => row.alertId === alert.id && row.revision > (post?.shown[alert.id] ?? 0));
  // It may have waited for hours, for a digest or for quiet hours to end, and its subscription may be gone by now.
  const asked = claim.subscriptions.length > 0 || alerts.some(({ only }) => only !== undefined);
  if (post === undefined && !asked) {
    return suppress({ code: 'unsubscribed', text: msg('no longer subscribed') });
  }
  if (isOverGroup(claim.group)) return dedupOver(considered);
  if (digestTime(claim.group) !== undefined) return dedupDigest(considered, isNew);
  const unknown = unseenSince(alerts, blind) !== undefined;
  const turned = post !== undefined && post.unknown !== unknown;
  if (!turned && !alerts.some(isNew)) return suppress(alreadySent);
  if (post === undefined) {
    // An escalation counts as a beginning also where the alert has eased or ended since: who asked only for what is
    // severe was to hear of it.
    const newsRevisions = new Map(alerts.map((alert) => [alert.id, alert.newsRevision]));
    const begins = rows.some(
      ({ alertId, revision }) => revision === 1 || revision === newsRevisions.get(alertId),
    );
    if (!begins) return suppress(startNotSent);
    if (claim.waitedFor === 'quiet_hours' && alerts.every(({ status }) => status === 'resolved')) {
      return suppress(overBeforeMorning);
    }
    return pass({ ...considered, act: 'send' });
  }
  // Judged by what the message would show, which may be ahead of the rows that are due: rows that come later find it
  // shown already.
  const loud = alerts.some((alert) => {
    const seen = post.shown[alert.id];
    const news = seen === undefined || (alert.status !== 'resolved' && alert.newsRevision > seen);
    return news && !joinsQuietly(alert, claim);
  });
  return pass({ ...considered, act: (loud || mayStandBelow(claim, outlet)) && mayNotify ? 'reply' : 'edit' });
}

/**
 * An answer was begun, and nothing tells whether it arrived: it is posted again, as it is by now. By an edit of what it
 * answers alone, it would say for ever what was so then.
 */
const mayStandBelow = ({ doubt }: Claim, { connection }: Outlet): boolean =>
  doubt !== null && connection.find === undefined && isEditedInPlace(connection);

/** Whether the message already shows another alert that is at least as severe, so that this one joins it by an edit. */
const joinsQuietly = ({ id, joins, peak }: Alert, { post, alerts }: Claim): boolean =>
  joins === true &&
  alerts.some(
    (other) =>
      other.id !== id &&
      post?.shown[other.id] !== undefined &&
      severityRank(other.peak) >= severityRank(peak),
  );

/**
 * A digest lists what is new, also what has ended since. What was critical is left out: it was sent at once, in a
 * message of its own.
 */
function dedupDigest(considered: Considered, isNew: (alert: Alert) => boolean): Verdict<Planned> {
  const { claim } = considered;
  const fresh = claim.alerts.filter(isNew);
  const alerts = fresh.filter(({ peak }) => peak !== 'critical');
  if (alerts.length === 0) return suppress(fresh.length === 0 ? alreadySent : sentAtOnce);
  const leftOut = fresh.filter((alert) => !alerts.includes(alert));
  return pass({ ...considered, claim: without(claim, { alerts, leftOut, reason: sentAtOnce }), act: 'send' });
}

/**
 * Alerts that began and ended before they could be sent come in one post. Those whose beginning was not for this chat
 * are left out.
 */
function dedupOver(considered: Considered): Verdict<Planned> {
  const { claim } = considered;
  if (claim.waitedFor === 'quiet_hours') return suppress(overBeforeMorning);
  const alerts = claim.alerts.filter(({ id, newsRevision }) =>
    claim.rows.some(
      ({ alertId, revision }) => alertId === id && (revision === 1 || revision === newsRevision),
    ),
  );
  if (alerts.length === 0) return suppress(startNotSent);
  const leftOut = claim.alerts.filter((alert) => !alerts.includes(alert));
  return pass({
    ...considered,
    claim: without(claim, { alerts, leftOut, reason: startNotSent }),
    act: 'send',
  });
}

const without = (
  claim: Claim,
  {
    alerts,
    leftOut,
    reason,
  }: { readonly alerts: readonly Alert[]; readonly leftOut: readonly Alert[]; readonly reason: Reason },
): Claim => ({
  ...claim,
  alerts,
  leftOut: [...(claim.leftOut ?? []), ...leftOut.map((alert) => ({ alert, reason }))],
});

const startNotSent: Reason = {
  code: 'start_not_sent',
  text: msg('its start was not sent here'),
};
const overBeforeMorning: Reason = {
  code: 'over_before_morning',
  text: msg('over before the quiet hours ended'),
};
const alreadySent: Reason = { code: 'already_sent', text: msg('already sent') };
const sentAtOnce: Reason = { code: 'sent_at_once', text: msg('already sent right away') };
