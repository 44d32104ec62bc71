import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Database, Dialect } from '../../database/database.ts';
import type { Archive } from './archive.ts';
import { makeHypertables } from './hypertables.ts';
import { createLiquidationIndex, createVenueTables, venueTables } from './migrations.ts';

/** The venue whose perpetuals an archive holds. There is only one, since the rows of two would contradict each other. */
export interface HeldVenue {
  /** Returns undefined if the archive holds no venue yet. */
  name(): string | undefined;
  /** Tells whether the venue has once supplied all data that responses need. It is then kept despite a passing refusal. */
  hasBeenComplete(): boolean;
  markComplete(): Promise<void>;
  /**
   * Switches to another venue. The data of the former venue is put aside under its name, and is restored when that venue
   * is held again. The tables are exchanged, and the new name is stored, in one transaction.
   */
  change(to: string): Promise<void>;
}

const documentKey = 'venue';
/** Documents about the venue's markets, which are exchanged with its tables. */
const venueDocuments = [
  'universe',
  'universe.asked',
  'universe.listed',
  'listings',
  'liquidations.covered',
  'liquidations.complete',
  'marks.taken',
];
const held = z.object({ name: z.string(), settled: z.boolean() });

/** Returns the venue whose markets an archive holds, if the archive says so. */
export const heldVenueName = async (archive: Pick<Archive, 'get'>): Promise<string | undefined> =>
  held.safeParse(await archive.get(documentKey)).data?.name;

/** @param before The venue to assume for an archive that holds markets but does not name their venue. */
export async function openHeldVenue(
  { database, archive }: { readonly database: Database<unknown>; readonly archive: Archive },
  before: string,
): Promise<HeldVenue> {
  const stored = held.safeParse(await archive.get(documentKey)).data;
  let current = stored ?? ((await archive.get('universe')) ? { name: before, settled: true } : undefined);
  return {
    name: () => current?.name,
    hasBeenComplete: () => current?.settled ?? false,
    async markComplete() {
      if (current === undefined || current.settled) return;
      const next = { ...current, settled: true };
      await archive.put(documentKey, next);
      current = next;
    },
    async change(to) {
      const from = current?.name;
      if (from === to) return;
      const next = { name: to, settled: false };
      try {
        await database.transaction(async (trx) => {
          if (from !== undefined) await swapVenueTables(trx, { dialect: database.dialect, from, to });
          const json = JSON.stringify(next);
          await sql`insert into documents (key, json) values (${documentKey}, ${json})
          on conflict (key) do update set json = excluded.json`.execute(trx);
        });
      } finally {
        archive.forget?.();
      }
      current = next;
      if (from !== undefined) await makeHypertables(database);
    },
  };
}

const asideName = (what: string, venue: string) => `${what}_of_${venue}`;

async function swapVenueTables(
  db: Kysely<unknown>,
  { dialect, from, to }: { readonly dialect: Dialect; readonly from: string; readonly to: string },
): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db);
  const tables = new Set((await db.introspection.getTables()).map(({ name }) => name));
  await run('drop index if exists liquidations_of_symbol');
  const missing: string[] = [];
  for (const table of venueTables) {
    await run(`alter table ${table} rename to "${asideName(table, from)}"`);
    if (tables.has(asideName(table, to)))
      await run(`alter table "${asideName(table, to)}" rename to ${table}`);
    else missing.push(table);
  }
  await createVenueTables(db, dialect, missing);
  await createLiquidationIndex(db);
  for (const key of venueDocuments) {
    await sql`update documents set key = ${asideName(key, from)} where key = ${key}`.execute(db);
    await sql`update documents set key = ${key} where key = ${asideName(key, to)}`.execute(db);
  }
  await run('delete from feeds');
}
