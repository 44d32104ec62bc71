import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { Kysely } from 'kysely';
import type { ReadingStore } from '../ports.ts';
import type { Tables } from '../tables.ts';

const [deflate, inflate] = [promisify(deflateRaw), promisify(inflateRaw)];

/**
 * Stores readings deflated: the prices of a hundred symbols every five minutes take 100 MB a month as text, a fifth
 * deflated.
 */
export const readings = (db: Kysely<Tables>): ReadingStore => ({
  async add(market, { feed, at, readings }) {
    const body = await deflate(JSON.stringify(readings));
    await db
      .insertInto('reading')
      .values({ market, feed, at, body })
      .onConflict((conflict) => conflict.columns(['market', 'feed', 'at']).doNothing())
      .execute();
  },
  async page(market, { feed, window: { from, to }, limit }) {
    const rows = await db
      .selectFrom('reading')
      .select(['at', 'body'])
      .where('market', '=', market)
      .where('feed', '=', feed)
      .where('at', '>', from)
      .where('at', '<=', to)
      .orderBy('at')
      .limit(limit)
      .execute();
    return Promise.all(
      rows.map(async ({ at, body }) => ({ at, readings: JSON.parse((await inflate(body)).toString()) })),
    );
  },
});
