import type { Alert } from '#src/alert/alert.ts';
import type { Claim, Dispatch, Store } from '#src/store/ports.ts';
import { receiver } from '#test/support/alerts.ts';

/** Returns the first announced alert that is not yet expanded into deliveries, if there is one. */
export async function nextDispatch(store: Store): Promise<Dispatch | undefined> {
  const [id] = await store.expansion.next();
  return id === undefined ? undefined : (await store.expansion.read([id]))[0];
}

/** Puts the alert into the outbox for one receiver. */
export async function enqueued(store: Store, alert: Alert, to = receiver()): Promise<void> {
  const now = alert.updatedAt;
  await store.dispatch(async (unit) => {
    const kept = { alert, group: alert.id, due: now, heldBy: null };
    await unit.save(kept);
    await unit.announce(kept);
  });
  const dispatch = await nextDispatch(store);
  if (dispatch === undefined) throw new Error('nothing was announced');
  const destination = { receiver: to, group: alert.id, due: now };
  await store.expansion.enqueue([{ dispatch, destinations: [destination] }], { next: null, now });
}

/** Claims what is due in the outbox. */
export async function claimsOf(
  { outbox }: Pick<Store, 'outbox'>,
  {
    now,
    count = 10,
    notifier = 'web',
  }: { readonly now: number; readonly count?: number; readonly notifier?: string },
): Promise<Claim[]> {
  const found = await outbox.next({ notifier, now, count, fits: () => true });
  const claims = await outbox.look(
    found.map(({ key }) => key),
    now,
  );
  // Sorted by when each is due.
  return found.flatMap(({ key }) => claims.find((claim) => claim.key === key) ?? []);
}

/** Puts the alert into the outbox for one receiver and claims it; the test decides how it is settled. */
export async function claimOf(store: Store, alert: Alert): Promise<Claim> {
  await enqueued(store, alert);
  const now = alert.updatedAt;
  const [claim] = await claimsOf(store, { now, count: 1 });
  if (claim === undefined) throw new Error('nothing is due');
  return claim;
}

export async function post(store: Store, alert: Alert): Promise<void> {
  const claim = await claimOf(store, alert);
  const at = alert.updatedAt;
  await store.outbox.settle([{ kind: 'sent', claim, at, reference: 'm1', shown: {}, note: null }]);
}
