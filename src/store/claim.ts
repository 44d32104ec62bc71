import { type Selectable, sql, type Transaction } from 'kysely';
import { receiverKey } from '../alert/subscription.ts';
import { readerBy } from '../language/preferences.ts';
import { day } from '../runtime/units.ts';
import { preferencesOf } from './preferences.ts';
import { alertOf, doubtOf, readable, reasonOf, receiverOf, silenceOf } from './rows.ts';
import type { Claim, Post } from './store.ts';
import { effective } from './subscriptions.ts';
import type { Tables } from './tables.ts';

/** Rows just taken, by receiver, with everything delivery decides on. A statement per table, not per claim. */
export async function claimed(
  trx: Transaction<Tables>,
  rows: readonly Selectable<Tables['outbox']>[],
  now: number,
): Promise<Claim[]> {
  const byReceiver = Map.groupBy(rows, ({ receiver }) => receiver);
  const receivers = [...byReceiver.keys()];
  const groups = [...new Set(rows.map(({ group_key }) => group_key))];
  const posts = await trx
    .selectFrom('post')
    .selectAll()
    .where('receiver', 'in', receivers)
    .where('group_key', 'in', groups)
    .execute();
  const postOf = new Map(
    readable(posts, (post): [string, Post] => [
      `${post.receiver}\n${post.group_key}`,
      { reference: post.reference, shown: JSON.parse(post.shown), unknown: post.unknown === 1 },
    ]),
  );
  const shown = [...postOf.values()].flatMap((post) => Object.keys(post.shown));
  const alertIds = [...new Set([...rows.map(({ alert_id }) => alert_id), ...shown])];
  const kept = await trx.selectFrom('alert').select(['id', 'body']).where('id', 'in', alertIds).execute();
  const alerts = new Map(readable(kept, ({ id, body }) => [id, alertOf(body)] as const));
  const unreadable = kept.map(({ id }) => id).filter((id) => !alerts.has(id));
  const subscriptions = Map.groupBy(await effective(trx, receivers), ({ receiver }) => receiverKey(receiver));
  const chosen = await preferencesOf(trx, receivers);
  const interrupting = await trx
    .selectFrom('delivery')
    .select(['receiver', sql<number>`count(*)`.as('posts')])
    .where('receiver', 'in', receivers)
    .where('interrupts', '=', 1)
    .where('at', '>', now - day)
    .groupBy('receiver')
    .execute();
  const spent = new Map(interrupting.map(({ receiver, posts }) => [receiver, Number(posts)]));
  const standing = await trx
    .selectFrom('silence')
    .selectAll()
    .where('starts_at', '<=', now)
    .where('ends_at', '>', now)
    .where((or) => or.or([or('receiver', 'in', receivers), or('receiver', 'is', null)]))
    .execute();
  const silences = readable(standing, (row) => ({ key: row.receiver, silence: silenceOf(row) }));

  return [...byReceiver].map(([key, own]): Claim => {
    const [first] = own as [Selectable<Tables['outbox']>];
    const post = postOf.get(`${key}\n${first.group_key}`);
    const ids = new Set([...Object.keys(post?.shown ?? {}), ...own.map(({ alert_id }) => alert_id)]);
    const { budget, ...reader } = chosen.get(key) ?? {};
    return {
      key,
      receiver: receiverOf(first),
      reader: readerBy(reader),
      spent: spent.get(key) ?? 0,
      ...(budget !== undefined && { budget }),
      group: first.group_key,
      rows: own.map(({ id, fence, alert_id, revision }) => ({
        id,
        fence: fence + 1,
        alertId: alert_id,
        revision,
      })),
      alerts: [...ids]
        .flatMap((id) => alerts.get(id) ?? [])
        .sort((a, b) => a.startsAt - b.startsAt || (a.id < b.id ? -1 : 1)),
      unreadable: unreadable.filter((id) => ids.has(id)),
      post,
      replaced: first.replaced,
      subscriptions: subscriptions.get(key) ?? [],
      silences: silences
        .filter((entry) => entry.key === key || entry.key === null)
        .map(({ silence }) => silence),
      urgent: own.some(({ urgent }) => urgent === 1),
      attempts: Math.max(...own.map(({ attempts }) => attempts)),
      waitedFor: reasonOf(own.find(({ reason }) => reason !== null)?.reason ?? null)?.code ?? null,
      doubt: doubtOf(Math.max(...own.map(({ doubt }) => doubt))),
    };
  });
}
