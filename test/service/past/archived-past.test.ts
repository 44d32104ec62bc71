import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contract, type EndpointName } from '#src/contract/index.ts';
import { openDatabase, openToRead } from '#src/database/open.ts';
import { ApiError, InputError } from '#src/runtime/errors.ts';
import { day, hour, iso, minute } from '#src/runtime/units.ts';
import type { Archive } from '#src/service/archive/archive.ts';
import { migrations } from '#src/service/archive/migrations.ts';
import { seriesDescriptions } from '#src/service/archive/series.ts';
import { toJson } from '#src/service/http/json.ts';
import { parametersOf } from '#src/service/http/query.ts';
import { openArchivedPast } from '#src/service/past/archived-past.ts';
import type { Past } from '#src/service/past/past-service.ts';
import { type Server, startPostgres } from '#test/support/postgres.ts';
import { now as end, filledArchive, universe } from '../fixture.ts';

/** Margin tiers are asked of a venue and not archived: there is no past of them. */
const endpoints = (Object.keys(contract) as EndpointName[]).filter((name) => name !== 'leverageTiers');
/** A row with the time of its beginning becomes known only at its end. */
const knownAfter: Readonly<Record<string, number>> = {
  candles_1h: hour,
  candles_1d: day,
  market_regimes: hour,
};
const tables = [...Object.values(seriesDescriptions).map(({ table }) => table), 'liquidations', 'quality'];

let folder: string;
let whole: string;
let past: Past;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-archived-'));
  whole = join(folder, 'whole.db');
  await (await filledArchive(`file:${whole}`)).close();
  past = await openArchivedPast({ url: `file:${whole}`, end, source: 'simulated' });
});
afterAll(async () => {
  await past.close();
  await rm(folder, { recursive: true });
});

/** Makes a copy of the archive without everything that was not known at `now`. */
async function cutAt(now: number): Promise<Past> {
  const cut = join(folder, 'cut.db');
  await copyFile(whole, cut);
  const database = await openDatabase<unknown>(`file:${cut}`, { migrations });
  await database.transaction(async (trx) => {
    for (const table of tables) {
      const last = now - (knownAfter[table] ?? 0);
      await sql`delete from ${sql.table(table)} where time > ${last}`.execute(trx);
    }
  });
  await database.close();
  return openArchivedPast({ url: `file:${cut}`, end: now, source: 'simulated' });
}

/** The response as it is sent; null for an error, because the reason may have become known only later. */
async function answer(of: Past, now: number, name: EndpointName, query: object): Promise<string | null> {
  const ask = of.at(now)[name] as (query: object) => Promise<unknown>;
  try {
    return toJson(await ask(query));
  } catch (error) {
    if (error instanceof ApiError || error instanceof InputError) return null;
    throw error;
  }
}

/** Draws any query that the contract allows about existing data. */
const queries = (name: EndpointName, now: number): fc.Arbitrary<object> =>
  fc.record(
    Object.fromEntries(
      parametersOf(contract[name]).map((parameter) => [parameter.name, values(parameter, now)]),
    ),
    { requiredKeys: [] },
  );

function values(
  { name, schema }: ReturnType<typeof parametersOf>[number],
  now: number,
): fc.Arbitrary<unknown> {
  const { type, enum: allowed, minimum = 1, maximum = Number.NaN, format } = schema;
  if (allowed !== undefined) return fc.constantFrom(...allowed);
  if (type === 'integer' || type === 'number') return fc.integer({ min: Math.max(1, minimum), max: maximum });
  if (name === 'symbol') return fc.constantFrom(...universe);
  if (name === 'venue') return fc.constantFrom('binance', 'hyperliquid', 'mtgox');
  if (format === 'date-time') return fc.integer({ min: 1, max: 10 * hour }).map((ago) => iso(now - ago));
  throw new Error(`what may ${name} be?`);
}

/** Compares the whole archive with what was known at `now`, endpoint by endpoint. Returns the endpoints that responded. */
async function compareAt(now: number, queryOf: (name: EndpointName) => object): Promise<EndpointName[]> {
  const answered: EndpointName[] = [];
  const cut = await cutAt(now);
  try {
    for (const name of endpoints) {
      const query = queryOf(name);
      const said = await answer(past, now, name, query);
      if (said !== null) answered.push(name);
      const asked = `${name} ${JSON.stringify(query)} at ${iso(now)}`;
      expect(said, asked).toBe(await answer(cut, now, name, query));
    }
  } finally {
    await cut.close();
  }
  return answered;
}

describe('no endpoint leaks the future: its response is that of an archive without it', () => {
  test('at any moment, especially one moment before and after rows become known', async () => {
    const round = Math.floor(end / hour) * hour;
    const moments = fc.oneof(
      fc
        .tuple(fc.integer({ min: 0, max: 9 * 24 * 12 }), fc.constantFrom(-1, 0, 1))
        .map(([steps, off]) => round - steps * 5 * minute + off),
      fc.integer({ min: end - day, max: end }),
    );
    await fc.assert(
      fc.asyncProperty(moments, fc.gen(), async (now, draw) => {
        await compareAt(now, (name) => draw(() => queries(name, now)));
      }),
      { numRuns: 8, endOnFailure: true },
    );
  });

  test('at the end, where every endpoint responds', async () => {
    expect(await compareAt(end, () => ({}))).toEqual(endpoints);
  });

  test('when a feed has only begun', async () => {
    const { db, close } = await openToRead<unknown>(`file:${whole}`);
    for (const table of tables) {
      const first = sql<{ time: number }>`select min(time) as time from ${sql.table(table)}`;
      const [{ time } = { time: end }] = (await first.execute(db)).rows;
      await compareAt(time, () => ({}));
    }
    await close();
  });
});

test('cached responses equal fresh ones as time goes on', async () => {
  let now = end - 3 * day;
  const asked = { hours: 24, limit: 5 };
  const steps = [7 * minute, 1, 5 * minute - 1, 3 * hour, 30 * minute, hour, 14 * minute, 26 * hour];
  for (let step = 0; now < end; now += steps[step++ % steps.length] as number) {
    const anew = await openArchivedPast({ url: `file:${whole}`, end, source: 'simulated' });
    for (const name of endpoints) {
      for (const query of [{}, asked])
        expect(await answer(past, now, name, query), `${name} at ${iso(now)}`).toBe(
          await answer(anew, now, name, query),
        );
    }
    await anew.close();
  }
});

describe('on Postgres', () => {
  let postgres: Server;
  let writer: Archive;
  let other: Past;
  beforeAll(async () => {
    postgres = await startPostgres();
    const url = await postgres.fresh();
    writer = await filledArchive(url);
    other = await openArchivedPast({ url, end, source: 'simulated' });
  });
  afterAll(async () => {
    await other.close();
    await writer.close();
    await postgres.stop();
  });

  test.each(endpoints)('%s responds as on SQLite', async (name) => {
    const said = await answer(other, end, name, {});
    expect(said).not.toBeNull();
    expect(said).toBe(await answer(past, end, name, {}));
  });
});
