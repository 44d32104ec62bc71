import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '#src/database/open.ts';
import { openHeldVenue } from '#src/service/archive/held-venue.ts';
import { migrations } from '#src/service/archive/migrations.ts';
import { archiveIn } from '#src/service/archive/open.ts';
import { rememberedArchive } from '#src/service/archive/remembered.ts';
import { startPostgres } from '#test/support/postgres.ts';

const inMemory = async () => ({ fresh: async () => 'file::memory:', stop: async () => {} });
const row = { symbol: 'BTCUSDT', time: 1_000, rate: 0.1 };
const liquidation = { symbol: 'BTCUSDT', time: 5, side: 'LONG', price: 1, quantity: 2 } as const;

/** By the database: a statement after which the name `second` cannot be stored, and one that allows it again. */
const refusals = {
  sqlite: [
    `create trigger refusing before insert on documents when new.json like '%second%'
     begin select raise(abort, 'refused'); end`,
    'drop trigger refusing',
  ],
  postgres: [
    `alter table documents add constraint refusing check (json not like '%second%')`,
    'alter table documents drop constraint refusing',
  ],
} as const;

describe.each([
  ['SQLite', inMemory],
  ['Postgres', startPostgres],
])('the venue of an archive, on %s', (_, startServer) => {
  const open = async () => {
    const server = await startServer();
    const database = await openDatabase<unknown>(await server.fresh(), { migrations });
    const stored = archiveIn(database);
    // As the service opens it.
    const archive = database.dialect === 'sqlite' ? rememberedArchive(stored) : stored;
    onTestFinished(async () => {
      await archive.close();
      await server.stop();
    });
    return { database, archive };
  };

  it('without a name but with markets is the earlier venue', async () => {
    const parts = await open();
    expect((await openHeldVenue(parts, 'old')).name()).toBeUndefined();
    await parts.archive.put('universe', { at: 0 });
    const held = await openHeldVenue(parts, 'old');
    expect([held.name(), held.hasBeenComplete()]).toEqual(['old', true]);
  });

  it('another venue’s markets replace the first one’s, which are kept and can return', async () => {
    const parts = await open();
    const { archive } = parts;
    const held = await openHeldVenue(parts, 'old');
    await held.change('first');
    await archive.write('funding', [row]);
    await archive.writeLiquidations([liquidation]);
    await archive.writeFeed({ feed: 'funding', lastUpdate: 1, problem: null });
    await archive.put('universe', 'of the first');
    await held.markComplete();

    await held.change('second');
    expect([held.name(), held.hasBeenComplete()]).toEqual(['second', false]);
    expect(await archive.latest('funding', 9_999)).toEqual([]);
    expect(await archive.liquidations({ to: 9_999, limit: 9 })).toEqual([]);
    expect(await archive.feeds()).toEqual([]);
    expect(await archive.get('universe')).toBeUndefined();
    await archive.write('funding', [{ ...row, rate: 0.2 }]);
    await archive.writeLiquidations([liquidation, { ...liquidation, time: 6 }]);

    await (await openHeldVenue(parts, 'old')).change('first');
    expect(await archive.latest('funding', 9_999)).toEqual([row]);
    expect(await archive.liquidations({ to: 9_999, limit: 9 })).toEqual([liquidation]);
    expect(await archive.get('universe')).toBe('of the first');
    await (await openHeldVenue(parts, 'old')).change('second');
    expect(await archive.liquidations({ symbol: 'BTCUSDT', to: 9_999, limit: 9 })).toHaveLength(2);
  });

  it('a change whose name cannot be stored changes nothing, and succeeds when it is tried again', async () => {
    const { database, archive } = await open();
    const held = await openHeldVenue({ database, archive }, 'old');
    await held.change('first');
    await archive.write('funding', [row]);

    const [refuse, allow] = refusals[database.dialect];
    await sql.raw(refuse).execute(database.db);
    await expect(held.change('second')).rejects.toThrow();
    expect(held.name()).toBe('first');
    expect((await openHeldVenue({ database, archive }, 'old')).name()).toBe('first');
    expect(await archive.latest('funding', 9_999)).toEqual([row]);

    await sql.raw(allow).execute(database.db);
    await held.change('second');
    expect([held.name(), await archive.latest('funding', 9_999)]).toEqual(['second', []]);
  });
});
