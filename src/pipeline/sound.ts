import { digestTime } from '../alert/post-group.ts';
import { type Subscription, wants } from '../alert/subscription.ts';
import type { Planned } from './delivery.ts';

/**
 * Returns whether a message makes a sound. A new message does if an alert in it goes on that is urgent or was asked for
 * by name, whatever its severity: by a rule of one's own, or by a market named in a subscription. A message about ended
 * alerts makes none, nor does an edit or a digest.
 */
export function isLoud({ claim, act }: Pick<Planned, 'claim' | 'act'>, universe: readonly string[]): boolean {
  if (act === 'edit' || digestTime(claim.group) !== undefined) return false;
  const ongoing = claim.alerts.filter(({ status }) => status !== 'resolved');
  return ongoing.some(
    (alert) =>
      claim.urgent ||
      alert.only !== undefined ||
      claim.subscriptions.some(
        (each) => namesSymbol(each, alert.labels.symbol) && wants(each, { alert, universe }),
      ),
  );
}

/** Returns whether the subscription lists this market itself. All markets, or the twenty largest, name none. */
const namesSymbol = ({ symbols }: Subscription, symbol: string | undefined): boolean =>
  symbol !== undefined && symbols.includes(symbol);
