import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { sql } from 'kysely';
import type { Database, Migrations } from './database.ts';

/** Why a SQLite file cannot be used, as far as its place tells; null: nothing stands in the way. */
export function placeProblem(path: string): string | null {
  const file = resolve(path);
  let place = file;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  const isFolder = statSync(place).isDirectory();
  if (isFolder && place === file) return `${file} is a folder: give the path of a file in it`;
  if (!isFolder && place !== file) return `${place} is a file, and no folder for ${file}`;
  try {
    accessSync(place, constants.W_OK);
    return null;
  } catch {
    return `${place} cannot be written: give the user who runs Tocsin write permission, or choose another file`;
  }
}

/** Why a database is not one for these migrations: somebody else's tables, or a newer Tocsin's. Null: it is, or empty. */
export async function contentProblem(
  { db, dialect }: Database<unknown>,
  migrations: Migrations,
): Promise<string | null> {
  const tables =
    dialect === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
      : sql<{ name: string }>`select table_name as name from information_schema.tables
          where table_schema = current_schema() and table_type = 'BASE TABLE'`;
  const names = (await tables.execute(db)).rows.map(({ name }) => name);
  // A first start that was killed may have got no further than the migrator's own two tables.
  const strange = names.filter((name) => !name.startsWith('kysely_migration'));
  const applied = names.includes('kysely_migration')
    ? (await sql<{ name: string }>`select name from kysely_migration`.execute(db)).rows
    : [];
  const known = applied.filter(({ name }) => name in migrations);
  if (known.length === 0 && strange.length > 0)
    return `it holds something else (a table "${strange[0]}"); the bot and the data service need a database each, with nothing else in it`;
  return known.length < applied.length
    ? 'it was last used by a newer Tocsin: run that one, or choose another database'
    : null;
}
