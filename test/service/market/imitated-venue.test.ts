import { expect, it } from 'vitest';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { hour } from '#src/runtime/units.ts';
import { startExchanges } from '#src/service/market/exchanges.ts';
import { differenceOf } from '#src/service/market/venue-differences.ts';
import { openVenue } from '#src/service/venues/exchanges.ts';
import { loadVenues, simulatedVenue } from '#src/service/venues/venue.ts';
import { calmMarket } from '#test/support/calm-market.ts';

const begin = Date.UTC(2026, 0, 1);
const hours = Array.from({ length: 24 * 60 }, (_, at) => begin + at * hour);

it('a venue’s rate is mostly near the others, and sometimes far from them for a while', () => {
  const bases = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'LTC'];
  const rates = bases.flatMap((base) => hours.map((time) => differenceOf('okx', { base, time }).rate));
  const far = rates.filter((rate) => Math.abs(rate) > 0.0003).length / rates.length;
  expect(far).toBeGreaterThan(0.002);
  expect(far).toBeLessThan(0.1);
  // Steps within an hour are small: nothing jumps.
  const steps = hours.map((time) =>
    Math.abs(
      differenceOf('okx', { base: 'BTC', time: time + hour }).rate -
        differenceOf('okx', { base: 'BTC', time }).rate,
    ),
  );
  expect(Math.max(...steps)).toBeLessThan(0.0003);
});

it('each played venue has running rates and open interest of its own', async () => {
  const played = await startExchanges({
    market: calmMarket,
    clock: realTime({ now: () => begin }),
  });
  const ending = new AbortController();
  const clients = (await loadVenues()).map((venue) => ({
    venue,
    client: openVenue(venue, { urls: played.urls, wall: wallClock, signal: ending.signal }),
  }));
  const others = clients.filter(({ venue }) => venue.name !== simulatedVenue);
  const told = await Promise.all(
    others.map(async ({ client }) => {
      const [[mark] = [], [interval] = [], [held] = []] = await Promise.all([
        client.marks?.(['BTCUSDT'], begin),
        client.intervals?.(['BTCUSDT']),
        client.openInterest?.(['BTCUSDT'], begin),
      ]);
      return { rate: (mark?.estFunding ?? 0) / (interval?.hours ?? 1), held: held?.contracts };
    }),
  );
  expect(others.length).toBeGreaterThanOrEqual(3);
  expect(new Set(told.map(({ rate }) => rate.toFixed(9))).size).toBe(others.length);
  expect(new Set(told.map(({ held }) => held)).size).toBe(others.length);
  ending.abort();
  await Promise.all(clients.map(({ client }) => client.close()));
  await played.close();
});
