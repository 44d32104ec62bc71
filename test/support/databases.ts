import { afterAll, beforeAll, describe } from 'vitest';
import type { Dialect } from '#src/database/database.ts';
import { type Server, startPostgres } from './postgres.ts';

/** One suite on every kind of database; `url` gives a new, empty one. */
export function onDatabases(
  what: string,
  suite: (url: () => Promise<string>, dialect: Dialect) => void,
): void {
  describe(`${what} on sqlite`, () => suite(async () => 'file::memory:', 'sqlite'));

  describe(`${what} on postgres`, () => {
    let server: Server;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server.stop());
    suite(() => server.fresh(), 'postgres');
  });
}
