import { type Receiver, receiverKey } from '../../alert/subscription.ts';
import { UserError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import { webReceiver } from '../../platforms/web/caller.ts';
import type { KeyDesk, KeyDraft } from '../../platforms/web/ports/key-desk.ts';
import type { WallClock } from '../../runtime/clock.ts';
import { createCredential } from '../../runtime/credential.ts';
import type { KeyStore, Store } from '../../store/ports.ts';
import { requirePlace } from './own-places.ts';

/**
 * Creates a key of the bot's HTTP API. Only its digest is stored, so that its text can be shown only once.
 * @param now wall ms
 */
export async function issueKey(
  { name, scopes, receiver }: KeyDraft,
  { store, now }: { readonly store: Pick<KeyStore, 'add'>; readonly now: number },
): Promise<{ readonly id: string; readonly text: string }> {
  const { text, id, digest } = createCredential('tocsinbot');
  await store.add({ id, digest, name, scopes, receiver, createdAt: now, revokedAt: null });
  return { id, text };
}

/** Creates what the page shows of the keys of the HTTP API. */
export function createKeyDesk({
  store: { keys, subscriptions },
  nameOf,
  wall,
}: {
  readonly store: Pick<Store, 'keys' | 'subscriptions'>;
  /** Returns the name of a place, without the secret parts of its address. */
  readonly nameOf: (receiver: Receiver) => Promise<string>;
  readonly wall: Pick<WallClock, 'now'>;
}): KeyDesk {
  return {
    async list() {
      const valid = (await keys.all()).filter(({ revokedAt }) => revokedAt === null);
      return Promise.all(
        valid.map(async ({ id, name, scopes, receiver, createdAt, requests, usedAt }) => ({
          ...{ id, name, scopes, createdAt, requests, usedAt },
          place: await nameOf(receiver),
        })),
      );
    },
    async create(draft) {
      const isPage = receiverKey(draft.receiver) === receiverKey(webReceiver('main'));
      if (!isPage) await requirePlace(draft.receiver, subscriptions);
      return (await issueKey(draft, { store: keys, now: wall.now() })).text;
    },
    async revoke(id) {
      if (!(await keys.revoke(id, wall.now())))
        throw new UserError(msg('There is no such key any more.'), { code: 'unknown' });
    },
  };
}
