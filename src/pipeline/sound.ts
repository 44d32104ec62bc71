import { digestTime } from '../alert/post-group.ts';
import { type Subscription, wants } from '../alert/subscription.ts';
import type { Planned } from './delivery.ts';

/**
 * Whether a message makes a sound: where something that goes on in it is urgent, or was asked for by name (a rule of
 * one's own, a market named in a subscription), whatever its severity. An end makes none, nor does a digest.
 */
export function isLoud({ claim, act }: Pick<Planned, 'claim' | 'act'>, universe: readonly string[]): boolean {
  if (act === 'edit' || digestTime(claim.group) !== undefined) return false;
  const goesOn = claim.alerts.filter(({ status }) => status !== 'resolved');
  return goesOn.some(
    (alert) =>
      claim.urgent ||
      alert.only !== undefined ||
      claim.subscriptions.some(
        (each) => names(each, alert.labels.symbol) && wants(each, { alert, universe }),
      ),
  );
}

/**
 * A market is named only where the subscription lists it itself, not as one of all markets or of the twenty largest.
 */
const names = ({ symbols }: Subscription, symbol: string | undefined): boolean =>
  symbol !== undefined && symbols.includes(symbol);
