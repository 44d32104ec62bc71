import { digestDue } from '../alert/digest.ts';
import { digestGroup, digestTime } from '../alert/post-group.ts';
import { msg } from '../language/text.ts';
import type { DeliveryContext, Planned } from './delivery.ts';
import { pass, postpone, type Verdict } from './stage.ts';

/** The time of day, in the chat's time zone, of the digest of posts that were over its budget. */
const digestAt = '08:00';

/**
 * Limits the posts that interrupt a place in any 24 h. Further first posts are gathered in a digest, and a further reply
 * becomes an edit. The period is 24 h and not a calendar day, so that no midnight lets twice as many through, and so that
 * it is the same for a place that has chosen no time zone.
 */
export function budget(planned: Planned, context: DeliveryContext): Verdict<Planned> {
  const { claim } = planned;
  const { outlet, now, budget: defaultBudget = null } = context;
  const maxPosts = claim.budget === undefined ? defaultBudget : claim.budget;
  if (maxPosts === null || outlet.readByPrograms === true || claim.interruptions < maxPosts)
    return pass(planned);
  if (!interrupts(planned)) return pass(planned);
  if (claim.post !== undefined) return pass({ ...planned, act: 'edit' });
  const { timeZone } = claim.reader;
  const due = digestDue({ every: 'day', at: digestAt, timeZone }, { quiet: null, after: now() });
  const text = msg('beyond the {n, plural, one {# post} other {# posts}} a day of this chat', {
    n: maxPosts,
  });
  return postpone(due, { code: 'over_budget', text }, digestGroup(due));
}

/**
 * Returns whether a message counts against the budget. A new post counts; an edit or a digest does not. Urgent alerts and
 * alerts for this place alone (of its own rules, say) are always sent and do not count.
 */
export const interrupts = ({ claim, act }: Pick<Planned, 'claim' | 'act'>): boolean =>
  act !== 'edit' &&
  !claim.urgent &&
  digestTime(claim.group) === undefined &&
  claim.alerts.every(({ only }) => only === undefined);
