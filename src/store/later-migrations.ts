import { sql } from 'kysely';
import type { Migrations } from '../database/database.ts';

/** The migrations since the first release, in their order; what stands here has run on people's databases. */
export const later: Migrations = {
  '2026-11-23-attention': {
    async up(db) {
      await db.schema
        .alterTable('delivery')
        .addColumn('interrupts', 'integer', (c) => c.notNull().defaultTo(0))
        .execute();
      await sql`create index delivery_interrupting on delivery (receiver, at) where interrupts = 1`.execute(
        db,
      );
    },
  },
  '2026-11-23-chain': {
    // Never shortened: a head that was posted years ago is still to be found.
    async up(db) {
      await db.schema
        .createTable('chain')
        .addColumn('n', 'bigint', (c) => c.primaryKey())
        .addColumn('body', 'text', (c) => c.notNull())
        .addColumn('hash', 'text', (c) => c.notNull())
        .execute();
    },
  },
};
