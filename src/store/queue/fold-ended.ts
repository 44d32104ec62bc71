import type { ExpressionBuilder, Kysely, Selectable } from 'kysely';
import { digestTime, endedUnsentGroup } from '../../alert/post-group.ts';
import type { RowId } from '../ports.ts';
import { reasonOf } from '../rows.ts';
import type { Tables } from '../tables.ts';
import { parseBegun } from './begun-posts.ts';

type Row = Selectable<Tables['outbox']>;

/**
 * Returns a key for the message that a row belongs to. Rows of one message are claimed together. The current message of a
 * group is one, and each message that it has replaced is another.
 */
export const messageOf = ({ group_key, replaced }: Pick<Row, 'group_key' | 'replaced'>): string =>
  JSON.stringify([group_key, replaced]);

/**
 * Makes one post of all alerts that began and ended before they could be sent, for each receiver whose next message is
 * about such an alert. `nextMessages` (receiver → message) and the returned rows get the group of that post. The
 * database follows when the post is begun, so that another attempt makes the same post.
 */
export async function foldEnded(
  db: Kysely<Tables>,
  {
    rows,
    nextMessages,
    now,
  }: { readonly rows: readonly Row[]; readonly nextMessages: Map<string, string>; readonly now: number },
): Promise<Row[]> {
  const foldable = [...Map.groupBy(rows.filter(isFoldable), ({ receiver }) => receiver).values()]
    .filter((own) => groupsOf(own).size > 1)
    .flat();
  if (foldable.length === 0) return [...rows];
  const unfoldable = await unfoldableAmong(db, foldable, now);
  const group = endedUnsentGroup(now);
  const folded = new Set<RowId>();
  for (const [receiver, own] of Map.groupBy(foldable, (row) => row.receiver)) {
    const ended = own.filter(
      ({ group_key }) => !unfoldable.has(group_key) && !unfoldable.has(groupAtReceiver(receiver, group_key)),
    );
    const isNext = ended.some((row) => nextMessages.get(receiver) === messageOf(row));
    if (!isNext || groupsOf(ended).size < 2) continue;
    nextMessages.set(receiver, messageOf({ group_key: group, replaced: null }));
    for (const { id } of ended) folded.add(id);
  }
  if (folded.size === 0) return [...rows];
  return rows.map((row) => (folded.has(row.id) ? { ...row, group_key: group } : row));
}

const groupsOf = (rows: readonly Row[]): Set<string> => new Set(rows.map(({ group_key }) => group_key));
const groupAtReceiver = (receiver: string, group: string): string => `${receiver}\n${group}`;

/** Returns the condition for the posts of the receivers and groups of these rows. */
export const ofMessages =
  (rows: readonly Pick<Row, 'receiver' | 'group_key'>[]) =>
  ({ eb, refTuple, tuple }: ExpressionBuilder<Tables, 'post'>) =>
    eb(
      refTuple('receiver', 'group_key'),
      'in',
      rows.map(({ receiver, group_key }) => tuple(receiver, group_key)),
    );

/**
 * Returns the groups that must not be joined: groups that go on or of which more is on its way and, by `groupAtReceiver`,
 * groups that a receiver was or may have been told of, or of which more is due to it later.
 */
async function unfoldableAmong(
  db: Kysely<Tables>,
  rows: readonly Row[],
  now: number,
): Promise<ReadonlySet<string>> {
  const groups = [...groupsOf(rows)];
  const receivers = [...new Set(rows.map(({ receiver }) => receiver))];
  const ongoing = db
    .selectFrom('alert')
    .select('group_key')
    .where('group_key', 'in', groups)
    .where('ends_at', 'is', null);
  const onItsWay = db.selectFrom('dispatch').select('group_key').where('group_key', 'in', groups);
  const posted = db.selectFrom('post').select(['receiver', 'group_key']).where(ofMessages(rows));
  const later = db
    .selectFrom('outbox')
    .select(['receiver', 'group_key'])
    .where('receiver', 'in', receivers)
    .where('group_key', 'in', groups)
    .where('due', '>', now);
  const begun = db
    .selectFrom('queue')
    .select(['receiver', 'begun'])
    .where('receiver', 'in', receivers)
    .where('begun', 'is not', null);
  return new Set([
    ...(await ongoing.union(onItsWay).execute()).map(({ group_key }) => group_key),
    ...(await posted.union(later).execute()).map(({ receiver, group_key }) =>
      groupAtReceiver(receiver, group_key),
    ),
    ...(await begun.execute()).flatMap(({ receiver, begun }) =>
      parseBegun(begun).map(({ group }) => groupAtReceiver(receiver, group)),
    ),
  ]);
}

/**
 * Returns whether a row may be joined with others. A digest is one post already. A post that may have arrived is looked for
 * as what it was. What waited for quiet hours to end is not sent at all if it is over by then.
 */
const isFoldable = ({ group_key, replaced, reason, doubtful }: Row): boolean =>
  replaced === null &&
  doubtful === 0 &&
  digestTime(group_key) === undefined &&
  reasonOf(reason)?.code !== 'quiet_hours';
