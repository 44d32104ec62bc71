import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { z } from 'zod';
import {
  type ChainLink,
  createChainCheck,
  headsIn,
  headText,
  noHead,
  type PostedHead,
  storedHash,
} from '../../alert/chain.ts';
import { proofOf } from '../../alert/hash-tree.ts';
import { hookOfKind } from '../../alert/hook.ts';
import { createLedger, ledger } from '../../alert/ledger.ts';
import type { Database } from '../../database/database.ts';
import { openToRead } from '../../database/open.ts';
import { asInput, writeOutput } from '../../runtime/arguments.ts';
import { ConfigError, InputError } from '../../runtime/errors.ts';
import { day, iso } from '../../runtime/units.ts';
import { migrations } from '../../store/migrations.ts';
import { chainLinks, notesIn } from '../../store/record/chain.ts';
import { ledgerOf, recordRows, recordTables, type StoredRow } from '../../store/record/record-rows.ts';
import type { Tables } from '../../store/tables.ts';
import { requireTocsinDatabase } from './backup.ts';

interface VerifyCommand {
  /** A database URL, or the path of a database file or of an export. Undefined: the database of the settings. */
  readonly source: string | undefined;
  /** URL of the database of the settings. */
  database(): Promise<string>;
  /** Path of any text that contains posted heads. Undefined: no heads are checked. */
  readonly heads?: string | undefined;
  /** Path to write an export of the chain to. */
  readonly write?: string | undefined;
  /** Id of an alert whose announcement anybody shall be able to check. */
  readonly proof?: string | undefined;
  print(text: string): Promise<void>;
}

const link = z.object({ n: z.int(), body: z.string(), hash: z.string() });
const announcement = z.object({
  id: z.string(),
  revision: z.int(),
  labels: z.object({ kind: z.string() }),
  startsAt: z.number(),
  prediction: z.string().optional(),
  stored: z.string().optional(),
});
type Announcement = z.output<typeof announcement>;
const linkBody = z.union([z.object({ ledger }), announcement]);

/**
 * Checks that nothing of the record was changed, left out or inserted afterwards: each link against the one before it, posted
 * heads against the links that they name, and a database's alerts, outcomes, prices and deliveries against the links.
 * @throws InputError, ConfigError
 * @returns whether all holds
 */
export async function runVerify(given: VerifyCommand): Promise<boolean> {
  const { source, database, heads, write, proof, print } = given;
  const posted = heads === undefined ? [] : headsIn(await read(heads));
  if (heads !== undefined && posted.length === 0)
    throw new InputError(`--heads: ${heads} contains no head (a number and 64 hexadecimal digits)`);
  const check = createChainCheck(posted);
  const told = createTold();
  const lines: string[] = [];
  const leaves: string[] = [];
  let announced: ChainLink | undefined;
  const addLink = (one: ChainLink) => {
    check.add(one);
    if (proof !== undefined) {
      leaves.push(one.hash);
      const said = parseBody(one.body);
      if (said !== undefined && 'id' in said && said.id === proof) announced ??= one;
    }
    if (write !== undefined) lines.push(JSON.stringify(one));
    told.add(one.body, `link ${one.n}`);
  };
  const checkIn = (url: string) => checkDatabase(url, { follow: addLink, told });
  const problems =
    source === undefined
      ? await checkIn(await database())
      : await asInput(async () => {
          const url = await databaseIn(source);
          return url === undefined ? checkExport(source, addLink) : checkIn(url);
        });
  const { head, matchingHeads: held, problem } = check.end();
  if (write !== undefined) await writeOutput('--write', { path: write, lines });
  await print(`Checked ${head.n} ${head.n === 1 ? 'link' : 'links'}; the head is ${headText(head)}\n`);
  if (proof !== undefined) await print(`${proofText(proof, { announced, leaves, posted })}\n`);
  // Said, so that whoever adds such a note himself is seen.
  if (told.total.rebased.size > 0)
    await print(
      `${told.total.rebased.size} alerts were set back in time after this machine's clock had been ahead: ${[...told.total.rebased].slice(0, maxProblems).join(', ')}\n`,
    );
  if (posted.length > 0) await print(`${held} of ${posted.length} posted heads found\n`);
  const found = [...(problem === undefined ? [] : [problem]), ...told.problems(), ...problems];
  for (const each of found) await print(`PROBLEM  ${each}\n`);
  return found.length === 0;
}

interface ProofInput {
  readonly announced: ChainLink | undefined;
  readonly leaves: readonly string[];
  readonly posted: readonly PostedHead[];
}

/**
 * Returns what proves an announcement to somebody who has one posted head: of those given the first that covers it, else the
 * next to be posted.
 * @throws InputError
 */
function proofText(id: string, { announced, leaves, posted }: ProofInput): string {
  if (announced === undefined)
    throw new InputError(`--proof: no alert ${id} was announced to everyone; "why" and the page show ids`);
  const covering = posted.filter(
    ({ n, root }) => n >= announced.n && n <= leaves.length && root !== undefined,
  );
  const size = Math.min(leaves.length, ...covering.map(({ n }) => n));
  const before = { n: announced.n - 1, hash: leaves[announced.n - 2] ?? noHead.hash };
  return JSON.stringify(proofOf(announced, before, leaves.slice(0, size)));
}

type Told = ReturnType<typeof createTold>;

/** Gathers what the links say: which alerts were announced, and what the tables must hold. */
function createTold() {
  /** The latest announcement of each alert, with the prediction of its first one. */
  const announced = new Map<string, Announcement>();
  const total = createLedger();
  const unreadable: string[] = [];
  let since = Number.POSITIVE_INFINITY;
  return {
    announced: announced as ReadonlyMap<string, Announcement>,
    total,
    /** When the first announced alert began, market ms. */
    since: () => since,
    add(text: string, where: string): void {
      const said = parseBody(text);
      if (said === undefined) unreadable.push(`${where} holds no announcement and no ledger`);
      else if ('ledger' in said) {
        total.add(said.ledger);
      } else {
        const prediction = said.prediction ?? announced.get(said.id)?.prediction;
        announced.set(said.id, { ...said, prediction });
        if (said.revision === 1) since = Math.min(since, said.startsAt);
      }
    },
    problems: () => [...unreadable.slice(0, maxProblems), ...total.problems.slice(0, maxProblems)],
  };
}

/** Returns what a link says; undefined if somebody has made it unreadable. */
function parseBody(body: string): z.output<typeof linkBody> | undefined {
  try {
    return linkBody.parse(JSON.parse(body));
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

/** The most problems of one kind that are reported, one line each. */
const maxProblems = 10;

/** @returns the problems of a database whose links and notes are followed first */
async function checkDatabase(
  url: string,
  { follow, told }: { readonly follow: (one: ChainLink) => void; readonly told: Told },
): Promise<string[]> {
  await requireDatabase(url);
  const database = await openToRead<Tables>(url);
  try {
    for await (const one of chainLinks(database.db)) follow(one);
    for (const body of await notesIn(database.db)) told.add(`{"ledger":${body}}`, 'a note');
    return await checkTables(database, told);
  } finally {
    await database.close();
  }
}

/** Compares the tables of the record with what the links say of them. */
async function checkTables({ db }: Database<Tables>, { announced, total, since }: Told): Promise<string[]> {
  const keptSince = total.pruned();
  const found = createLedger();
  const problems = new Map<string, string[]>();
  const report = (kind: string, text: string) => problems.getOrInsertComputed(kind, () => []).push(text);

  const checkAlert = ({ id, body }: StoredRow) => {
    const stored = announced.get(String(id))?.stored;
    if (stored !== undefined && !total.rebased.has(String(id)) && stored !== storedHash(String(body)))
      report('alert', `alert ${id} is stored otherwise than it was announced`);
  };
  const checkOutcome = ({ alert_id, kind, fired_at, posted }: StoredRow) => {
    const id = String(alert_id);
    if ((posted === 1) !== total.posted.has(id))
      report(
        'posted',
        posted === 1
          ? `the scorecard counts alert ${id}, which was never posted`
          : `the scorecard leaves out alert ${id}, which was posted`,
      );
    // An alert of a hook is for one place alone, so the chain does not announce it.
    if (posted !== 1 || Number(fired_at) <= since() || hookOfKind(String(kind)) !== undefined) return;
    const known = announced.get(id);
    const isItsTime = known?.startsAt === fired_at || total.rebased.has(id);
    if (known?.labels.kind !== kind || !isItsTime)
      report(
        'unannounced',
        `the scorecard counts ${kind} ${id} of ${iso(Number(fired_at))}, but no such alert was announced`,
      );
  };
  for (const table of recordTables)
    for await (const rows of recordRows(db, table)) {
      found.add(ledgerOf(table, rows));
      if (table === 'alert') for (const row of rows) checkAlert(row);
      if (table === 'outcome') for (const row of rows) checkOutcome(row);
    }

  for (const id of new Set([...total.alerts.keys(), ...found.alerts.keys()])) {
    const [wanted, there] = [total.alerts.get(id) ?? null, found.alerts.get(id) ?? null];
    if (wanted?.[2] !== there?.[2]) report('alerts', `alert ${id} ${difference(wanted, there)}`);
  }
  for (const id of new Set([...total.outcomes.keys(), ...found.outcomes.keys()])) {
    const [wanted, there] = [total.outcomes.get(id), found.outcomes.get(id)];
    const mayBeGone = there === undefined && wanted !== undefined && wanted.at < keptSince;
    if (!mayBeGone && JSON.stringify(wanted) !== JSON.stringify(there))
      report('outcomes', `the outcome of alert ${id} ${difference(wanted, there)}`);
  }
  const isFollowed = (id: string) => total.outcomes.has(id) || found.outcomes.has(id);
  for (const { id, prediction, startsAt } of announced.values())
    if (prediction !== undefined && startsAt >= keptSince && !isFollowed(id))
      report('unfollowed', `alert ${id} of ${iso(startsAt)} predicted the price and has no outcome`);
  for (const key of new Set([...total.sums.keys(), ...found.sums.keys()])) {
    const [table, dayNumber] = key.split(' ');
    const begins = Number(dayNumber) * day;
    // Prices are pruned by the hour: of the day on which the record begins some are gone.
    if (table === 'hourly_price' && begins < keptSince) continue;
    const [wanted, there] = [total.sums.get(key), found.sums.get(key)];
    if ((wanted?.sum ?? 0n) !== (there?.sum ?? 0n) || (wanted?.rows ?? 0) !== (there?.rows ?? 0))
      report(
        key,
        `${table} of ${iso(begins).slice(0, 10)}: rows were changed, deleted or put in (${there?.rows ?? 0} stored, ${wanted?.rows ?? 0} in the chain)`,
      );
  }
  return [...problems.values()].flatMap((all) => all.slice(0, maxProblems));
}

const difference = (wanted: unknown, there: unknown): string =>
  (there ?? null) === null ? 'was deleted' : (wanted ?? null) === null ? 'was put in' : 'was changed';
