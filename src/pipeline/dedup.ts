import { type Alert, dataBlind, severityRank } from '../alert/alert.ts';
import { digestTime, isEndedUnsentGroup } from '../alert/post-group.ts';
import type { Reason } from '../alert/reason.ts';
import { stillAsksFor } from '../alert/subscription.ts';
import { msg } from '../language/text.ts';
import type { Claim } from '../store/ports.ts';
import { unseenSince } from './blindness.ts';
import {
  type Considered,
  type DeliveryContext,
  isEditedInPlace,
  keepsCurrent,
  livingPost,
  type Outlet,
  type Planned,
} from './delivery.ts';
import { pass, suppress, type Verdict } from './stage.ts';

/**
 * Ensures that nothing is sent twice. If the chat already has a message of this group, that message is edited. A reply
 * to it, which notifies people, is posted only for an alert that is new in the message or has become worse.
 */
export function dedup(
  given: Considered,
  { blind, outlet }: Pick<DeliveryContext, 'blind' | 'outlet'>,
): Verdict<Planned> {
  const considered = leaveOutUnsubscribed(given, outlet);
  if (considered === undefined) return suppress(unsubscribed);
  const { claim, notifying } = considered;
  const { post, rows, alerts } = claim;
  const isNew = (alert: Alert) =>
    rows.some((row) => row.alertId === alert.id && row.revision > (post?.shown[alert.id] ?? 0));
  const begins = (alert: Alert) => isBegunBy(rows, alert);
  if (isEndedUnsentGroup(claim.group)) return dedupEnded(considered);
  if (digestTime(claim.group) !== undefined) return dedupDigest(considered, isNew);
  const unknown = unseenSince(alerts, blind) !== undefined;
  const hasUnknownChanged = post !== undefined && post.unknown !== unknown;
  if (!hasUnknownChanged && !alerts.some(isNew)) return suppress(alreadySent);
  if (post === undefined) {
    if (!alerts.some((alert) => begins(alert) && !isTroubleOver(alert))) return suppress(startNotSent);
    if (claim.waitedFor === 'quiet_hours' && alerts.every(({ status }) => status === 'resolved')) {
      return suppress(overBeforeMorning);
    }
    return pass({ ...considered, act: 'send' });
  }
  // This compares what the message would show, which may be newer than the rows that are due. Rows that come due later
  // then find their revisions already shown.
  const notifies = notifying.some((alert) => {
    const seen = post.shown[alert.id];
    const isNewOrWorse =
      seen === undefined ? begins(alert) : alert.status !== 'resolved' && alert.newsRevision > seen;
    return isNewOrWorse && !joinsQuietly(alert, claim);
  });
  return pass({
    ...considered,
    act: notifies || (notifying.length > 0 && isReplyInDoubt(claim, outlet)) ? 'reply' : 'edit',
  });
}

/**
 * Leaves out what nobody in the chat asks for any more: the claim may have waited for hours, for a digest or for the end of
 * quiet hours. A message that exists already is still edited. Returns undefined if nothing is left.
 */
function leaveOutUnsubscribed(considered: Considered, outlet: Outlet): Considered | undefined {
  const { claim } = considered;
  const { alerts, subscriptions } = claim;
  const isWanted = (alert: Alert) =>
    alert.only !== undefined || subscriptions.some((each) => stillAsksFor(each, alert));
  const notifying = considered.notifying.filter(isWanted);
  if (livingPost(claim) !== undefined && keepsCurrent(outlet)) return { ...considered, notifying };
  if (alerts.length === 0 && subscriptions.length > 0) return considered;
  const wanted = alerts.filter(isWanted);
  if (wanted.length === alerts.length) return alerts.length === 0 ? undefined : considered;
  if (wanted.length === 0) return undefined;
  const leftOut = alerts.filter((alert) => !isWanted(alert));
  return {
    claim: leaveOut(claim, { alerts: wanted, leftOut, reason: unsubscribed }),
    notifying,
  };
}

/**
 * Returns whether the alert is news to a chat that has not seen it and has these rows: it began or got worse with one of them,
 * even if it has eased or ended since, because a subscriber who asked only for severe alerts should have been told of it; or it
 * got worse after one, which the message then shows before that escalation's own row is due.
 */
const isBegunBy = (rows: Claim['rows'], { id, newsRevision }: Alert): boolean =>
  rows.some(({ alertId, revision }) => alertId === id && revision <= newsRevision);

/** Returns whether the alert says that data was missing and is back: no news to a chat that was not told of the first. */
const isTroubleOver = ({ labels, status }: Alert): boolean =>
  labels.kind === dataBlind && status === 'resolved';

/**
 * Returns whether a reply was begun and may have arrived, of which the platform cannot tell. The reply is then posted
 * again with the current state. If only the message it replies to were edited, a reply that did arrive would never be
 * brought up to date.
 */
const isReplyInDoubt = ({ postInDoubt }: Claim, { connection }: Outlet): boolean =>
  postInDoubt !== null && postInDoubt.isUpdate !== true && isEditedInPlace(connection);

/**
 * Returns whether the alert joins the message by an edit: it allows that, and the message already shows another alert that
 * is at least as severe. One that has become so since, like this one, is not shown yet.
 */
const joinsQuietly = ({ id, joins, peak }: Alert, { post, alerts }: Claim): boolean =>
  joins === true &&
  alerts.some(
    (other) =>
      other.id !== id &&
      (post?.shown[other.id] ?? 0) >= other.newsRevision &&
      severityRank(other.peak) >= severityRank(peak),
  );

/**
 * Keeps the alerts that are new to the chat, including those that have ended since. Alerts that were ever critical are
 * left out: each was sent at once, in a message of its own.
 */
function dedupDigest(considered: Considered, isNew: (alert: Alert) => boolean): Verdict<Planned> {
  const { claim } = considered;
  const fresh = claim.alerts.filter(isNew);
  const alerts = fresh.filter(({ peak }) => peak !== 'critical');
  if (alerts.length === 0) return suppress(fresh.length === 0 ? alreadySent : sentAtOnce);
  const leftOut = fresh.filter((alert) => !alerts.includes(alert));
  return pass({
    ...considered,
    claim: leaveOut(claim, { alerts, leftOut, reason: sentAtOnce }),
    act: 'send',
  });
}

/**
 * Sends alerts that began and ended before they could be sent in one post. An alert is left out if neither its
 * beginning nor its last escalation was meant for this chat.
 */
function dedupEnded(considered: Considered): Verdict<Planned> {
  const { claim } = considered;
  if (claim.waitedFor === 'quiet_hours') return suppress(overBeforeMorning);
  const alerts = claim.alerts.filter((alert) => isBegunBy(claim.rows, alert) && !isTroubleOver(alert));
  if (alerts.length === 0) return suppress(startNotSent);
  const leftOut = claim.alerts.filter((alert) => !alerts.includes(alert));
  return pass({
    ...considered,
    claim: leaveOut(claim, { alerts, leftOut, reason: startNotSent }),
    act: 'send',
  });
}

const leaveOut = (
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

const unsubscribed: Reason = { code: 'unsubscribed', text: msg('no longer subscribed') };
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
