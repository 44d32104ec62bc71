import type { Kysely } from 'kysely';
import { receiverKey } from '../alert/subscription.ts';
import type { Text } from '../language/text.ts';
import type { Author } from './store.ts';
import type { Tables } from './tables.ts';

/** A line of the audit log. */
export async function record(
  db: Kysely<Tables>,
  { receiver, who, person, at, what }: { readonly what: Text } & Author,
): Promise<void> {
  await db
    .insertInto('audit')
    .values({
      at,
      receiver: receiverKey(receiver),
      notifier: receiver.notifier,
      who,
      person,
      what: JSON.stringify(what),
    })
    .execute();
}
