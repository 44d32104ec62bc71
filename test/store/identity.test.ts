import { type RawBuilder, sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '#src/database/open.ts';
import { DatabaseLost } from '#src/runtime/errors.ts';
import { migrations } from '#src/store/migrations.ts';
import type { Tables } from '#src/store/tables.ts';
import { receiver, start } from '#test/support/alerts.ts';
import { onStores } from '#test/support/databases.ts';
import { ownFolder } from '#test/support/folder.ts';
import { ownStore } from '#test/support/own-store.ts';

onStores('a database under a running bot', (url, dialect) => {
  const open = async () => {
    const at = dialect === 'sqlite' ? `file:${await ownFolder()}/bot.db` : await url();
    const store = await ownStore(at);
    const other = await openDatabase<Tables>(at, { migrations });
    onTestFinished(() => other.close());
    return { store, other, at };
  };

  it.each<[how: string, statement: RawBuilder<unknown>, undo?: RawBuilder<unknown>]>([
    ['emptied', sql`delete from setting`],
    ['replaced by another one', sql`update setting set value = 'another' where name = 'identity'`],
    ['left without tables', sql`alter table setting rename to gone`, sql`alter table gone rename to setting`],
  ])('that was %s takes no write and says so', async (_, statement, undo) => {
    const { store, other } = await open();
    await store.look();
    expect(store.guard.problem()).toBeNull();
    await statement.execute(other.db);
    // The tables are those of all tests.
    onTestFinished(async () => void (await undo?.execute(other.db)));
    await store.look();
    expect(store.guard.problem()).toMatch(/emptied or replaced .*restore/);
    await expect(store.settings.put('a', 'b')).rejects.toThrow(DatabaseLost);
    const author = { receiver: receiver(), who: 'Ada', person: null, at: start };
    const follow = store.change(author, ({ watchlist }) => watchlist.set(receiver(), ['BTCUSDT']));
    await expect(follow).rejects.toThrow(DatabaseLost);
    await expect(store.leases.take('watch', { owner: 'a', ttl: 1 })).rejects.toThrow(DatabaseLost);
  });

  it('keeps its id over restarts', async () => {
    const { store, at } = await open();
    const again = await ownStore(at);
    await again.look();
    await store.look();
    expect([store.guard.problem(), again.guard.problem()]).toEqual([null, null]);
  });
});
