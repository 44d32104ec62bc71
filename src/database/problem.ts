import { randomUUID } from 'node:crypto';
import { accessSync, constants, existsSync, lstatSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { ConfigError } from '../runtime/errors.ts';
import type { Database, Migrations } from './database.ts';
import { cannotOpen, isFull, lacksSpace, noSpace } from './file.ts';
import { appliedMigrations, tableNames } from './upgrade.ts';

/**
 * Returns why a SQLite file cannot be used, as far as its path shows; null if no problem is found.
 * @param onlyRead whether nothing is written to it
 */
export function filePathProblem(
  path: string,
  { onlyRead = false }: { readonly onlyRead?: boolean } = {},
): ConfigError | null {
  const file = resolve(path);
  const impossible = impossibleProblem(file);
  if (impossible !== undefined) return new ConfigError([`${file} ${impossible}`]);
  let place = file;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  const isFolder = statSync(place).isDirectory();
  if (isFolder && place === file)
    return new ConfigError([`${file} is a folder: give the path of a file in it`]);
  if (!isFolder && place !== file)
    return new ConfigError([`${place} is a file, not a folder: choose another path than ${file}`]);
  if (onlyRead) return null;
  // SQLite and Tocsin create other files beside it: -wal, -shm, -lock.
  for (const written of new Set([place, isFolder ? place : dirname(place)])) {
    try {
      accessSync(written, constants.W_OK);
      // Permissions alone do not show it: a disk may be full, and root seems to be permitted everything.
      if (written === file) continue;
      rmdirSync(mkdtempSync(join(written, '.tocsin-check-')));
      if (isFull(written)) return noSpace(file);
    } catch (cause) {
      if (lacksSpace(cause)) return cannotOpen(file, cause);
      return new ConfigError(
        [
          `${written} is not writable: give the user who runs Tocsin write permission there, or choose another file`,
        ],
        { cause },
      );
    }
  }
  return null;
}

/** Errors of a path of which nothing will ever exist, and why. */
const impossiblePaths: Readonly<Record<string, string>> = {
  ENAMETOOLONG: 'is too long for a path: choose a shorter one',
  ELOOP: 'leads to itself by its links: choose another one',
  ERR_INVALID_ARG_VALUE: 'is no path: choose another one',
};

/** Returns why no file can be at a path, whoever may write there; the rest of a sentence. Undefined: one can. */
function impossibleProblem(file: string): string | undefined {
  try {
    const found = statSync(file);
    return found.isFile() || found.isDirectory() ? undefined : 'is no ordinary file: choose another one';
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' || !isLink(file)) return impossiblePaths[code];
    return 'is a link that leads nowhere: create what it names, or choose another one';
  }
}

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** Returns whether two URLs name the same database, whichever user they name. */
export function sameDatabase(one: string, other: string): boolean {
  const named = (url: string): string => {
    if (url.startsWith('file:'))
      return url === 'file::memory:' ? randomUUID() : resolve(url.slice('file:'.length));
    const parsed = URL.parse(url);
    return parsed === null
      ? url
      : `${parsed.hostname}:${parsed.port || 5_432}${parsed.pathname}${parsed.search}`;
  };
  return named(one) === named(other);
}

/**
 * Returns why a database does not fit these migrations, or cannot be made to; `problem` is the rest of a sentence that
 * begins with the database's name. `empty`: none of the migrations was applied.
 */
export async function contentProblem<Tables>(
  { db, dialect }: Pick<Database<Tables>, 'db' | 'dialect'>,
  migrations: Migrations,
): Promise<{ readonly problem: string | null; readonly empty: boolean }> {
  const names = await tableNames({ db, dialect });
  // A first start that was killed may have created only the migrator's own two tables.
  const foreignTables = names.filter((name) => !name.startsWith('kysely_migration'));
  const applied = await appliedMigrations({ db }, names);
  const known = applied.filter((name) => name in migrations);
  const found = (problem: string | null) => ({ problem, empty: known.length === 0 });
  if (known.length === 0 && foreignTables.length > 0)
    return found(
      `belongs to something else (it has a table "${foreignTables[0]}"): the bot and the data service each need a database of their own`,
    );
  if (known.length < applied.length)
    return found('was last used by a newer Tocsin: run that version, or choose another database');
  const isUpToDate = known.length === Object.keys(migrations).length;
  return found(isUpToDate || dialect === 'sqlite' || (await mayCreate(db)) ? null : noTables);
}

const noTables =
  'does not let this user create tables: run GRANT CREATE ON SCHEMA public TO the user, or make it the owner of the database';

/**
 * Returns whether this user may create tables. Since Postgres 15 only the owner of a database may, unless the right is
 * granted.
 */
async function mayCreate<Tables>(db: Kysely<Tables>): Promise<boolean> {
  const asked = sql<{ may: boolean | null }>`select has_schema_privilege(current_schema(), 'CREATE') as may`;
  return (await asked.execute(db)).rows[0]?.may === true;
}
