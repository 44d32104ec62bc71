import type { Alert } from '#src/alert/alert.ts';
import type { Claim, Dispatch, Store } from '#src/store/store.ts';
import { receiver } from '#test/support/alerts.ts';

/** What was announced and is handed on next, the first of its post. */
export async function nextDispatch(store: Store): Promise<Dispatch | undefined> {
  const [id] = await store.expansion.next();
  return id === undefined ? undefined : (await store.expansion.read([id]))[0];
}

/** The alert in the outbox, for one place. */
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

/** Those whose turn it is, with what they are to be told. */
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
  // In the order of their turns.
  return found.flatMap(({ key }) => claims.find((claim) => claim.key === key) ?? []);
}

/** The alert on its way to one place, claimed; what becomes of it is the test's to settle. */
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
