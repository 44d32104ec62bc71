import { resolve } from 'node:path';
import { sql } from 'kysely';
import type { Database, Dialect, Migrations } from '../../database/database.ts';
import { lockFile } from '../../database/lock.ts';
import { moveRows } from '../../database/move.ts';
import { openDatabase } from '../../database/open.ts';
import { asInput } from '../../runtime/arguments.ts';
import { ConfigError, InputError } from '../../runtime/errors.ts';
import { makeHypertables } from '../../service/archive/hypertables.ts';
import { migrations as archiveTables } from '../../service/archive/migrations.ts';
import { migrations as botTables } from '../../store/migrations.ts';
import { inUseBy } from '../../store/state/doubtful.ts';
import type { Tables } from '../../store/tables.ts';
import type { Config } from '../config/config.ts';
import { requireTocsinDatabase } from './backup.ts';

interface MigrateCommand {
  readonly config: Pick<Config, 'database' | 'data'>;
  /** URL of the Postgres database to move the bot's database to. Undefined: only the archive is moved. */
  readonly to: string | undefined;
  /** URL of the Postgres database to move the archive to. Undefined: only the bot's database is moved. */
  readonly archiveTo: string | undefined;
  /** Rows per transaction. Default: that of `moveRows`. */
  readonly rows?: number;
  print(text: string): Promise<void>;
}

interface Part {
  readonly what: string;
  readonly option: string;
  /** The environment variable that names the database. */
  readonly variable: string;
  readonly from: string;
  readonly to: string;
  readonly migrations: (dialect: Dialect) => Migrations;
}

/** Lists the databases to move. @throws InputError if none is named, ConfigError */
function parts({ config, to, archiveTo }: MigrateCommand): Part[] {
  const all = [
    ...(to === undefined
      ? []
      : [
          {
            what: 'the bot’s database',
            option: '--to',
            variable: 'TOCSIN_DATABASE_URL',
            migrations: botTables,
            from: config.database,
            to,
          },
        ]),
    ...(archiveTo === undefined
      ? []
      : [
          {
            what: 'the archive',
            option: '--archive-to',
            variable: 'TOCSIN_ARCHIVE_URL',
            migrations: archiveTables,
            from: config.data.embedded.archive,
            to: archiveTo,
          },
        ]),
  ];
  if (all.length === 0)
    throw new InputError('Say where to: -- --to postgres://…, --archive-to postgres://… or both');
  if (to !== undefined && to === archiveTo)
    throw new InputError('The bot and the data service each need a database of their own: name two');
  return all;
}

/**
 * Moves databases from SQLite to Postgres while no process uses them. The SQLite files stay as they are and must not be used
 * again. If the move was interrupted, the same command continues where it stopped. What waits to be sent waits in Postgres,
 * with the same marks of doubt. @throws InputError, ConfigError
 */
export async function runMigrate(command: MigrateCommand): Promise<void> {
  for (const part of parts(command)) await movePart(part, command);
}

async function movePart(
  { what, option, variable, from, to, migrations }: Part,
  { print, rows }: MigrateCommand,
) {
  const path = pathOf(from, variable);
  if (!/^postgres(ql)?:\/\//.test(to))
    throw new InputError(`${option}: ${what} goes to Postgres; give a URL that begins with postgres://`);
  await requireTocsinDatabase(path, { migrations });
  const lock = lockFile(path);
  try {
    await requireTocsinDatabase(path, {
      migrations,
      inside: (database) => outdatedProblem(database, migrations('sqlite')),
    });
    const checkUnused = async (database: Database<Tables>) => {
      const owner = migrations === botTables ? await inUseBy(database) : undefined;
      if (owner !== undefined)
        throw new ConfigError([`The Postgres database is in use by ${owner}: stop every bot on it first`]);
    };
    const target = await asInput(() =>
      openDatabase<Tables>(to, { migrations, moving: true, beforeUpgrade: checkUnused }),
    );
    try {
      // Tables become hypertables while they are empty.
      if (migrations === archiveTables) await makeHypertables(target as Database<unknown>);
      const total = { tables: 0, rows: 0 };
      const moved = await moveRows({
        from: path,
        to: target as Database<unknown>,
        ...(rows !== undefined && { rows }),
        checkUnused: () => checkUnused(target),
        async onTable(table) {
          total.tables += 1;
          total.rows += table.rows;
          await print(`  ${table.name}: ${table.rows} rows, checksum ${table.sum.slice(0, 12)}\n`);
        },
      });
      await print(
        moved
          ? `${what}: ${total.rows} rows of ${total.tables} tables are in Postgres, each table alike there by its count and checksum\n`
          : `${what} is in Postgres already, each table alike there by its count and checksum\n`,
      );
      const warning =
        migrations === botTables ? `; a bot on ${path} would send what waits there once more` : '';
      await print(`Set ${variable} to that database${warning}\n`);
    } finally {
      await target.close();
    }
  } finally {
    lock.release();
  }
}

/** Returns the path of a SQLite database. @throws ConfigError with what to do instead for any other database */
function pathOf(url: string, variable: string): string {
  if (url === 'file::memory:') throw new ConfigError(['A database in memory cannot be moved.']);
  if (url.startsWith('file:')) return resolve(url.slice('file:'.length));
  throw new ConfigError([
    `${variable} names Postgres already: set it to the SQLite file that is to be moved`,
  ]);
}

/** Returns a problem if the tables are not up to date. They are not upgraded here because the source must not be changed. */
async function outdatedProblem({ db }: Database<unknown>, migrations: Migrations): Promise<string | null> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.length === Object.keys(migrations).length
    ? null
    : 'It was last used by an older Tocsin: start this version on it once, and stop it again';
}
