import { beforeAll, expect, it } from 'vitest';
import { openStore } from '#src/store/open.ts';
import { query, startPostgres } from '#test/support/postgres.ts';

let url: string;
beforeAll(async () => {
  const server = await startPostgres();
  url = await server.fresh();
  await (await openStore(url)).close();
  const before = await query(
    url,
    'select from outbox union all select from queue union all select from post',
  );
  if (before.length > 0) throw new Error('the tables of a new store are not empty');
  // The server may do this by itself at any time: from then on it assumes that the tables are empty.
  await query(url, 'analyze outbox, queue, post');
  await query(url, broadcast);
  return () => server.stop();
});

/** A broadcast that is half sent. The server has not analysed these rows yet. */
const broadcast = `
  insert into outbox (receiver, notifier, address, group_key, alert_id, revision, urgent, due)
    select 'r' || n, 'discord', '{}', 'g', 'a', 1, 0, 0 from generate_series(1, 60000) as n;
  insert into queue (receiver, notifier, urgency, ready) select receiver, notifier, 1, 0 from outbox;
  insert into post (receiver, group_key, reference, shown, unknown, updated_at)
    select 's' || n, 'g', '1', '{}', 0, 0 from generate_series(1, 60000) as n`;
const few = "array(select 'r' || n from generate_series(1, 64) as n)";

it.each([
  ['what waits', `select * from outbox where receiver = any(${few}) and due + 0 <= 0`, 'outbox_once'],
  ['whose turn it is', `select * from queue where receiver = any(${few})`, 'queue_pkey'],
  [
    'what stands',
    `select * from post where (receiver, group_key) in (select * from unnest(${few}, array_fill('g'::text, array[64])))`,
    'post_pk',
  ],
])(
  'on Postgres %s is found by its index, even if the server last saw the tables empty',
  async (_, asked, index) => {
    const plan = await query(url, `explain ${asked}`);
    const text = plan.map((line) => Object.values(line).join()).join('\n');
    expect(text).toContain(index);
    expect(text).not.toMatch(/Seq Scan on|outbox_due|post_group/);
  },
);
