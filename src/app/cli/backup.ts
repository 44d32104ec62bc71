import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { copyDatabase, type FinishedCopy, moveDatabase } from '../../database/backup.ts';
import { copyRows, requireNoRows } from '../../database/copy-rows.ts';
import type { Database, Dialect, Migrations } from '../../database/database.ts';
import { lockFile } from '../../database/lock.ts';
import { databaseProblem, openDatabase } from '../../database/open.ts';
import { filePathProblem } from '../../database/problem.ts';
import { asInput } from '../../runtime/arguments.ts';
import { ConfigError, InputError } from '../../runtime/errors.ts';
import { iso } from '../../runtime/units.ts';
import { makeHypertables } from '../../service/archive/hypertables.ts';
import { migrations as archiveTables } from '../../service/archive/migrations.ts';
import { migrations as botTables } from '../../store/migrations.ts';
import { inUseBy, markAllInDoubt } from '../../store/state/doubtful.ts';
import type { Tables } from '../../store/tables.ts';
import type { Config } from '../config/config.ts';

interface BackupCommand {
  readonly config: Pick<Config, 'database' | 'data'>;
  /** Path of the copy of the bot's database. Undefined: only the archive is meant. */
  readonly file: string | undefined;
  /** Path of the copy of the embedded data service's archive. Undefined: only the bot's database is meant. */
  readonly archive: string | undefined;
  print(text: string): Promise<void>;
}

interface RestoreCommand extends BackupCommand {
  /** Copies nothing, but marks what waits in the bot's database, which was restored by other means, as doubtful. */
  readonly mark: boolean;
  /** Wall ms. */
  readonly now: number;
}

interface Part {
  readonly what: string;
  readonly url: string;
  /** Path of the copy. */
  readonly file: string;
  readonly migrations: (dialect: Dialect) => Migrations;
}

/**
 * Lists the databases to copy, the bot's first: if the copy of the archive is newer than that of the bot's database, nothing
 * is missing. @throws InputError if none is named, ConfigError
 */
function listParts({ config, file, archive }: BackupCommand): Part[] {
  const { database, data } = config;
  const all = [
    ...(file === undefined
      ? []
      : [{ what: 'the bot’s database', url: database, file, migrations: botTables }]),
    ...(archive === undefined
      ? []
      : [{ what: 'the archive', url: data.embedded.archive, file: archive, migrations: archiveTables }]),
  ];
  if (all.length === 0) throw new InputError('No file is named: give -- FILE, --archive FILE or both');
  const places = all.flatMap(({ url, file: copy }) => [isFile(url) ? pathOf(url) : url, resolve(copy)]);
  if (new Set(places).size < places.length)
    throw new InputError('A backup needs a file of its own: name another one');
  return all;
}

const isFile = (url: string): boolean => url.startsWith('file:');

/** Returns the path of a SQLite database. @throws ConfigError with what to do instead for any other database */
function pathOf(url: string): string {
  if (url === 'file::memory:') throw new ConfigError(['A database in memory has no backup.']);
  if (url.startsWith('file:')) return resolve(url.slice('file:'.length));
  throw new ConfigError([
    'Postgres has its own: pg_dump --format=custom --exclude-table-data=connection --file=FILE "$TOCSIN_DATABASE_URL", and after pg_restore "npm run restore -- --mark"',
  ]);
}

/** Copies databases, whether the bot is running or not. @throws InputError, ConfigError */
export async function runBackup(command: BackupCommand): Promise<void> {
  for (const { what, url, file, migrations } of listParts(command)) {
    const from = pathOf(url);
    await requireTocsinDatabase(from, { migrations });
    await asInput(() => throwIfProblem(filePathProblem(file)));
    using copy = await copyDatabase(from, file);
    copy.putInPlace();
    await command.print(`${what} is in ${file}\n`);
  }
}

/**
 * Puts copies in place of the databases, which no process may use. A SQLite file that is replaced is kept beside the new one; a
 * Postgres database must be empty. Posts that wait in the restored bot's database are marked as doubtful: they may have been
 * sent since the copy was made.
 * @throws InputError, ConfigError
 */
export async function runRestore(command: RestoreCommand): Promise<void> {
  const { config, mark, print } = command;
  if (mark) {
    if (command.file !== undefined || command.archive !== undefined)
      throw new InputError('--mark goes with no file: it marks what waits in the database that is there');
    if (isFile(config.database))
      await requireTocsinDatabase(pathOf(config.database), { migrations: botTables });
    return print(doubtText(await markDoubtful(config.database, { alone: true })));
  }
  await using held = new AsyncDisposableStack();
  // The databases belong together: none is replaced unless all can be.
  const targets: { readonly part: Part; readonly put: (copy: FinishedCopy) => Promise<string> }[] = [];
  for (const part of listParts(command)) {
    await asInput(() => requireTocsinDatabase(resolve(part.file), { migrations: part.migrations }));
    const target = isFile(part.url) ? fileTarget(part, command, held) : await postgresTarget(part, held);
    targets.push({ part, put: target });
  }
  const copies: (() => Promise<string>)[] = [];
  for (const { part, put } of targets) {
    let doubtful = '';
    const copy = await copyDatabase(
      part.file,
      isFile(part.url) ? pathOf(part.url) : `${resolve(part.file)}.restoring`,
      async (path) => {
        if (part.migrations === botTables) doubtful = doubtText(await markDoubtful(`file:${path}`));
        else await (await openDatabase(`file:${path}`, part)).close();
      },
    );
    held.use(copy);
    copies.push(async () => `${part.what} is ${part.file} again${await put(copy)}\n${doubtful}`);
  }
  for (const put of copies) await print(await put());
}

/** Locks a SQLite file. Returns the function that puts a copy in its place, and says what became of the file. */
function fileTarget({ url }: Part, { now }: RestoreCommand, held: AsyncDisposableStack) {
  const to = pathOf(url);
  throwIfProblem(filePathProblem(to));
  held.adopt(lockFile(to), async (lock) => lock.release());
  return async (copy: FinishedCopy): Promise<string> => {
    const replacedPath = `${to}.before-${iso(now).replaceAll(/[:.]/g, '-')}`;
    const keptText = existsSync(to) ? `; what stood there is ${replacedPath}` : '';
    copy.putInPlace(() => moveDatabase(to, replacedPath));
    return keptText;
  };
}

/** Opens an empty Postgres database. Returns the function that fills it with a copy's rows, and says with how many. */
async function postgresTarget({ url, migrations }: Part, held: AsyncDisposableStack) {
  const database = await openDatabase<Tables>(url, { migrations, beforeUpgrade: requireUnused });
  held.defer(() => database.close());
  const target = database as Database<unknown>;
  // Tables become hypertables while they are empty.
  await requireNoRows(target);
  if (migrations === archiveTables) await makeHypertables(target);
  return async (copy: FinishedCopy): Promise<string> => {
    const rows = await copyRows(copy.path, target);
    return `, with ${rows.toLocaleString('en-US')} rows in Postgres`;
  };
}

/**
 * Checks that the file is a database of Tocsin. Whether it can be written is not checked.
 * @throws ConfigError if it does not exist, is something else, or was written by a newer version
 */
export async function requireTocsinDatabase(
  path: string,
  { migrations }: Pick<Part, 'migrations'>,
): Promise<void> {
  if (!existsSync(path)) throw new ConfigError([`${path} is not there: is the path right?`]);
  let empty = true;
  const checkContent = async () => {
    empty = false;
    return null;
  };
  throwIfProblem(await databaseProblem(`file:${path}`, { migrations, onlyRead: true, checkContent }));
  if (empty) throw new ConfigError([`${path} is empty: it is no database of Tocsin`]);
}

function throwIfProblem(problem: ConfigError | null): void {
  if (problem !== null) throw problem;
}

type Doubtful = Awaited<ReturnType<typeof markAllInDoubt>>;

/** Marks what waits to be sent as doubtful and returns how much that is. Also brings the tables up to date. */
async function markDoubtful(url: string, options: { readonly alone?: boolean } = {}): Promise<Doubtful> {
  const database = await openDatabase<Tables>(url, {
    ...options,
    migrations: botTables,
    beforeUpgrade: requireUnused,
  });
  try {
    return await markAllInDoubt(database);
  } finally {
    await database.close();
  }
}

/** @throws ConfigError if a bot uses the database. Of a SQLite file that is known by its lock. */
async function requireUnused(database: Database<Tables>): Promise<void> {
  const owner = database.dialect === 'postgres' ? await inUseBy(database) : undefined;
  if (owner !== undefined)
    throw new ConfigError([`The database is in use by ${owner}: stop every bot on it first`]);
}

const doubtText = ({ posts, alerts }: Doubtful): string =>
  posts + alerts === 0
    ? 'nothing waited to be sent\n'
    : `${posts} posts waited to be sent, and ${alerts} alerts had yet to be handed on to their chats; all of it may have been sent since: it is looked for where a platform can tell, and says that it may be a repeat where not\n`;
