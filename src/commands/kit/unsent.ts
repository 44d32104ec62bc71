import type { Alert, Fact } from '../../alert/alert.ts';
import { getsWholeEvent } from '../../alert/inhibit.ts';
import { type Subscription, wants } from '../../alert/subscription.ts';
import { expandGroups } from '../../alert/symbols.ts';
import { time } from '../../language/format.ts';
import { msg, type Text } from '../../language/text.ts';
import type { CommandContext } from '../../shell/command.ts';
import type { Waiting } from '../../store/ports.ts';

/** How many of the latest alerts are searched. */
const maxSearched = 500;

type Asking = Pick<CommandContext, 'store' | 'caller' | 'universe'>;

/** Returns the caller's subscriptions that are not paused, with the symbols that groups and the watchlist stand for. */
export async function activeSubscriptions({
  store,
  caller,
  universe,
}: Asking): Promise<readonly Subscription[]> {
  const [subscriptions, followed] = await Promise.all([
    store.subscriptions.of(caller.receiver),
    store.watchlist.of(caller.receiver),
  ]);
  return subscriptions
    .filter(({ paused }) => !paused)
    .map((each) => ({ ...each, symbols: expandGroups(each.symbols, universe, followed) }));
}

/**
 * Returns the alerts that the caller's subscriptions ask for and that were not routed because a broader alert covered them.
 */
export async function readHeldBack(
  context: Asking,
  since: number,
): Promise<readonly { readonly alert: Alert; readonly reason: Text }[]> {
  const { store, universe } = context;
  const [held, recent, active] = await Promise.all([
    store.alerts.heldBack(since),
    store.alerts.recent(maxSearched),
    activeSubscriptions(context),
  ]);
  // A part that was announced before its event began (`late`) is in the delivery log instead.
  const parts = recent.filter(
    (alert) =>
      alert.partOf?.late === false &&
      (alert.endsAt ?? since) >= since &&
      getsWholeEvent(alert, active, universe),
  );
  return [
    ...held.map(({ alert, by }) => ({
      alert,
      reason:
        alert.endsAt === null
          ? msg('held back by "{alert}"', { alert: by })
          : msg('held back by "{alert}" until it was over', { alert: by }),
    })),
    ...parts.map((alert) => ({
      alert,
      reason: msg('part of "{alert}"', { alert: alert.partOf?.title ?? '' }),
    })),
  ].filter(({ alert }) => active.some((each) => wants(each, { alert, universe })));
}

/** Writes a fact about an alert that waits to be sent here. */
export const waitingFact = ({ title, due, reason }: Waiting): Fact => ({
  name: msg('Waiting until {due}', { due: time(due) }),
  value: reason === null ? title : msg('{title} ({reason})', { title, reason: reason.text }),
});
