import { hour } from '../../runtime/units.ts';
import type { Candle } from '../archive/archive.ts';
import { createCoin } from './coin.ts';
import { composeMarket } from './compose.ts';
import { recordedFactor } from './factor.ts';
import { listings, type SimulatedListing } from './listings.ts';
import type { Market } from './market.ts';
import { readRecording } from './read-recording.ts';
import type { RecordedSymbol } from './recorded-symbol.ts';

/** Returns the log return of every hour of the record. The return across a gap is spread evenly over its hours. */
const hourlyReturns = (candles: readonly Candle[]): number[] => {
  const returns: number[] = [];
  for (const [index, candle] of candles.entries()) {
    const next = candles[index + 1];
    const hours = next === undefined ? 1 : (next.time - candle.time) / hour;
    const move = Math.log((next?.open ?? candle.close) / candle.open);
    for (let at = 0; at < hours; at += 1) returns.push(move / hours);
  }
  return returns;
};

/** Returns the listing of a coin, with default values if the coin is unknown. */
const listingOf = (symbol: string, rank = 1): SimulatedListing => {
  const known = listings.find((listing) => listing.symbol === symbol) ?? {
    symbol,
    base: symbol.replace(/USDT$/, ''),
    price: 1,
    beta: 1.3,
    priceDecimals: 8,
    quantityDecimals: 3,
  };
  return { ...known, rank, fundingHours: 8 };
};

/**
 * Builds a market from the recordings of a folder. The coin with the longest record of candles is the leader. Its returns are
 * the market factor from which coins with recorded funding only, and all feeds that are not recorded, are generated;
 * `sources` and `sourceOf` tell what is recorded. The market spans the leader's candles; recorded settlements from before
 * that span are available too.
 * @throws ConfigError naming file, line and remedy
 */
export async function recordedMarket(dir: string, { seed }: { readonly seed: number }): Promise<Market> {
  const recording = await readRecording(dir, { seed });
  const [leader, ...others] = [...recording.candles].sort(([, a], [, b]) => b.length - a.length);
  if (leader === undefined) throw new RangeError('readRecording gives at least one symbol with candles');
  const [leading, candles] = leader;
  const genesis = (candles[0]?.time ?? 0) / hour;
  const latest = (candles.at(-1)?.time ?? 0) + hour;
  const factor = recordedFactor(seed, genesis, hourlyReturns(candles));

  // The starting price of a coin without recorded prices is scaled by the ratio of the leader's first price to its listed one.
  const scale = (candles[0]?.open ?? 1) / listingOf(leading).price;
  const symbols = [...new Set([leading, ...others.map(([symbol]) => symbol), ...recording.funding.keys()])];
  const recorded = new Map<string, RecordedSymbol>();
  const coins = symbols.map((symbol, rank) => {
    const own = recording.candles.get(symbol);
    const funding = recording.funding.get(symbol);
    recorded.set(symbol, { candles: own && new Map(own.map((candle) => [candle.time, candle])), funding });
    const listing = listingOf(symbol, rank);
    const [first] = own ?? [];
    if (own === undefined || first === undefined)
      return createCoin({ seed, listing: { ...listing, price: listing.price * scale }, factor });
    const moves = hourlyReturns(own);
    // Recorded prices are printed with at least two decimals: they are spot prices, whose tick is finer than the perpetual's.
    const priceDecimals = Math.max(listing.priceDecimals, 2);
    return createCoin({
      seed,
      listing: { ...listing, price: first.open, priceDecimals },
      factor,
      returns: (at) => moves[at - first.time / hour] ?? 0,
    });
  });
  return composeMarket({ seed, factor, coins, recorded, latest, outages: () => [] });
}
