import { afterAll, beforeAll, expect, it } from 'vitest';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { openVenue } from '#src/service/venues/open-exchanges.ts';
import { loadVenues } from '#src/service/venues/venue.ts';
import { calmMarket as market } from '#test/support/calm-market.ts';
import { type SimulatedExchanges, startExchanges } from '#test/support/venues/exchanges.ts';

const now = Date.UTC(2025, 5, 3, 10, 7, 30);
const tells = (await loadVenues()).filter(({ roles }) => roles.intervals !== undefined);

let played: SimulatedExchanges;
beforeAll(async () => {
  played = await startExchanges({ market, clock: realTime({ now: () => now }) });
});
afterAll(() => played.close());

it('every venue with running rates returns its funding intervals, from which yearly figures are computed', async () => {
  const all = await loadVenues();
  expect(tells.map(({ name }) => name)).toEqual(
    all.filter(({ roles }) => roles.marks !== undefined).map(({ name }) => name),
  );
});

it.each(tells)('$title returns the hours between settlements for each market', async (venue) => {
  const ending = new AbortController();
  const client = openVenue(venue, played.urls, { wall: wallClock, signal: ending.signal });
  const known = market.instruments.filter(({ base }) => /^[A-Z0-9]+$/.test(base));
  const told = (await client.intervals?.(known.map(({ symbol }) => symbol))) ?? [];
  const hourly = venue.name === 'hyperliquid';
  expect(new Map(told.map(({ symbol, hours }) => [symbol, hours]))).toEqual(
    new Map(known.map(({ symbol, fundingHours }) => [symbol, hourly ? 1 : fundingHours])),
  );
  expect(new Set(known.map(({ fundingHours }) => fundingHours))).toEqual(new Set([4, 8]));
  ending.abort();
  await client.close();
});
