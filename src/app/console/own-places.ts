import type { Receiver } from '../../alert/subscription.ts';
import { UserError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import type { Caller } from '../../shell/command.ts';
import { managerRights } from '../../shell/rights.ts';
import type { Store } from '../../store/ports.ts';

/** Throws UserError unless the place gets alerts: an address of somebody's own would be posted to. */
export async function requirePlace(
  receiver: Receiver,
  subscriptions: Pick<Store['subscriptions'], 'of'>,
): Promise<void> {
  if ((await subscriptions.of(receiver)).length === 0)
    throw new UserError(msg('No alerts go there.'), { code: 'unknown' });
}

/** Returns the page's visitor as somebody who manages another place. */
export const asManagerOf = (receiver: Receiver, visitor: Caller): Caller => ({
  ...visitor,
  receiver,
  rights: managerRights,
  answeredElsewhere: true,
});
