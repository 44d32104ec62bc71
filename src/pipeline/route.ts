import { type Alert, escalated } from '../alert/alert.ts';
import { type Receiver, receiverKey, wants } from '../alert/subscription.ts';
import type { Dispatch, Page, Store } from '../store/store.ts';
import { pass, type Verdict } from './stage.ts';

export interface ExpansionContext {
  readonly store: Pick<Store, 'expansion'>;
  /** Subscriptions looked at in one transaction; ≤ 1,000, so that none blocks the event loop. */
  readonly pageSize: number;
  readonly now: number;
}

export interface Routed {
  readonly dispatch: Dispatch;
  readonly page: Page;
  /** Those of the page who want it, each once. */
  readonly receivers: readonly Receiver[];
}

/** Who wants this revision, a page of subscriptions at a time. */
export async function route(
  dispatch: Dispatch,
  { store, pageSize }: ExpansionContext,
): Promise<Verdict<Routed>> {
  const page = await store.expansion.page(dispatch, pageSize);
  const receivers = new Map<string, Receiver>();
  for (const subscription of page.subscriptions) {
    if (wants(subscription, dispatch.alert)) {
      receivers.set(receiverKey(subscription.receiver), subscription.receiver);
    }
  }
  return pass({ dispatch, page, receivers: [...receivers.values()] });
}

/** Urgent goes before routine and breaks quiet hours: what is critical, when it fires or gets there. */
export const urgent = (alert: Alert): boolean =>
  alert.severity === 'critical' && (alert.status === 'firing' || escalated(alert));
