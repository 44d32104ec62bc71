import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type ChainLink, createChainCheck, headsIn, headText } from '../alert/chain.ts';
import { hookOfKind } from '../alert/hook.ts';
import { openToRead } from '../database/open.ts';
import { asInput, writeOutput } from '../runtime/arguments.ts';
import { ConfigError, InputError } from '../runtime/errors.ts';
import { iso } from '../runtime/units.ts';
import { chainLinks } from '../store/chain.ts';
import { migrations, type Tables } from '../store/tables.ts';
import { requireTocsinDatabase } from './backup.ts';

export interface VerifyCommand {
  /** A database URL, or the path of a database file or of an export. Undefined: the database of the settings. */
  readonly source: string | undefined;
  /** URL of the database of the settings. */
  database(): Promise<string>;
  /** Path of any text that contains posted heads. Undefined: no heads are checked. */
  readonly heads: string | undefined;
  /** Path to write an export of the chain to. */
  readonly write: string | undefined;
  print(text: string): Promise<void>;
}

const link = z.object({ n: z.int(), body: z.string(), hash: z.string() });
const announced = z.object({
  id: z.string(),
  revision: z.int(),
  labels: z.object({ kind: z.string() }),
  startsAt: z.number(),
});

/**
 * Checks that nothing announced was changed, left out or inserted afterwards: each link against the one before it, posted
 * heads against the links that they name, and a database's outcomes against what was announced.
 * @throws InputError, ConfigError
 * @returns whether all holds
 */
export async function runVerify({ source, database, heads, write, print }: VerifyCommand): Promise<boolean> {
  const posted = heads === undefined ? [] : headsIn(await read(heads));
  if (heads !== undefined && posted.length === 0)
    throw new InputError(`--heads: ${heads} contains no head (a number and 64 hexadecimal digits)`);
  const check = createChainCheck(posted);
  const alertById = new Map<string, { readonly kind: string; readonly startsAt: number }>();
  let since = Number.POSITIVE_INFINITY;
  const lines: string[] = [];
  const unreadable: string[] = [];
  const addLink = (one: ChainLink) => {
    check.add(one);
    if (write !== undefined) lines.push(JSON.stringify(one));
    const body = parseBody(one.body);
    if (body === undefined) {
      unreadable.push(`link ${one.n} holds no announcement`);
      return;
    }
    const { id, labels, startsAt, revision } = body;
    since = Math.min(since, revision === 1 ? startsAt : Number.POSITIVE_INFINITY);
    alertById.set(id, { kind: labels.kind, startsAt });
  };
  const seen = () => ({ begun: alertById, since });
  const problems =
    source === undefined
      ? await checkDatabase(await database(), { follow: addLink, seen })
      : await asInput(async () => {
          const url = await databaseIn(source);
          return url === undefined
            ? checkExport(source, addLink)
            : checkDatabase(url, { follow: addLink, seen });
        });
  const { head, matchingHeads: held, problem } = check.end();
  if (write !== undefined) await writeOutput('--write', { path: write, lines });
  await print(`Checked ${head.n} ${head.n === 1 ? 'link' : 'links'}; the head is ${headText(head)}\n`);
  if (posted.length > 0) await print(`${held} of ${posted.length} posted heads found\n`);
  const found = [
    ...(problem === undefined ? [] : [problem]),
    ...unreadable.slice(0, maxProblems),
    ...problems,
  ];
  for (const each of found) await print(`PROBLEM  ${each}\n`);
  return found.length === 0;
}

/** Returns what a link announces; undefined if somebody has made it unreadable. */
function parseBody(body: string): z.output<typeof announced> | undefined {
  try {
    return announced.parse(JSON.parse(body));
  } catch {
    return undefined;
  }
}

const read = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((cause: unknown) => throwUnreadable(path, cause));

function throwUnreadable(path: string, cause: unknown): never {
  throw new InputError(`${path} cannot be read: check the path and its permissions`, { cause });
}

/** Returns the URL of the database that the source is, as a URL or as a file of SQLite; undefined if it is none. */
async function databaseIn(source: string): Promise<string | undefined> {
  if (/^(file:|postgres)/.test(source)) return source;
  try {
    await using file = await open(source);
    // What is read from a pipe would be gone.
    if (!(await file.stat()).isFile()) return undefined;
    const begin = Buffer.alloc(sqliteHeader.length);
    await file.read(begin);
    return begin.toString() === sqliteHeader ? `file:${source}` : undefined;
  } catch (cause) {
    return throwUnreadable(source, cause);
  }
}

/** What a file of SQLite begins with. */
const sqliteHeader = 'SQLite format 3\0';

async function checkExport(path: string, follow: (one: ChainLink) => void): Promise<string[]> {
  for (const [index, line] of (await read(path)).split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      follow(link.parse(JSON.parse(line)));
    } catch {
      return [`line ${index + 1} of ${path} is not a link`];
    }
  }
  return [];
}

/** @throws ConfigError if a file of SQLite is none of the bot's */
async function requireDatabase(url: string): Promise<void> {
  if (!url.startsWith('file:')) return;
  const path = url.slice('file:'.length);
  if (!existsSync(path))
    throw new ConfigError([
      `There is no database ${path}: the first npm start makes it; name another one with npm run verify -- DATABASE`,
    ]);
  await requireTocsinDatabase(path, { migrations });
}

/** The most unreadable links, and the most outcomes, that are reported, one line each. */
const maxProblems = 10;

/** @returns problems: outcomes in the record of alerts that were not announced, or were announced with another kind or time */
async function checkDatabase(
  url: string,
  {
    follow,
    seen,
  }: {
    readonly follow: (one: ChainLink) => void;
    readonly seen: () => {
      readonly begun: ReadonlyMap<string, { readonly kind: string; readonly startsAt: number }>;
      readonly since: number;
    };
  },
): Promise<string[]> {
  await requireDatabase(url);
  const database = await openToRead<Tables>(url);
  try {
    for await (const one of chainLinks(database.db)) follow(one);
    const { begun, since } = seen();
    const rows = await database.db
      .selectFrom('outcome')
      .select(['alert_id', 'kind', 'fired_at'])
      .where('posted', '=', 1)
      .where('fired_at', '>', Number.isFinite(since) ? since : Number.MAX_SAFE_INTEGER)
      .execute();
    return rows
      .filter(({ alert_id, kind, fired_at }) => {
        // An alert of a hook is for one place alone, so the chain does not announce it.
        if (hookOfKind(kind) !== undefined) return false;
        const known = begun.get(alert_id);
        return known?.kind !== kind || known.startsAt !== fired_at;
      })
      .slice(0, maxProblems)
      .map(
        ({ alert_id, kind, fired_at }) =>
          `the scorecard counts ${kind} ${alert_id} of ${iso(fired_at)}, but no such alert was announced`,
      );
  } finally {
    await database.close();
  }
}
