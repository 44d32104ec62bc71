import { sql } from 'kysely';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { openDatabase, openToRead } from '#src/database/open.ts';
import { openPostgres } from '#src/database/postgres.ts';
import { LostRole } from '#src/runtime/role.ts';
import { migrations } from '#src/store/migrations.ts';
import { openStore } from '#src/store/open.ts';
import { firing, receiver, start } from '#test/support/alerts.ts';
import { describeWith } from '#test/support/needs.ts';
import { throughPgBouncer } from '#test/support/pgbouncer.ts';
import { type Server, startPostgres } from '#test/support/postgres.ts';
import { claimsOf, enqueued } from '#test/support/posting.ts';

describeWith('PgBouncer', 'through PgBouncer in transaction mode', () => {
  let postgres: Server;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  const url = async () => throughPgBouncer(await postgres.fresh());

  it('several processes starting at once create the tables once, and leave no lock behind', async () => {
    const at = await url();
    for (let start = 0; start < 2; start += 1) {
      const opened = await Promise.all([1, 2, 3, 4].map(() => openDatabase(at, { migrations })));
      for (const database of opened) await database.close();
    }
  });

  it('the server ends a statement that takes too long, and its timeout does not leak to other clients', async () => {
    const { db, transaction, close } = await openPostgres(await url(), {
      access: 'write',
      timeouts: { statement: 200, silence: 5_000 },
    });
    onTestFinished(close);
    await expect(transaction((trx) => sql`select pg_sleep(20)`.execute(trx))).rejects.toThrow(
      /statement timeout/,
    );
    const { rows } = await sql`show statement_timeout`.execute(db);
    expect(rows).toEqual([{ statement_timeout: '0' }]);
  });

  it('one client reads what another has written, and roles, outbox and fencing work as usual', async () => {
    const at = await url();
    const [one, other] = [await openStore(at), await openStore(at)];
    onTestFinished(async () => {
      await one.close();
      await other.close();
    });
    const lease = await one.leases.take('deliver:web', { owner: 'one', ttl: 60_000 });
    if (lease === null) throw new Error('the role is not free');
    expect(await other.leases.take('deliver:web', { owner: 'other', ttl: 60_000 })).toBeNull();
    for (const n of [1, 2, 3, 4])
      await enqueued(n % 2 === 0 ? one : other, firing({ symbol: `S${n}USDT` }), receiver(n));
    const [claim] = await claimsOf(other, { now: start, count: 1 });
    if (claim === undefined) throw new Error('nothing is due');
    const own = one.under(lease);
    const post = { group: claim.group, shown: {}, unknown: false };
    expect(await own.outbox.settle([{ kind: 'begun', claim, at: start, post }])).toEqual(new Set());
    await one.leases.renew(lease, -1);
    await other.leases.take('deliver:web', { owner: 'other', ttl: 60_000 });
    const sent = { kind: 'sent', claim, at: start, reference: 'm1', shown: {}, note: null } as const;
    await expect(own.outbox.settle([sent])).rejects.toThrow(LostRole);
    const reading = await openToRead(at);
    onTestFinished(() => reading.close());
    expect(
      (await sql`select begun from queue where begun is not null`.execute(reading.db)).rows,
    ).toHaveLength(1);
  });
});
