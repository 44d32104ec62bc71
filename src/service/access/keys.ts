import { createCredential } from '../../runtime/credential.ts';
import { InputError } from '../../runtime/errors.ts';
import { day } from '../../runtime/units.ts';
import { type AccessStore, type ApiKey, maxOwnKeys } from './store.ts';
import { dayOf } from './usage.ts';

/** A key and the requests made with it: today, and in 30 days (UTC). */
export interface CountedKey extends ApiKey {
  readonly today: number;
  readonly month: number;
}

/**
 * Makes a key and returns its text, which is stored nowhere and so can be shown only now.
 * @throws InputError
 */
export async function makeKey(
  store: Pick<AccessStore, 'addKey'>,
  { name, owner, requestLimit }: Pick<ApiKey, 'name' | 'owner' | 'requestLimit'>,
  now: number,
): Promise<{ readonly id: string; readonly text: string }> {
  // With a control character, a name could rewrite the lines of the list on a terminal.
  if (/\p{Cc}/u.test(name) || name.length > 80)
    throw new InputError('A name is one line of up to 80 characters');
  const { text, id, digest } = createCredential('tocsin');
  const outcome = await store.addKey({
    id,
    digest,
    name,
    owner,
    requestLimit,
    createdAt: now,
    revokedAt: null,
  });
  if (outcome !== 'added') throw new InputError(refusals[outcome]);
  return { id, text };
}

const refusals = {
  'no account': 'This account was removed',
  'too many': `An account has at most ${maxOwnKeys} valid keys: revoke one first`,
  'name taken': 'A valid key has this name: choose another name, or revoke that key first',
} as const;

/** Returns all keys, or those of one account, oldest first. */
export async function keysWithUse(
  store: Pick<AccessStore, 'keys' | 'usage'>,
  { now, owner }: { readonly now: number; readonly owner?: string },
): Promise<CountedKey[]> {
  const start = dayOf(now);
  const [keys, today, month] = await Promise.all([
    store.keys(owner),
    store.usage(start),
    store.usage(start - 29 * day),
  ]);
  return keys.map((key) => ({ ...key, today: today.get(key.id) ?? 0, month: month.get(key.id) ?? 0 }));
}
