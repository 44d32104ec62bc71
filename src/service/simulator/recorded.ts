import { hour } from '../../runtime/units.ts';
import type { Candle } from '../archive/archive.ts';
import { createCoin } from './coin.ts';
import { composeMarket } from './compose.ts';
import { recordedFactor } from './factor.ts';
import { listings, type SimulatedListing } from './listings.ts';
import type { Market } from './market.ts';
import type { RecordedSymbol } from './recorded-symbol.ts';
import { readRecording } from './recording.ts';

/** Log returns of every hour from the first to the last open; a gap is crossed in a straight line. */
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

/** The coin as listed, or as an unknown one would be, at the price it begins with, else its own times `scale`. */
const listingOf = (
  symbol: string,
  {
    rank,
    price,
    scale,
  }: { readonly rank: number; readonly price: number | undefined; readonly scale: number },
): SimulatedListing => {
  const known = listings.find((listing) => listing.symbol === symbol);
  const base = symbol.replace(/USDT$/, '');
  const fallback: SimulatedListing = {
    symbol,
    base,
    price: 1,
    rank,
    beta: 1.3,
    priceDecimals: 8,
    quantityDecimals: 3,
    fundingHours: 8,
  };
  const listing = { ...(known ?? fallback), rank, fundingHours: 8 };
  // Recorded prices are printed to the cent at least: spot's tick, which is finer than the perpetual's.
  return price === undefined
    ? { ...listing, price: listing.price * scale }
    : { ...listing, price, priceDecimals: Math.max(listing.priceDecimals, 2) };
};

/**
 * Plays the recordings of a folder. The coin with the longest record of candles leads: it is the market factor
 * around which coins with funding alone, and all feeds not recorded, are made; `sources` and `sourceOf` say which.
 * It spans the leader's candles; settlements from before are given as past.
 * @throws ConfigError naming file, line and remedy
 */
export async function recordedMarket(dir: string, { seed }: { readonly seed: number }): Promise<Market> {
  const recording = await readRecording(dir, { seed });
  const [leader, ...others] = [...recording.candles].sort(([, a], [, b]) => b.length - a.length);
  if (leader === undefined) throw new RangeError('readRecording gives at least one symbol with candles');
  const [leading, candles] = leader;
  const genesis = (candles[0]?.time ?? 0) / hour;
  const latest = (candles.at(-1)?.time ?? 0) + hour;
  const factor = recordedFactor(seed, { genesis, returns: hourlyReturns(candles) });

  // A coin without recorded prices starts as far from its listed price as the leader does.
  const scale = (candles[0]?.open ?? 1) / (listings.find(({ symbol }) => symbol === leading)?.price ?? 1);
  const symbols = [...new Set([leading, ...others.map(([symbol]) => symbol), ...recording.funding.keys()])];
  const recorded = new Map<string, RecordedSymbol>();
  const coins = symbols.map((symbol, rank) => {
    const own = recording.candles.get(symbol);
    const funding = recording.funding.get(symbol);
    recorded.set(symbol, {
      ...(own === undefined ? {} : { candles: new Map(own.map((candle) => [candle.time, candle])) }),
      ...(funding === undefined ? {} : { funding }),
    });
    const listing = listingOf(symbol, { rank, price: own?.[0]?.open, scale });
    if (own === undefined) return createCoin({ seed, listing, factor });
    const moves = hourlyReturns(own);
    const first = (own[0]?.time ?? 0) / hour;
    return createCoin({ seed, listing, factor, returns: (at) => moves[at - first] ?? 0 });
  });
  return composeMarket({ seed, factor, coins, recorded, latest, outages: () => [] });
}
