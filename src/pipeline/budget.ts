import { dataBlind } from '../alert/alert.ts';
import { digestDue } from '../alert/digest.ts';
import { digestGroup, digestTime } from '../alert/post-group.ts';
import { msg } from '../language/text.ts';
import type { DeliveryContext, Planned } from './delivery.ts';
import { gather, pass, type Verdict } from './stage.ts';

/** When a chat gets the digest of what was over its budget, by its own clock. */
const digestAt = '08:00';

/**
 * At most so many posts in any 24 h interrupt a place; the rest come in a digest, and an answer becomes an edit. Any 24 h,
 * not a day of somebody's zone: no midnight lets twice as many through, and a place that has chosen no zone is served alike.
 */
export function budget(planned: Planned, context: DeliveryContext): Verdict<Planned> {
  const { claim } = planned;
  const { outlet, now, budget: usual = null } = context;
  const most = claim.budget === undefined ? usual : claim.budget;
  if (most === null || outlet.machine === true || claim.spent < most) return pass(planned);
  if (!interrupts(planned)) return pass(planned);
  if (claim.post !== undefined) return pass({ ...planned, act: 'edit' });
  const { timeZone } = claim.reader;
  const due = digestDue({ every: 'day', at: digestAt, timeZone }, { quiet: null, after: now() });
  return gather(due, {
    group: digestGroup(due),
    reason: {
      code: 'over_budget',
      text: msg('beyond the {n, plural, one {# post} other {# posts}} a day of this chat', { n: most }),
    },
  });
}

/**
 * Whether a message counts against the budget: a new post does, an edit or a digest does not. Urgent alerts, those of
 * someone's own rules and the news that data is missing are always sent and cost nothing.
 */
export const interrupts = ({ claim, act }: Pick<Planned, 'claim' | 'act'>): boolean =>
  act !== 'edit' &&
  !claim.urgent &&
  digestTime(claim.group) === undefined &&
  claim.alerts.every(({ only, labels }) => only === undefined && labels.kind !== dataBlind);
