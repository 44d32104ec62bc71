import { dataBlind } from '../alert/alert.ts';
import { digestDue } from '../alert/digest.ts';
import { getsWholeEvent } from '../alert/inhibit.ts';
import { digestGroup } from '../alert/post-group.ts';
import type { Reason } from '../alert/reason.ts';
import { type Receiver, receiverKey, type Subscription, wants } from '../alert/subscription.ts';
import { msg } from '../language/text.ts';
import type { Criteria, Destination, Dispatch, Page, Routed, Store } from '../store/ports.ts';
import { defect } from './defect.ts';
import { pass, type Verdict } from './stage.ts';

export interface ExpansionContext {
  readonly store: Pick<Store, 'expansion'>;
  /** Number of subscriptions handled in one transaction; ≤ 1,000, so that no transaction blocks the event loop. */
  readonly pageSize: number;
  readonly now: number;
  /** Tracked symbols, the largest volume first. */
  readonly universe: readonly string[];
}

/** The dispatches of one post, each with the receivers that it has among one page of subscriptions. */
export interface RoutedPage {
  readonly page: Page;
  readonly routed: readonly Routed[];
}

/** Finds who wants these revisions, and whether at once or in a digest, among one page of subscriptions. */
export async function route(
  dispatches: readonly Dispatch[],
  context: ExpansionContext,
): Promise<Verdict<RoutedPage>> {
  const { store, pageSize } = context;
  const [first] = dispatches;
  // Each subscription is checked for each dispatch: the more dispatches, the smaller the page, so that the work stays
  // the same.
  const size = Math.ceil(pageSize / dispatches.length);
  const page =
    first === undefined || dispatches.every(({ alert }) => alert.only !== undefined)
      ? { subscriptions: [], unreadable: [], next: null }
      : await store.expansion.page(first.cursor, { size, wants: wantsAny(dispatches, context) });
  const routed: Routed[] = [];
  for (const dispatch of dispatches) {
    const { only } = dispatch.alert;
    routed.push(
      only === undefined
        ? await routeAmong(page, { ...context, dispatch })
        : await routeTo(only, dispatch, context.store),
    );
  }
  return pass({ page, routed });
}

/**
 * Returns a test for what a subscription asks for. If a kind has gone blind, everything passes the test, because receivers
 * that do not ask for that kind any more may still have messages about it.
 */
const wantsAny =
  (dispatches: readonly Dispatch[], { universe }: Pick<ExpansionContext, 'universe'>) =>
  (criteria: Criteria): boolean =>
    dispatches.some(({ alert }) => alert.labels.kind === dataBlind || wants(criteria, { alert, universe }));

async function routeAmong(
  page: Page,
  { dispatch, store, universe }: { readonly dispatch: Dispatch } & ExpansionContext,
): Promise<Routed> {
  const { alert } = dispatch;
  const soonest = soonestPost(dispatch);
  const destinations = new Map<string, Destination>();
  const failed = new Map<string, NonNullable<Routed['failed']>[number]>();
  for (const receiver of page.unreadable) {
    const reason: Reason = { code: 'defect', text: msg('a subscription cannot be read') };
    failed.set(receiverKey(receiver), { receiver, reason });
  }
  /**
   * Runs `work` for a subscription's receiver, and notes the receiver as failed if `work` throws. One faulty subscription
   * must not keep the alert from the others, and a retry would fail in the same way.
   */
  const unlessAtFault = (subscription: Subscription | undefined, work: (receiver: Receiver) => boolean) => {
    if (subscription === undefined) return false;
    const { receiver } = subscription;
    try {
      return work(receiver);
    } catch (error) {
      failed.set(receiverKey(receiver), { receiver, reason: defect(error) });
      return false;
    }
  };
  const addDestinations = (subscriptions: readonly Subscription[]) => {
    const wanting = subscriptions.filter((each) =>
      unlessAtFault(each, () => wants(each, { alert, universe })),
    );
    for (const [key, own] of Map.groupBy(wanting, ({ receiver }) => receiverKey(receiver))) {
      unlessAtFault(own[0], (receiver) => destinations.set(key, { receiver, ...soonest(own) }).has(key));
    }
  };
  addDestinations(page.subscriptions);
  const ofReceiversWithSeveral = async (receivers: readonly Receiver[]) =>
    receivers.length === 0 ? [] : store.expansion.ofReceiversWithSeveral(receivers);
  if (alert.partOf?.late === false) {
    const receivers = [...destinations.values()].map(({ receiver }) => receiver);
    for (const each of [...page.subscriptions, ...(await ofReceiversWithSeveral(receivers))])
      if (getsWholeEvent(alert, [each], universe)) destinations.delete(receiverKey(each.receiver));
  }
  const waiting = [...destinations.values()].filter(({ group }) => group !== dispatch.group);
  // Another subscription of the same receiver, on another page, may want the alert sooner, and the alert must be in one
  // post only.
  addDestinations(await ofReceiversWithSeveral(waiting.map(({ receiver }) => receiver)));
  for (const key of destinations.keys()) failed.delete(key);
  return { dispatch, destinations: [...destinations.values()], failed: [...failed.values()] };
}

/** Routes an alert for one place alone to that place at once, whatever the place subscribes to. */
async function routeTo(
  receiver: Receiver,
  dispatch: Dispatch,
  store: ExpansionContext['store'],
): Promise<Routed> {
  const { group, due } = dispatch;
  const destinations = (await store.expansion.isSuspended(receiver)) ? [] : [{ receiver, group, due }];
  return { dispatch, destinations };
}

/**
 * Returns a function that finds the soonest post that one receiver's subscriptions ask for. An alert that was ever
 * critical was sent to everyone at once; its updates are sent at once, too, because its message is there.
 */
function soonestPost({ alert, group, due }: Dispatch) {
  const after = Math.max(alert.updatedAt, due);
  // A calculation with a time zone takes some 50 µs, and thousands of subscriptions share a few digest times.
  const known = new Map<string, number>();
  const digest = ({ digest, quietHours }: Subscription): number => {
    if (digest === null || alert.peak === 'critical') return 0;
    const key = `${digest.every} ${digest.weekday} ${digest.at} ${digest.timeZone} ${quietHours?.from} ${quietHours?.to} ${quietHours?.timeZone}`;
    return known.getOrInsertComputed(key, () => digestDue(digest, { quiet: quietHours, after }));
  };
  return (own: readonly Subscription[]): Pick<Destination, 'group' | 'due'> => {
    const at = Math.min(...own.map(digest));
    return at === 0 ? { group, due } : { group: digestGroup(at), due: at };
  };
}
