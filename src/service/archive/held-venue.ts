import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../database/database.ts';
import type { Archive } from './archive.ts';
import { makeHypertables } from './hypertables.ts';
import { createLiquidationIndex, createVenueTables, venueTables } from './migrations.ts';

/** The venue whose perpetuals an archive holds: one, for rows of two would contradict each other. */
export interface HeldVenue {
  /** Undefined: none yet. */
  name(): string | undefined;
  /** Once it had all that answers need: then it is not given up for a refusal that may pass. */
  settled(): boolean;
  settle(): Promise<void>;
  /**
   * Holds another's from now on. What there was of the one before is put aside under its name, and found again where
   * it is held once more. In one transaction.
   */
  change(to: string): Promise<void>;
}

const document = 'venue';
/** Documents that are about the venue's markets. */
const documents = ['universe', 'listings', 'liquidations.covered', 'marks.taken'];
const held = z.object({ name: z.string(), settled: z.boolean() });

/** Whose markets an archive holds, where it says so. */
export const heldVenueName = async (archive: Pick<Archive, 'get'>): Promise<string | undefined> =>
  held.safeParse(await archive.get(document)).data?.name;

/** @param before the venue of an archive that says nothing and yet holds markets */
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
