import { hour, minute } from '../../runtime/units.ts';
import { type Coin, createCoin } from './coin.ts';
import { composeMarket } from './compose.ts';
import defaultCheckpoint from './default-checkpoint.json' with { type: 'json' };
import { type Factor, syntheticFactor } from './factor.ts';
import { listings, type SimulatedListing, unbroken } from './listings.ts';
import type { Market, SimulatedOutage, SimulatedUpstream } from './market.ts';
import { keyOf, uniform } from './random.ts';

export const defaultSeed = 7;

/** Market time at which `npm start` begins, ms. Chosen for the events of its next hours. */
export const simulationStart = Date.parse('2025-11-13T15:52:00.000Z');

interface SyntheticMarketOptions {
  readonly seed: number;
  /** Number of perpetuals, the largest by volume; 30 to 600. Absent: 600. */
  readonly symbols?: number | undefined;
}

/** Creates a generated market from 2023-01-01 on, without end. All of its data is a function of (seed, market time). */
export function syntheticMarket({ seed, symbols = listings.length }: SyntheticMarketOptions): Market {
  if (!Number.isInteger(symbols) || symbols < 30 || symbols > listings.length) {
    throw new RangeError(`symbols must be a whole number from 30 to ${listings.length}, not ${symbols}`);
  }
  const factor = syntheticFactor(seed);
  const market = composeMarket({
    seed,
    factor,
    coins: coinsOf(listings.slice(0, symbols), seed, factor),
    recorded: new Map(),
    latest: Number.POSITIVE_INFINITY,
    outages: (from, to) => outagesBetween(seed, from, to),
  });
  // Without it the first question about all coins of `npm start` computes a hundred coins from 2023 on, which takes 1.5 s.
  if (seed === defaultSeed) market.resume(defaultCheckpoint);
  return market;
}

/** Creates the coins. A perpetual against USDC moves as the one against USDT does. */
function coinsOf(wanted: readonly SimulatedListing[], seed: number, factor: Factor): Coin[] {
  const byBase = new Map<string, Coin>();
  return wanted.map((listing) => {
    const twin = byBase.get(listing.base);
    const coin =
      twin === undefined
        ? createCoin({ seed, listing, factor, broken: listing.rank >= unbroken })
        : { ...twin, listing };
    byBase.set(listing.base, coin);
    return coin;
  });
}

const upstreams: readonly SimulatedUpstream[] = ['liquidations', 'openInterest', 'binance', 'deribit'];

/** Returns the outages in a span. In about a third of all half days one upstream fails for 10 to 40 minutes. */
function outagesBetween(seed: number, from: number, to: number): SimulatedOutage[] {
  const key = keyOf(seed, 'outages');
  const block = 12 * hour;
  const found: SimulatedOutage[] = [];
  for (let index = Math.floor(from / block) - 1; index * block <= to; index += 1) {
    if (uniform(key, index, 1) > 0.35) continue;
    const start = index * block + Math.floor(uniform(key, index, 2) * 680) * minute;
    const end = start + (10 + Math.floor(uniform(key, index, 3) * 31)) * minute;
    const upstream = upstreams[Math.floor(uniform(key, index, 4) * upstreams.length)] ?? 'binance';
    if (end >= from && start <= to) found.push({ upstream, from: start, to: end });
  }
  return found;
}
