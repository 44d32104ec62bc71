import { hash } from 'node:crypto';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteQueryCompiler,
} from 'kysely';
import { expect, test } from 'vitest';
import type { Dialect } from '#src/database/database.ts';
import { migrations as archive } from '#src/service/archive/migrations.ts';
import { migrations as bot } from '#src/store/migrations.ts';

/**
 * The migrations that have run on people's databases, with the hash of their statements: none may be renamed, reordered or
 * changed. A new one is added at the end, with a name that sorts after all others, because a database that has run a later
 * name refuses an earlier one.
 */
const frozen: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'bot sqlite': { 'bot 1.0': '8d1bcf9a460be480' },
  'bot postgres': { 'bot 1.0': 'b92569ea2acb58cd' },
  'archive sqlite': { 'archive 1.0': '8aa4ed59e5553678' },
  'archive postgres': { 'archive 1.0': '4b84f7df0530c4bf' },
};

/** Returns the hash of the statements that a migration runs on a new database. Spaces do not count. */
async function hashOf(which: typeof bot, name: string, dialect: Dialect): Promise<string> {
  const statements: string[] = [];
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => (dialect === 'sqlite' ? new SqliteAdapter() : new PostgresAdapter()),
      createDriver: () => new DummyDriver(),
      createIntrospector: () => {
        throw new Error('a migration looks at no table');
      },
      createQueryCompiler: () =>
        dialect === 'sqlite' ? new SqliteQueryCompiler() : new PostgresQueryCompiler(),
    },
    log: ({ query }) => void statements.push(query.sql.replaceAll(/\s+/g, ' ').trim()),
  });
  await which(dialect)[name]?.up(db);
  expect(statements.length).toBeGreaterThan(0);
  return hash('sha256', statements.join(';\n')).slice(0, 16);
}

test.each(Object.entries(frozen))(
  'the migrations of the %s database are those that have run',
  async (key, known) => {
    const [name, dialect] = key.split(' ') as ['bot' | 'archive', Dialect];
    const which = { bot, archive }[name];
    const names = Object.keys(which(dialect));
    expect(names).toEqual(names.toSorted());
    const hashes = await Promise.all(names.map(async (each) => [each, await hashOf(which, each, dialect)]));
    expect(Object.fromEntries(hashes)).toEqual(known);
  },
);
