import { type Kysely, sql } from 'kysely';
import type { Addresses } from '../../alert/subscription.ts';
import type { Database } from '../../database/database.ts';
import type { Outbox } from '../ports.ts';
import type { Tables } from '../tables.ts';
import { readClaims } from './claim.ts';
import { endLagging } from './end-lagging.ts';
import { endUnserved } from './end-unserved.ts';
import { lockReceivers, next, queued, recover, requeue } from './queue.ts';
import { settle } from './settle.ts';

export interface OutboxOptions extends Pick<Addresses, 'accountOf'> {
  /** Token of the lease under which messages are delivered; 0 without a lease. */
  readonly token: number;
}

export const outbox = (
  { db, dialect, transaction, sync }: Database<Tables>,
  { token, accountOf }: OutboxOptions,
): Outbox => ({
  next: (options) => next(db, options),
  queued: (keys, now) => queued(db, { keys, now }),

  async look(keys, now) {
    const claims = await readClaims(db, keys, now);
    const withoutClaim = new Set(keys).difference(new Set(claims.map(({ key }) => key)));
    // Market time has gone back, what was due has been deleted, or sending is paused: these receivers get their turn when
    // something is due and may be sent.
    if (withoutClaim.size > 0)
      await transaction(async (trx) => {
        await lockReceivers(trx, [...withoutClaim], dialect);
        await requeue(trx, { receivers: [...withoutClaim], now: 0, begun: 'open' });
      });
    return claims;
  },

  async settle(settlements, again = false) {
    const lostClaims = await transaction((trx) =>
      settle(trx, { given: settlements, dialect, token, accountOf, again }),
    );
    // After a power cut, a post whose beginning was not kept would be sent again, and nobody would look for it.
    if (settlements.some((each) => each.kind === 'begun' && each.post !== null)) await sync();
    return lostClaims;
  },

  recover: (notifier) => transaction((trx) => recover(trx, { notifier, token })),

  endLagging: (now) => transaction((trx) => endLagging(trx, now)),

  endUnserved: (notifiers, { before, now }) =>
    transaction((trx) => endUnserved(trx, { notifiers, before, now })),

  backlog: () => backlog(db),
});

/** The most rows that are counted. Beyond that the number does not matter, and to count a million rows takes long. */
const maxCounted = 10_000;

/** Returns what waits, without what waits for a suspended place: that is not late. */
async function backlog(db: Kysely<Tables>) {
  const late = db
    .selectFrom('outbox')
    .select('due')
    .where('receiver', 'not in', (rest) => rest.selectFrom('rest').select('rest.receiver'))
    .orderBy('due');
  const first = await late.limit(1).executeTakeFirst();
  const { found } = await db
    .selectFrom(late.limit(maxCounted + 1).as('late'))
    .select(sql<number>`count(*)`.as('found'))
    .executeTakeFirstOrThrow();
  const more = Number(found) > maxCounted;
  return { waiting: more ? maxCounted : Number(found), ...(more && { more }), oldest: first?.due ?? null };
}
