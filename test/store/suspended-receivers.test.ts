import { expect, test } from 'vitest';
import { plainAddresses } from '#src/alert/subscription.ts';
import { openDatabase } from '#src/database/open.ts';
import { day } from '#src/runtime/units.ts';
import { migrations } from '#src/store/migrations.ts';
import { subscriptions } from '#src/store/places/subscriptions.ts';
import { endLongSuspended, suspend, wake } from '#src/store/queue/suspended-receivers.ts';
import type { Tables } from '#src/store/tables.ts';
import { receiver, start, subscription } from '#test/support/alerts.ts';

test('a place that is back at the last moment keeps what it has', async () => {
  await using opened = new AsyncDisposableStack();
  const database = await openDatabase<Tables>('file::memory:', { migrations });
  opened.defer(() => database.close());
  const { transaction } = database;
  const [gone, back] = [receiver('gone'), receiver('back')];
  const { add, of } = subscriptions(database, { newId: () => crypto.randomUUID(), ...plainAddresses });
  for (const each of [gone, back]) {
    await add(subscription({ receiver: each }));
    await transaction((trx) => suspend(trx, { receiver: each, at: start, wall: 0, reason: 'removed' }));
  }
  await endLongSuspended(
    {
      db: database.db,
      async transaction(work) {
        await transaction((trx) => wake(trx, { receiver: back, at: start }));
        return transaction(work);
      },
    },
    30 * day,
    start,
  );
  expect(await of(gone)).toEqual([]);
  expect(await of(back)).toHaveLength(1);
});
