import type { Transaction } from 'kysely';
import { type Receiver, receiverKey } from '../../alert/subscription.ts';
import type { KindSight } from '../ports.ts';
import { alertOf, inPages, readable, receiverColumns } from '../rows.ts';
import type { Tables } from '../tables.ts';
import { enqueue } from './queue.ts';
import { suspendedReceivers } from './suspended-receivers.ts';

/** Alerts of one page. */
const atOnce = 1_000;

/** Puts the messages about a kind's alerts into the outbox, to be edited, when the kind has gone blind or has data again. */
export async function enqueueBlindnessEdits(
  trx: Transaction<Tables>,
  { kind, blind, among, due }: { readonly due: number } & KindSight,
): Promise<void> {
  const receivers = new Map(
    among.map(({ receiver }): [string, Receiver] => [receiverKey(receiver), receiver]),
  );
  if (receivers.size === 0) return;
  const posts = await trx
    .selectFrom('post')
    .innerJoin('alert', 'alert.group_key', 'post.group_key')
    .select(['post.receiver', 'post.group_key', 'alert.body'])
    .where('post.receiver', 'in', [...receivers.keys()])
    .where('post.unknown', '=', blind ? 0 : 1)
    .where('alert.kind', '=', kind)
    .where('alert.ends_at', 'is', null)
    .execute();
  // One alert is enough for the message of a whole group.
  const messages = new Map(posts.map((post) => [`${post.receiver}\n${post.group_key}`, post]));
  const rows = readable([...messages.values()], ({ receiver: key, group_key, body }) => {
    const receiver = receivers.get(key);
    return receiver === undefined ? [] : [row(receiver, { group_key, body, due })];
  });
  await insert(trx, rows.flat());
}

/**
 * Does the same for alerts for one place alone, which no page of subscriptions leads to: for a page of those with ids after
 * `after`. Returns the id to continue after; null if there are no more.
 */
export async function enqueueOwnEdits(
  trx: Transaction<Tables>,
  {
    kind,
    blind,
    after,
    due,
  }: { readonly due: number } & Omit<KindSight, 'among'> & { readonly after: string },
): Promise<string | null> {
  const found = await trx
    .selectFrom('alert')
    .innerJoin('post', (join) =>
      join.onRef('post.group_key', '=', 'alert.group_key').onRef('post.receiver', '=', 'alert.only_for'),
    )
    .select(['alert.id', 'alert.body', 'post.group_key'])
    .where('alert.only_for', 'is not', null)
    .where('alert.kind', '=', kind)
    .where('alert.ends_at', 'is', null)
    .where('alert.id', '>', after)
    .where('post.unknown', '=', blind ? 0 : 1)
    .where('post.receiver', 'not in', suspendedReceivers(trx))
    .orderBy('alert.id')
    .limit(atOnce)
    .execute();
  await insert(
    trx,
    readable(found, ({ body, group_key }) => {
      const { only } = alertOf(body);
      return only === undefined ? [] : [row(only, { group_key, body, due })];
    }).flat(),
  );
  return found.length < atOnce ? null : (found.at(-1)?.id ?? null);
}

const row = (
  receiver: Receiver,
  { group_key, body, due }: { readonly group_key: string; readonly body: string; readonly due: number },
) => {
  const { id, revision } = alertOf(body);
  return { ...receiverColumns(receiver), group_key, alert_id: id, revision, urgent: 0, due };
};

async function insert(trx: Transaction<Tables>, rows: readonly ReturnType<typeof row>[]): Promise<void> {
  // An alert that is already queued is included in the next message.
  for (const some of inPages(rows)) await enqueue(trx, some);
}
