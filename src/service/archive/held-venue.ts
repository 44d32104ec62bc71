import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../database/database.ts';
import type { Archive } from './archive.ts';
import { makeHypertables } from './hypertables.ts';
import { createLiquidationIndex, createVenueTables, venueTables } from './migrations.ts';

/** The venue whose perpetuals an archive holds. There is only one, since the rows of two would contradict each other. */
export interface HeldVenue {
  /** Returns undefined if the archive holds no venue yet. */
  name(): string | undefined;
  /** Tells whether the venue has once supplied all data that responses need. It is then kept despite a passing refusal. */
  settled(): boolean;
  settle(): Promise<void>;
  /**
   * Switches to another venue. The data of the former venue is put aside under its name, and is restored when that venue
   * is held again. The tables are exchanged in one transaction.
   */
  change(to: string): Promise<void>;
}

const document = 'venue';
/** Documents about the venue's markets, which are exchanged with its tables. */
const documents = ['universe', 'listings', 'liquidations.covered', 'marks.taken'];
const held = z.object({ name: z.string(), settled: z.boolean() });

/** Returns the venue whose markets an archive holds, if the archive says so. */
export const heldVenueName = async (archive: Pick<Archive, 'get'>): Promise<string | undefined> =>
  held.safeParse(await archive.get(document)).data?.name;

/** @param before The venue to assume for an archive that holds markets but does not name their venue. */
export async function openHeldVenue(
  { database, archive }: { readonly database: Database<unknown>; readonly archive: Archive },
  before: string,
): Promise<HeldVenue> {
  const kept = held.safeParse(await archive.get(document)).data;
  let current = kept ?? ((await archive.get('universe')) ? { name: before, settled: true } : undefined);
  const keep = (next: z.output<typeof held>) => {
    current = next;
    return archive.put(document, next);
  };
  return {
    name: () => current?.name,
    settled: () => current?.settled ?? false,
    async settle() {
      if (current !== undefined && !current.settled) await keep({ ...current, settled: true });
    },
    async change(to) {
      const from = current?.name;
      if (from === to) return;
      if (from !== undefined) {
        await database.transaction((trx) => exchange(trx, { database, from, to }));
        await makeHypertables(database);
      }
      await keep({ name: to, settled: false });
    },
  };
}

const aside = (what: string, venue: string) => `${what}_of_${venue}`;

async function exchange(
  db: Kysely<unknown>,
  {
    database: { dialect },
    from,
    to,
  }: { readonly database: Database<unknown>; readonly from: string; readonly to: string },
): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db);
  const tables = new Set((await db.introspection.getTables()).map(({ name }) => name));
  await run('drop index if exists liquidations_of_symbol');
  const missing: string[] = [];
  for (const table of venueTables) {
    await run(`alter table ${table} rename to "${aside(table, from)}"`);
    if (tables.has(aside(table, to))) await run(`alter table "${aside(table, to)}" rename to ${table}`);
    else missing.push(table);
  }
  await createVenueTables(db, { dialect, tables: missing });
  await createLiquidationIndex(db);
  for (const key of documents) {
    await sql`update documents set key = ${aside(key, from)} where key = ${key}`.execute(db);
    await sql`update documents set key = ${key} where key = ${aside(key, to)}`.execute(db);
  }
  await run('delete from feeds');
}
