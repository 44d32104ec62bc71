import { digestTime } from '../alert/post-group.ts';
import { type Subscription, wants } from '../alert/subscription.ts';
import type { Planned } from './delivery.ts';

/**
 * Whether a message makes a sound: where something in it goes on that cannot wait, or that somebody asked for by name (a
 * rule of one's own, a market named in a subscription), whatever its severity. What is over never does, nor a digest:
 * it comes by the clock.
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

/** By itself: among all markets, or the twenty largest, it is named by nobody. */
const names = ({ symbols }: Subscription, symbol: string | undefined): boolean =>
  symbol !== undefined && symbols.includes(symbol);
