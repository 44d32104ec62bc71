import { type Kysely, type Selectable, sql } from 'kysely';
import { receiverKey } from '../alert/subscription.ts';
import { readerBy } from '../language/preferences.ts';
import { day } from '../runtime/units.ts';
import { begunOf } from './begun.ts';
import { foldOver, messageOf, ofMessages } from './fold.ts';
import { preferencesOf } from './preferences.ts';
import { alertOf, readable, reasonOf, receiverOf, silenceOf } from './rows.ts';
import type { Begun, Claim, Post } from './store.ts';
import { effective } from './subscriptions.ts';
import type { Tables } from './tables.ts';

type Row = Selectable<Tables['outbox']>;

/** Of each of these receivers, all that is due of the message whose turn it is. Whoever is not among them has nothing due. */
export async function look(
  db: Kysely<Tables>,
  { keys, now }: { readonly keys: readonly string[]; readonly now: number },
): Promise<Claim[]> {
  if (keys.length === 0) return [];
  const waiting = db
    .selectFrom('outbox')
    .selectAll()
    .where('receiver', 'in', keys)
    // Not by the index of what is due, however few a database takes to be: of a broadcast all are.
    .where(sql<boolean>`due + 0 <= ${now}`)
    .orderBy('due')
    // What was tried is tried to its end before another of its time begins.
    .orderBy('attempts', 'desc')
    .orderBy('revision')
    .orderBy('id')
    .execute();
  const taken = db.selectFrom('queue').select(['receiver', 'begun']).where('receiver', 'in', keys).execute();
  // What needs nothing of one another is asked at once: a server's answers take longer to come than to make.
  const [due, queued] = await Promise.all([waiting, taken]);
  const begun = new Map(queued.map(({ receiver, begun }) => [receiver, begunOf(begun)]));
  const turns = turnsOf(due, begun);
  const folded = await foldOver(db, { rows: due, turns, now });
  const rows = folded.filter((row) => turns.get(row.receiver) === messageOf(row));
  return rows.length === 0
    ? []
    : claimed(db, { rows, now, begun, before: new Map(due.map((row) => [row.id, row])) });
}

/**
 * Whose turn it is, by receiver: what was begun, then what is urgent, then what is new, then what brings a message up to
 * date. Edits notify nobody, and must not keep what does.
 */
function turnsOf(rows: readonly Row[], begun: ReadonlyMap<string, readonly Begun[]>): Map<string, string> {
  const rank = ({ receiver, urgent, replaced, revision, group_key }: Row) => {
    if (replaced === null && begun.get(receiver)?.some(({ group }) => group === group_key)) return 0;
    return urgent === 1 ? 1 : replaced === null && revision === 1 ? 2 : 3;
  };
  const turns = new Map<string, Row>();
  for (const row of rows) {
    const first = turns.get(row.receiver);
    if (first === undefined || rank(row) < rank(first)) turns.set(row.receiver, row);
  }
  return new Map([...turns].map(([receiver, row]) => [receiver, messageOf(row)]));
}

/** With everything delivery decides on. A statement per table, not per claim. */
async function claimed(
  trx: Kysely<Tables>,
  {
    rows,
    now,
    begun,
    before,
  }: {
    readonly rows: readonly Row[];
    readonly now: number;
    readonly begun: ReadonlyMap<string, readonly Begun[]>;
    readonly before: ReadonlyMap<Row['id'], Row>;
  },
): Promise<Claim[]> {
  const byReceiver = Map.groupBy(rows, ({ receiver }) => receiver);
  const receivers = [...byReceiver.keys()];
  const [posts, subscribed, chosen, interrupting, standing] = await Promise.all([
    trx.selectFrom('post').selectAll().where(ofMessages(rows)).execute(),
    effective(trx, receivers),
    preferencesOf(trx, receivers),
    trx
      .selectFrom('delivery')
      .select(['receiver', sql<number>`count(*)`.as('posts')])
      .where('receiver', 'in', receivers)
      .where('interrupts', '=', 1)
      .where('at', '>', now - day)
      .groupBy('receiver')
      .execute(),
    trx
      .selectFrom('silence')
      .selectAll()
      .where('starts_at', '<=', now)
      .where('ends_at', '>', now)
      .where((or) => or.or([or('receiver', 'in', receivers), or('receiver', 'is', null)]))
      .execute(),
  ]);
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
  const subscriptions = Map.groupBy(subscribed, ({ receiver }) => receiverKey(receiver));
  const spent = new Map(interrupting.map(({ receiver, posts }) => [receiver, Number(posts)]));
  const silences = readable(standing, (row) => ({ key: row.receiver, silence: silenceOf(row) }));

  return [...byReceiver].map(([key, own]): Claim => {
    const [first] = own as [Row];
    const open = begun.get(key) ?? [];
    const begunHere = open.find(({ group }) => first.replaced === null && group === first.group_key);
    const besides = open.filter((each) => each !== begunHere);
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
      rows: own.map(({ id, alert_id, revision }) => ({ id, alertId: alert_id, revision })),
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
      doubt: doubtAbout(own, begunHere),
      ...(besides.length > 0 && { besides }),
      folded: own.some(({ id, group_key }) => before.get(id)?.group_key !== group_key),
    };
  });
}

/**
 * What may stand of a message: what was begun, and what comes from a backup. That shows at least the first revision that
 * waits, and is brought up to date with the others where it is found.
 */
function doubtAbout(rows: readonly Row[], begun: Begun | undefined): Begun | null {
  const doubtful = rows.filter((row) => row.doubtful === 1);
  const [first] = doubtful;
  if (first === undefined) return begun ?? null;
  const revisions = doubtful.toSorted((a, b) => b.revision - a.revision);
  const shown = Object.fromEntries(revisions.map(({ alert_id, revision }) => [alert_id, revision]));
  return {
    group: first.group_key,
    shown: { ...shown, ...begun?.shown },
    unknown: begun?.unknown ?? false,
  };
}
