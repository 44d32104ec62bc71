import { type Alert, escalated } from '../alert/alert.ts';
import { digestDue } from '../alert/digest.ts';
import { digestGroup } from '../alert/post-group.ts';
import { type Receiver, receiverKey, type Subscription, wants } from '../alert/subscription.ts';
import type { Destination, Dispatch, Page, Store } from '../store/store.ts';
import { pass, type Verdict } from './stage.ts';

export interface ExpansionContext {
  readonly store: Pick<Store, 'expansion'>;
  /** Subscriptions looked at in one transaction; ≤ 1,000, so that none blocks the event loop. */
  readonly pageSize: number;
  readonly now: number;
  /** Tracked symbols, the largest volume first. */
  readonly universe: readonly string[];
}

export interface Routed {
  readonly dispatch: Dispatch;
  readonly page: Page;
  /** Those of the page who want it, each once. */
  readonly destinations: readonly Destination[];
}

/** Who wants this revision, and whether at once or in a digest; a page of subscriptions at a time. */
export async function route(
  dispatch: Dispatch,
  { store, pageSize, universe }: ExpansionContext,
): Promise<Verdict<Routed>> {
  const { alert } = dispatch;
  if (alert.only !== undefined) return routeTo(alert.only, dispatch, store);
  const page = await store.expansion.page(dispatch, pageSize);
  const wanting = new Map<string, Subscription[]>();
  for (const subscription of page.subscriptions) {
    if (!wants(subscription, alert, universe)) continue;
    const key = receiverKey(subscription.receiver);
    const others = wanting.get(key);
    if (others === undefined) wanting.set(key, [subscription]);
    else others.push(subscription);
  }
  const soonest = soonestPost(dispatch);
  const destinations = new Map<string, Destination>();
  const settle = (key: string, own: readonly Subscription[]) => {
    const [first] = own;
    if (first !== undefined) destinations.set(key, { receiver: first.receiver, ...soonest(own) });
  };
  for (const [key, own] of wanting) settle(key, own);
  const waiting = [...destinations.values()].filter(({ group }) => group !== dispatch.group);
  // A subscription on another page may want it sooner, and it must be in one post only.
  if (waiting.length > 0 && (page.next !== null || dispatch.cursor > 0)) {
    const several = await store.expansion.ofThoseWithSeveral(waiting.map(({ receiver }) => receiver));
    const all = several.filter((each) => wants(each, alert, universe));
    for (const [key, own] of Map.groupBy(all, ({ receiver }) => receiverKey(receiver))) settle(key, own);
  }
  return pass({ dispatch, page, destinations: [...destinations.values()] });
}

/** What is for one place alone goes there at once, whatever it is subscribed to. */
async function routeTo(
  receiver: Receiver,
  dispatch: Dispatch,
  store: ExpansionContext['store'],
): Promise<Verdict<Routed>> {
  const { group, due } = dispatch;
  const destinations = (await store.expansion.rests(receiver)) ? [] : [{ receiver, group, due }];
  return pass({ dispatch, page: { subscriptions: [], next: null }, destinations });
}

/**
 * The soonest of the posts that one receiver's subscriptions ask for. What was critical once is told at once to
 * everyone, and so is what becomes of it: its message lives.
 */
function soonestPost({ alert, group, due }: Dispatch) {
  const after = Math.max(alert.updatedAt, due);
  // Time zones cost some 50 µs, and thousands share few digests.
  const known = new Map<string, number>();
  const digest = ({ digest, quietHours }: Subscription): number => {
    if (digest === null || alert.peak === 'critical') return 0;
    const key = `${digest.every} ${digest.weekday} ${digest.at} ${digest.timeZone} ${quietHours?.from} ${quietHours?.to} ${quietHours?.timeZone}`;
    const at = known.get(key) ?? digestDue(digest, quietHours, after);
    known.set(key, at);
    return at;
  };
  return (own: readonly Subscription[]): Pick<Destination, 'group' | 'due'> => {
    const at = Math.min(...own.map(digest));
    return at === 0 ? { group, due } : { group: digestGroup(at), due: at };
  };
}

/** Urgent goes before routine and breaks quiet hours: what is critical, when it fires or gets there. */
export const urgent = (alert: Alert): boolean =>
  alert.severity === 'critical' && (alert.status === 'firing' || escalated(alert));
