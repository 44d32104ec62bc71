import { type Kysely, type Selectable, sql } from 'kysely';
import type { Silence } from '../../alert/subscription.ts';
import { atOnce } from '../../database/at-once.ts';
import { type Preferences, readerBy } from '../../language/preferences.ts';
import { day } from '../../runtime/units.ts';
import { chosenBy, preferencesIn } from '../places/preferences.ts';
import { type ActiveRow, activeIn, activeQueryOf } from '../places/subscriptions.ts';
import type { BegunPost, Claim, Post } from '../ports.ts';
import { alertOf, readable, reasonOf, receiverOf, silenceOf } from '../rows.ts';
import { isNotPaused } from '../state/settings.ts';
import type { Tables } from '../tables.ts';
import { parseBegun } from './begun-posts.ts';
import { foldEnded, messageOf, ofMessages } from './fold-ended.ts';

type Row = Selectable<Tables['outbox']>;

/**
 * Returns a claim for each of these receivers: all that is due of the message whose turn it is. A receiver without a claim
 * has nothing due, or all sending is paused.
 */
export async function readClaims(db: Kysely<Tables>, keys: readonly string[], now: number): Promise<Claim[]> {
  if (keys.length === 0) return [];
  const waiting = db
    .selectFrom('outbox')
    .selectAll()
    .where('receiver', 'in', keys)
    // `+ 0` keeps the index over `due` from being used, however few rows the database expects: of a broadcast all are due.
    .where(sql<boolean>`due + 0 <= ${now}`)
    .where(isNotPaused)
    .orderBy('due')
    // Among rows of the same time, one that was tried before comes first.
    .orderBy('attempts', 'desc')
    .orderBy('revision')
    .orderBy('id');
  const taken = db.selectFrom('queue').select(['receiver', 'begun']).where('receiver', 'in', keys);
  const [{ rows: due }, { rows: queued }, ...of] = await atOnce(db, [
    waiting,
    taken,
    activeQueryOf(db, keys),
    chosenBy(db, keys),
    interruptionsOf(db, keys, now),
    silencesOf(db, keys, now),
  ]);
  const begun = new Map(queued.map(({ receiver, begun }) => [receiver, parseBegun(begun)]));
  const nextMessages = nextMessagesOf(due, begun);
  const folded = await foldEnded(db, { rows: due, nextMessages, now });
  const rows = folded.filter((row) => nextMessages.get(row.receiver) === messageOf(row));
  if (rows.length === 0) return [];
  const [subscriptionRows, preferenceRows, interruptionRows, silenceRows] = of;
  const interruptions = new Map(
    interruptionRows.rows.map(({ receiver, posts }) => [receiver, Number(posts)]),
  );
  return buildClaims(db, {
    rows,
    begun,
    storedRows: new Map(due.map((row) => [row.id, row])),
    subscriptions: Map.groupBy(subscriptionRows.rows, ({ receiver }) => receiver),
    chosen: preferencesIn(preferenceRows.rows),
    interruptions,
    silences: Map.groupBy(
      readable(silenceRows.rows, (row) => ({ key: row.receiver, silence: silenceOf(row) })),
      ({ key }) => key,
    ),
  });
}

/** Counts the posts that have interrupted each receiver in the last day. */
const interruptionsOf = (db: Kysely<Tables>, keys: readonly string[], now: number) =>
  db
    .selectFrom('delivery')
    .select(['receiver', sql<number>`count(*)`.as('posts')])
    .where('receiver', 'in', keys)
    .where('interrupts', '=', 1)
    // What lies ahead is of a clock that was set back since.
    .where('at', '>', now - day)
    .where('at', '<=', now)
    .groupBy('receiver');

const silencesOf = (db: Kysely<Tables>, keys: readonly string[], now: number) =>
  db
    .selectFrom('silence')
    .selectAll()
    .where('starts_at', '<=', now)
    .where('ends_at', '>', now)
    .where('receiver', 'in', keys);

/**
 * Returns the message whose turn it is, by receiver: first a post that was begun, then urgent alerts, then news, then
 * updates. Edits notify nobody, and must not hold up what does.
 */
function nextMessagesOf(
  rows: readonly Row[],
  begun: ReadonlyMap<string, readonly BegunPost[]>,
): Map<string, string> {
  const rank = ({ receiver, urgent, replaced, revision, group_key }: Row) => {
    if (replaced === null && begun.get(receiver)?.some(({ group }) => group === group_key)) return 0;
    return urgent === 1 ? 1 : replaced === null && revision === 1 ? 2 : 3;
  };
  const firstRows = new Map<string, Row>();
  for (const row of rows) {
    const first = firstRows.get(row.receiver);
    if (first === undefined || rank(row) < rank(first)) firstRows.set(row.receiver, row);
  }
  return new Map([...firstRows].map(([receiver, row]) => [receiver, messageOf(row)]));
}

interface ClaimData {
  readonly rows: readonly Row[];
  readonly begun: ReadonlyMap<string, readonly BegunPost[]>;
  /** The rows as they are stored, by id. */
  readonly storedRows: ReadonlyMap<Row['id'], Row>;
  /** By receiver, as are the fields below. */
  readonly subscriptions: ReadonlyMap<string, readonly ActiveRow[]>;
  readonly chosen: ReadonlyMap<string, Preferences>;
  readonly interruptions: ReadonlyMap<string, number>;
  readonly silences: ReadonlyMap<string, readonly { readonly silence: Silence }[]>;
}

/** Builds the claims, with everything that delivery decides on. Runs one statement per table, not per claim. */
async function buildClaims(
  db: Kysely<Tables>,
  { rows, begun, storedRows, subscriptions, chosen, interruptions, silences }: ClaimData,
): Promise<Claim[]> {
  const byReceiver = Map.groupBy(rows, ({ receiver }) => receiver);
  const due = new Set(rows.map(({ alert_id }) => alert_id));
  const posted = db.selectFrom('post').selectAll().where(ofMessages(rows));
  const [posts, first] = await atOnce(db, [posted, bodies(db, [...due])]);
  const postOf = new Map(
    readable(posts.rows, (post): [string, Post] => [
      `${post.receiver}\n${post.group_key}`,
      { reference: post.reference, shown: JSON.parse(post.shown), unknown: post.unknown === 1 },
    ]),
  );
  const shown = new Set([...postOf.values()].flatMap((post) => Object.keys(post.shown))).difference(due);
  const kept = [...first.rows, ...(shown.size === 0 ? [] : await bodies(db, [...shown]).execute())];
  const alerts = new Map(readable(kept, ({ id, body }) => [id, alertOf(body)] as const));
  const unreadable = kept.map(({ id }) => id).filter((id) => !alerts.has(id));

  return [...byReceiver].map(([key, own]): Claim => {
    const [first] = own as [Row];
    const begunPosts = begun.get(key) ?? [];
    const begunHere = begunPosts.find(({ group }) => first.replaced === null && group === first.group_key);
    const others = begunPosts.filter((each) => each !== begunHere);
    const post = postOf.get(`${key}\n${first.group_key}`);
    const ids = new Set([...Object.keys(post?.shown ?? {}), ...own.map(({ alert_id }) => alert_id)]);
    const { budget, ...reader } = chosen.get(key) ?? {};
    return {
      key,
      receiver: receiverOf(first),
      reader: readerBy(reader),
      interruptions: interruptions.get(key) ?? 0,
      budget,
      group: first.group_key,
      rows: own.map(({ id, alert_id, revision }) => ({ id, alertId: alert_id, revision })),
      alerts: [...ids]
        .flatMap((id) => alerts.get(id) ?? [])
        .sort((a, b) => a.startsAt - b.startsAt || (a.id < b.id ? -1 : 1)),
      unreadable: unreadable.filter((id) => ids.has(id)),
      post,
      replaced: first.replaced,
      subscriptions: activeIn(subscriptions.get(key) ?? []),
      silences: (silences.get(key) ?? []).map(({ silence }) => silence),
      urgent: own.some(({ urgent }) => urgent === 1),
      attempts: Math.max(...own.map(({ attempts }) => attempts)),
      waitedFor: reasonOf(own.find(({ reason }) => reason !== null)?.reason ?? null)?.code ?? null,
      postInDoubt: postInDoubtOf(own, begunHere),
      ...(others.length > 0 && { otherPostsInDoubt: others }),
      folded: own.some(({ id, group_key }) => storedRows.get(id)?.group_key !== group_key),
    };
  });
}

const bodies = (db: Kysely<Tables>, ids: readonly string[]) =>
  db.selectFrom('alert').select(['id', 'body']).where('id', 'in', ids);

/**
 * Returns what a message may show already: the post that was begun, and rows that come from a backup's outbox. Of several
 * revisions of an alert in a backup the first counts, because at least that was sent; the others follow by an edit if the
 * post is found.
 */
function postInDoubtOf(rows: readonly Row[], begun: BegunPost | undefined): BegunPost | null {
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
