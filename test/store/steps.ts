import { beforeEach } from 'vitest';
import type { Alert } from '#src/alert/alert.ts';
import type { Receiver } from '#src/alert/subscription.ts';
import type { openStore } from '#src/store/open.ts';
import type { Claim, Dispatch, Store } from '#src/store/ports.ts';
import { firing, receiver, start } from '#test/support/alerts.ts';
import { ownStore } from '#test/support/own-store.ts';
import { claimsOf, nextDispatch } from '#test/support/posting.ts';

/** Opens a store before each test of a suite and closes it after. Returns a function that gives it. */
export function eachStore(
  url: () => Promise<string>,
  options?: Parameters<typeof openStore>[1],
): () => Store {
  let store: Store | undefined;
  beforeEach(async () => {
    store = await ownStore(await url(), options);
  });
  return () => {
    if (store === undefined) throw new Error('the store is opened before each test');
    return store;
  };
}

const there = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error('nothing is due');
  return value;
};

/** What happens to an alert in the store, step by step. */
export function stepsOf(store: () => Store) {
  const keep = (alert: Alert, options: { announce?: boolean; group?: string } = {}) =>
    store().dispatch(async (unit) => {
      const kept = { alert, group: options.group ?? alert.id, due: alert.updatedAt, heldBy: null };
      await unit.save(kept);
      if (options.announce !== false) await unit.announce(kept);
    });

  const expand = async (receivers: readonly Receiver[], now = start) => {
    const dispatch = await announced();
    await store().expansion.enqueue([{ dispatch, destinations: to(dispatch, ...receivers) }], {
      next: null,
      now,
    });
  };

  const to = ({ group, due }: Dispatch, ...receivers: readonly Receiver[]) =>
    receivers.map((each) => ({ receiver: each, group, due }));

  const page = ({ cursor }: Dispatch, size: number) =>
    store().expansion.page(cursor, { size, wants: () => true });

  const claim = (given: { now?: number; count?: number } = {}): Promise<Claim[]> =>
    claimsOf(store(), { now: start, ...given });

  const begin = (one: Claim, { outbox }: Pick<Store, 'outbox'> = store()) =>
    outbox.settle([
      {
        kind: 'begun',
        claim: one,
        at: start,
        post: { group: one.group, shown: shownBy(one), unknown: false },
      },
    ]);

  const retry = (one: Claim, until: number, holds: 'receiver' | 'message' = 'receiver') =>
    ({
      kind: 'retry',
      claim: one,
      at: start,
      until,
      attempted: true,
      inDoubt: false,
      holds,
      reason: { code: 'not_delivered', text: '503' },
    }) as const;

  const sent = (one: Claim, reference = 'm1', { outbox }: Pick<Store, 'outbox'> = store()) =>
    outbox.settle([{ kind: 'sent', claim: one, at: start, reference, shown: shownBy(one), note: null }]);

  /** Takes the role of delivering and returns the store under it. Whoever had the role before loses it. */
  const deliverer = async () => {
    const lease = await store().leases.take('deliver:web', { owner: 'me', ttl: -1 });
    if (lease === null) throw new Error('the role is not free');
    return store().under(lease);
  };

  /** Returns the first alert that waits for its expansion. */
  const announced = async () => there(await nextDispatch(store()));

  /** Keeps an alert and puts it into the outbox for the receivers. */
  const bring = async (alert: Alert, receivers: readonly Receiver[] = [receiver('a')], now = start) => {
    await keep(alert);
    await expand(receivers, now);
  };

  /** Returns the first claim. */
  const firstClaim = async (given?: Parameters<typeof claim>[0]): Promise<Claim> =>
    there((await claim(given))[0]);

  /** Returns the claim of an alert that was just put into the outbox. */
  const due = async (alert = firing()): Promise<Claim> => {
    await bring(alert);
    return firstClaim();
  };

  return { keep, expand, to, page, claim, begin, retry, sent, deliverer, announced, bring, firstClaim, due };
}

export const shownBy = ({ alerts }: Claim) =>
  Object.fromEntries(alerts.map(({ id, revision }) => [id, revision]));
