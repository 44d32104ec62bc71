import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { openSqlite } from '#src/database/sqlite.ts';

const { prepare } = DatabaseSync.prototype;

test.each([1, 2])('a statement with a limit is planned once, and returns %i rows of three', async (limit) => {
  let opened: DatabaseSync | undefined;
  vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, text: string) {
    opened = this;
    return prepare.call(this, text);
  });
  const { db, close } = openSqlite<{ number: { value: number } }>(':memory:', 'write');
  await db.schema.createTable('number').addColumn('value', 'integer').execute();
  const three = [1, 2, 3].map((value) => ({ value }));
  await db.insertInto('number').values(three).execute();
  const ask = async () => [
    await db.selectFrom('number').select('value').orderBy('value').limit(limit).execute(),
    (await sql`select value from number order by value LIMIT ${limit}`.execute(db)).rows,
  ];
  // SQLite calls the authorizer when it plans a statement, including statements planned before the authorizer was set.
  const authorize = vi.fn(() => 0);
  opened?.setAuthorizer(authorize);
  await ask();
  expect(authorize).toHaveBeenCalled();
  authorize.mockClear();
  const first = three.slice(0, limit);
  expect(await ask()).toEqual([first, first]);
  expect(authorize).not.toHaveBeenCalled();
  await close();
});
