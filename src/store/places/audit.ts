import type { Kysely } from 'kysely';
import { receiverKey } from '../../alert/subscription.ts';
import type { Text } from '../../language/text.ts';
import type { Author } from '../ports.ts';
import { inPages } from '../rows.ts';
import type { Tables } from '../tables.ts';

/** Writes lines of the audit log. */
export async function audit(
  db: Kysely<Tables>,
  ...lines: readonly ({ readonly what: Text } & Author)[]
): Promise<void> {
  const rows = lines.map(({ receiver, who, person, at, what }) => ({
    at,
    receiver: receiverKey(receiver),
    notifier: receiver.notifier,
    who,
    person,
    what: JSON.stringify(what),
  }));
  for (const some of inPages(rows)) await db.insertInto('audit').values(some).execute();
}
