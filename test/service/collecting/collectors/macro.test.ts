import { expect, it } from 'vitest';
import { ApiError } from '#src/runtime/errors.ts';
import { hour } from '#src/runtime/units.ts';
import type { CollectorContext } from '#src/service/collecting/collectors/collector.ts';
import macro from '#src/service/collecting/collectors/macro.ts';
import binance from '#src/service/venues/binance/venue.ts';
import bybit from '#src/service/venues/bybit/venue.ts';
import hyperliquid from '#src/service/venues/hyperliquid/venue.ts';
import okx from '#src/service/venues/okx/venue.ts';
import type { Venue, VenueClient } from '#src/service/venues/venue.ts';

const noon = Date.UTC(2026, 8, 1, 12);
const streams = { root: 'wss://venue.example' };

/** Fills the past of 12:00 and the hour before, and returns what was written. */
async function filled(
  venue: Venue,
  candles: VenueClient['candles'],
  { others = [], ...given }: { others?: object[]; streams?: object } = { streams },
) {
  const written: unknown[] = [];
  const context = {
    exchanges: { venue, markets: { candles }, ...given },
    others,
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

it('the hourly closes of the perpetuals are known when their hours end, the running hour never', async () => {
  expect(await filled(binance, closesOf)).toEqual([
    { symbol: 'gold_perpetual', time: noon - hour, value: 3_998 },
    { symbol: 'gold_perpetual', time: noon, value: 3_999 },
    { symbol: 'sp500_etf_perpetual', time: noon - hour, value: 3_998 },
    { symbol: 'sp500_etf_perpetual', time: noon, value: 3_999 },
  ]);
});

const failing = (reason: 'invalid_request' | 'server_error') => async () => {
  throw new ApiError('binance /fapi/v1/klines', reason, 'HTTP');
};

it('a perpetual that is not listed is none and no fault; any other failure is one', async () => {
  expect(await filled(binance, failing('invalid_request'))).toEqual([]);
  await expect(filled(binance, failing('server_error'))).rejects.toMatchObject({ reason: 'server_error' });
});

it('what the primary venue does not list comes from the first other venue that does, and from one alone', async () => {
  const asked: string[] = [];
  const at =
    (name: string, candles: NonNullable<VenueClient['candles']>): NonNullable<VenueClient['candles']> =>
    async (symbol, given) => {
      asked.push(`${name} ${symbol}`);
      return candles(symbol, given);
    };
  const others = [
    { venue: okx, client: { candles: at('okx', failing('server_error')) } },
    { venue: hyperliquid, client: { candles: at('hyperliquid', closesOf) } },
  ];
  const written = (await filled(binance, at('binance', failing('invalid_request')), { streams, others })) as {
    symbol: string;
  }[];
  expect(written.map(({ symbol }) => symbol)).toEqual([
    'gold_perpetual',
    'gold_perpetual',
    'sp500_perpetual',
    'sp500_perpetual',
  ]);
  expect(new Set(asked)).toEqual(
    new Set([
      ...['binance XAUUSDT', 'binance SPYUSDT', 'okx XAUUSDT', 'okx US500USDT'],
      ...['hyperliquid xyz:GOLD', 'hyperliquid xyz:SP500'],
    ]),
  );
});

it('a venue without one, and a simulated market, are not asked', async () => {
  const never = async () => {
    throw new Error('was asked');
  };
  expect(await filled(bybit, never)).toEqual([]);
  expect(await filled(binance, never, {})).toEqual([]);
});
