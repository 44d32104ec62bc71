import { dataBlind } from '../alert/alert.ts';
import { digestDue } from '../alert/digest.ts';
import { getsWholeEvent } from '../alert/inhibit.ts';
import { digestGroup } from '../alert/post-group.ts';
import type { Reason } from '../alert/reason.ts';
import { type Receiver, receiverKey, type Subscription, wants } from '../alert/subscription.ts';
import { msg } from '../language/text.ts';
import type { Criteria, Destination, Dispatch, Page, Routed, Store } from '../store/store.ts';
import { defect } from './defect.ts';
import { pass, type Verdict } from './stage.ts';

export interface ExpansionContext {
  readonly store: Pick<Store, 'expansion'>;
  /** Subscriptions looked at in one transaction; ≤ 1,000, so that none blocks the event loop. */
  readonly pageSize: number;
  readonly now: number;
  /** Tracked symbols, the largest volume first. */
  readonly universe: readonly string[];
}

/** What a page of subscriptions makes of dispatches of one post. */
export interface RoutedPage {
  readonly page: Page;
  readonly routed: readonly Routed[];
}

/** Who wants these revisions, and whether at once or in a digest; a page of subscriptions at a time. */
export async function route(
  dispatches: readonly Dispatch[],
  context: ExpansionContext,
): Promise<Verdict<RoutedPage>> {
  const { store, pageSize } = context;
  const [first] = dispatches;
  // A page is as much work as `pageSize` says, of however many alerts it is asked.
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
        : await routeTo(only, { dispatch, store: context.store }),
    );
  }
  return pass({ page, routed });
}

/** That a kind has gone blind concerns also messages to those who do not ask for it any more. */
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
  /** One whose wishes cannot be followed must not keep the alert from the rest: it would fail again alike. */
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
  const settle = (subscriptions: readonly Subscription[]) => {
    const wanting = subscriptions.filter((each) =>
      unlessAtFault(each, () => wants(each, { alert, universe })),
    );
    for (const [key, own] of Map.groupBy(wanting, ({ receiver }) => receiverKey(receiver))) {
      unlessAtFault(own[0], (receiver) => destinations.set(key, { receiver, ...soonest(own) }).has(key));
    }
  };
  settle(page.subscriptions);
  const ofThoseWithSeveral = async (receivers: readonly Receiver[]) =>
    receivers.length === 0 ? [] : store.expansion.ofThoseWithSeveral(receivers);
  if (alert.partOf?.late === false) {
    const receivers = [...destinations.values()].map(({ receiver }) => receiver);
    for (const each of [...page.subscriptions, ...(await ofThoseWithSeveral(receivers))])
      if (getsWholeEvent(alert, { subscriptions: [each], universe }))
        destinations.delete(receiverKey(each.receiver));
  }
  const waiting = [...destinations.values()].filter(({ group }) => group !== dispatch.group);
  // A subscription on another page may want it sooner, and it must be in one post only.
  settle(await ofThoseWithSeveral(waiting.map(({ receiver }) => receiver)));
  for (const key of destinations.keys()) failed.delete(key);
  return { dispatch, destinations: [...destinations.values()], failed: [...failed.values()] };
}

/** An alert for one place alone goes there at once, whatever that place subscribes to. */
async function routeTo(
  receiver: Receiver,
  { dispatch, store }: { readonly dispatch: Dispatch; readonly store: ExpansionContext['store'] },
): Promise<Routed> {
  const { group, due } = dispatch;
  const destinations = (await store.expansion.rests(receiver)) ? [] : [{ receiver, group, due }];
  return { dispatch, destinations };
}

/**
 * The soonest post that one receiver's subscriptions ask for. What was critical once is sent at once to everyone, and
 * so are its updates: its message is there.
 */
function soonestPost({ alert, group, due }: Dispatch) {
  const after = Math.max(alert.updatedAt, due);
  // Working with a time zone costs some 50 µs, and thousands share few digests.
  const known = new Map<string, number>();
  const digest = ({ digest, quietHours }: Subscription): number => {
    if (digest === null || alert.peak === 'critical') return 0;
    const key = `${digest.every} ${digest.weekday} ${digest.at} ${digest.timeZone} ${quietHours?.from} ${quietHours?.to} ${quietHours?.timeZone}`;
    const at = known.get(key) ?? digestDue(digest, { quiet: quietHours, after });
    known.set(key, at);
    return at;
  };
  return (own: readonly Subscription[]): Pick<Destination, 'group' | 'due'> => {
    const at = Math.min(...own.map(digest));
    return at === 0 ? { group, due } : { group: digestGroup(at), due: at };
  };
}
