import type { Alert } from '../alert/alert.ts';
import { wants } from '../alert/subscription.ts';
import { spellOut } from '../alert/symbols.ts';
import type { CommandContext } from '../commands/command.ts';
import { msg, type Text } from '../language/text.ts';

/** What a broader alert stood for, of what the caller's subscriptions ask for: it was kept back before it was routed. */
export async function heldBackHere(
  { store, caller, universe }: Pick<CommandContext, 'store' | 'caller' | 'universe'>,
  since: number,
): Promise<readonly { readonly alert: Alert; readonly reason: Text }[]> {
  const [held, subscriptions, followed] = await Promise.all([
    store.alerts.heldBack(since),
    store.subscriptions.of(caller.receiver),
    store.watchlist.of(caller.receiver),
  ]);
  const heeded = subscriptions
    .filter(({ paused }) => !paused)
    .map((each) => ({ ...each, symbols: spellOut(each.symbols, { universe, followed }) }));
  return held
    .filter(({ alert }) => heeded.some((each) => wants(each, alert, universe)))
    .map(({ alert, by }) => ({
      alert,
      reason:
        alert.endsAt === null
          ? msg('held back by "{alert}"', { alert: by })
          : msg('held back by "{alert}" until it was over', { alert: by }),
    }));
}
