import { afterEach, beforeEach, expect, it } from 'vitest';
import { day, hour } from '#src/runtime/units.ts';
import { keepChangesFor, listingLog, storeListings } from '#src/service/analytics/listing-log.ts';
import type { Archive } from '#src/service/archive/archive.ts';
import { openArchive } from '#src/service/archive/open.ts';
import binance from '#src/service/venues/binance/venue.ts';
import { simulatedExchanges } from '#src/service/venues/simulated.ts';
import type { Listing } from '#src/service/venues/venue.ts';
import { calmMarket as market } from '#test/support/calm-market.ts';

const start = Date.UTC(2025, 10, 13, 15);
let archive: Archive;
beforeEach(async () => {
  archive = await openArchive('file::memory:');
});
afterEach(() => archive.close());

const one = (symbol: string, listed = 0): Listing => ({ symbol, listed, volume: 1 });
const few = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'].map((symbol) => one(symbol));
const told = async () =>
  (await listingLog(archive))?.changes.map(({ symbol, change }) => `${symbol} ${change}`);

it('a seen list is stored, so that its changes are reported once, whoever reads it next', async () => {
  expect(await told()).toBeUndefined();
  await storeListings(archive, { listings: few, now: start });
  for (const minutes of [15, 30, 45]) {
    const listings = [...few, one('NEWUSDT')];
    expect(await storeListings(archive, { listings, now: start + minutes })).toBeUndefined();
    expect(await told()).toEqual(['NEWUSDT LISTED']);
  }
});

it('an implausible list is a problem of the feed, and does not change what is known', async () => {
  await storeListings(archive, { listings: few, now: start });
  expect(await storeListings(archive, { listings: [], now: start + hour })).toBe(
    'its list names no perpetual',
  );
  expect((await listingLog(archive))?.at).toBe(start);
});

it('old changes are deleted', async () => {
  await storeListings(archive, { listings: few, now: start });
  for (let days = 1; days <= 40; days += 1) {
    const listings = [...few, one(days < 20 ? 'AUSDT' : 'BUSDT')];
    await storeListings(archive, { listings, now: start + days * day });
  }
  expect(start + 40 * day - keepChangesFor).toBeGreaterThan(start + day);
  expect(await told()).toEqual(['BUSDT LISTED', 'AUSDT DELISTED']);
});

it('of more than 2,000 changes the oldest are dropped', async () => {
  await storeListings(archive, { listings: few, now: start });
  const stored = (await archive.get('listings')) as object;
  const changes = Array.from({ length: 2_000 }, (_, n) => ({
    time: start,
    symbol: `OLD${n}USDT`,
    change: 'LISTED',
  }));
  await archive.put('listings', { ...stored, changes });
  await storeListings(archive, { listings: [...few, one('NEWUSDT')], now: start + hour });
  const kept = await told();
  expect([kept?.length, kept?.at(0), kept?.at(-1)]).toEqual([2_000, 'OLD1USDT LISTED', 'NEWUSDT LISTED']);
});

it('the synthetic market lists, delists and changes intervals now and then, of untracked markets only', async () => {
  const ending = new AbortController();
  let now = start;
  const source = { market, clock: { now: () => now }, signal: ending.signal };
  const exchanges = simulatedExchanges(binance, source);
  const traded: (string | undefined)[][] = [];
  for (let hours = 0; hours <= 12 * 24; hours += 6) {
    now = start + hours * hour;
    const listings = await exchanges.markets.listings();
    expect(await storeListings(archive, { listings, now })).toBeUndefined();
    traded.push(
      listings.filter(({ volume, state }) => volume > 0 && state === undefined).map((l) => l.symbol),
    );
  }
  ending.abort();
  const changes = (await listingLog(archive))?.changes ?? [];
  expect(
    Object.fromEntries(
      Map.groupBy(changes, ({ change }) => change)
        .entries()
        .map(([change, all]) => [change, all.length]),
    ),
  ).toEqual({
    LISTED: 3,
    INTERVAL: 3,
    DELISTED: 3,
    ANNOUNCED: 3,
    DELISTING: 3,
  });
  expect(changes[0]).toMatchObject({
    symbol: 'ZEPHYRUSDT',
    change: 'LISTED',
    effective: Date.UTC(2025, 10, 14),
    price: 0.42,
    hours: 8,
  });
  for (const symbols of traded) expect(symbols).toEqual(market.instruments.map(({ symbol }) => symbol));
});
