import { expect, it } from 'vitest';
import { ApiError } from '#src/runtime/errors.ts';
import { hour } from '#src/runtime/units.ts';
import type { CollectorContext } from '#src/service/collecting/collectors/collector.ts';
import macro from '#src/service/collecting/collectors/macro.ts';
import binance from '#src/service/venues/binance/venue.ts';
import bybit from '#src/service/venues/bybit/venue.ts';
import type { Venue, VenueClient } from '#src/service/venues/venue.ts';

const noon = Date.UTC(2026, 8, 1, 12);
const streams = { root: 'wss://venue.example' };

/** Fills the past of 12:00 and the hour before, and returns what was written. */
async function filled(venue: Venue, candles: VenueClient['candles'], given: object = { streams }) {
  const written: unknown[] = [];
  const context = {
    exchanges: { venue, markets: { candles }, ...given },
    write: async (_: string, rows: readonly unknown[]) => void written.push(...rows),
  } as unknown as CollectorContext;
  for (const history of macro.histories?.(context) ?? [])
    for (const symbol of history.symbols ?? [])
      await history.fill(symbol, { from: noon - hour, to: noon }, context);
  return written;
}

const closesOf: NonNullable<VenueClient['candles']> = async (symbol, { page: { from, to } }) =>
  [from, to, to + hour].map((time) => ({
    ...{ symbol, time, open: 1, high: 1, low: 1, volume: 1, takerBuy: 1, quoteVolume: 1 },
    close: 4_000 + (time - noon) / hour,
  }));

it('the hourly closes of the perpetual on gold are known when their hours end, the running hour never', async () => {
  expect(await filled(binance, closesOf)).toEqual([
    { symbol: 'gold_perpetual', time: noon - hour, value: 3_998 },
    { symbol: 'gold_perpetual', time: noon, value: 3_999 },
  ]);
});

it('a perpetual that is not listed is no gold and no fault; any other failure is one', async () => {
  const failing = (reason: 'invalid_request' | 'server_error') => async () => {
    throw new ApiError('binance /fapi/v1/klines', reason, 'HTTP');
  };
  expect(await filled(binance, failing('invalid_request'))).toEqual([]);
  await expect(filled(binance, failing('server_error'))).rejects.toMatchObject({ reason: 'server_error' });
});

it('a venue without one, and a simulated market, are not asked', async () => {
  const never = async () => {
    throw new Error('was asked');
  };
  expect(await filled(bybit, never)).toEqual([]);
  expect(await filled(binance, never, {})).toEqual([]);
});
