import type { Logger } from 'pino';
import { z } from 'zod';
import { type Clock, type MarketClock, steadyClock } from '../../runtime/clock.ts';
import { day, minute, second } from '../../runtime/units.ts';
import type { Archive } from '../archive/archive.ts';
import type { Listing, VenueClient } from '../venues/venue.ts';

/** Symbols that are always tracked, whatever their volume, because the regime and the overview need them. */
const alwaysTracked = ['BTCUSDT', 'ETHUSDT'];
/**
 * A tracked symbol is kept while its rank by volume is below this many times the wanted number, because ranks change every
 * day.
 */
const keptRankFactor = 1.2;
/** A symbol that is not tracked replaces one that is if its rank by volume is below this part of the wanted number. */
const enteringRankFactor = 0.5;
const renewEvery = day;
const key = 'universe';
const aheadKey = 'universe.ahead';

const storedUniverse = z.object({
  at: z.number(),
  wanted: z.int(),
  symbols: z.array(z.object({ symbol: z.string(), listed: z.number() })),
});
type StoredUniverse = z.output<typeof storedUniverse>;

/** Returns the symbols that the archive last stored as tracked, the largest volume first. */
export const trackedSymbols = async (archive: Pick<Archive, 'get'>): Promise<readonly string[]> =>
  storedUniverse.safeParse(await archive.get(key)).data?.symbols.map(({ symbol }) => symbol) ?? [];

/**
 * Chooses the wanted number of symbols by volume, largest first. Symbols that were tracked before are preferred while they
 * are near the top, except to those that come far to the top, as a new listing may. Symbols that are not traded, or had no
 * volume for a day, are never chosen.
 */
export function chooseUniverse(
  listings: readonly Listing[],
  wanted: number,
  tracked: readonly string[],
): Listing[] {
  const ranked = listings
    .filter(({ state, volume }) => state === undefined && volume > 0)
    .sort((a, b) => b.volume - a.volume || (a.symbol < b.symbol ? -1 : 1));
  const rank = new Map(ranked.map(({ symbol }, index) => [symbol, index]));
  const isBelow = (symbol: string, factor: number) => (rank.get(symbol) ?? Infinity) < wanted * factor;
  const sortPriority = ({ symbol }: Listing) => {
    if (alwaysTracked.includes(symbol)) return 0;
    if (isBelow(symbol, enteringRankFactor)) return 1;
    return tracked.includes(symbol) && isBelow(symbol, keptRankFactor) ? 2 : 3;
  };
  const chosen = ranked.toSorted((a, b) => sortPriority(a) - sortPriority(b)).slice(0, wanted);
  return chosen.sort((a, b) => b.volume - a.volume || (a.symbol < b.symbol ? -1 : 1));
}

export interface Universe {
  symbols(): readonly string[];
  /** Returns when trading of a symbol began, ms; 0 if unknown. */
  listedAt(symbol: string): number;
  /**
   * Returns by how many market ms our clock is ahead of the exchange's, as last measured, less the time by which our clock has
   * been put back since.
   */
  aheadBy(): number;
  measureClock(): Promise<void>;
  /** Returns whether symbols have been chosen, for the number that is wanted. */
  isUsable(): boolean;
  /** Returns whether the choice is a day old or older. */
  isStale(): boolean;
  renew(): Promise<void>;
  /**
   * Chooses by a list that the venue has just given: who ends leaves at once. A list that lacks a tracked symbol or its volume
   * is not followed otherwise, until that is known to be `ended`: lists lack a market now and then, and trading pauses.
   */
  follow(listings: readonly Listing[], ended: ReadonlySet<string>): Promise<void>;
}

/**
 * Opens the tracked symbols. They are stored in the archive, as is the difference of the clocks, so that a restart can begin
 * without an answer of the exchange.
 */
export async function openUniverse(options: {
  readonly archive: Archive;
  readonly markets: Pick<VenueClient, 'serverTime' | 'listings'>;
  readonly clock: MarketClock;
  readonly wanted: number;
  readonly log: Logger;
  /** Shows whether our clock has been put back. Absent: the system's. */
  readonly steady?: Clock;
}): Promise<Universe> {
  const { archive, markets, clock, wanted, log, steady = steadyClock } = options;
  let current: StoredUniverse = storedUniverse.safeParse(await archive.get(key)).data ?? {
    at: -Infinity,
    wanted,
    symbols: [],
  };
  let aheadBy = z.number().safeParse(await archive.get(aheadKey)).data ?? 0;
  const clockOffset = () => clock.now() - steady.now() * clock.speed;
  let offsetWhenMeasured = clockOffset();
  /** A smaller correction is found when the clock is next measured. */
  const leastPutBack = minute;
  const putBackBy = () => {
    const by = offsetWhenMeasured - clockOffset();
    return by >= leastPutBack ? by : 0;
  };
  return {
    symbols: () => current.symbols.map(({ symbol }) => symbol),
    listedAt: (symbol) => current.symbols.find((entry) => entry.symbol === symbol)?.listed ?? 0,
    aheadBy: () => (aheadBy === 0 ? 0 : Math.max(0, aheadBy - putBackBy())),
    isUsable: () => current.symbols.length > 0 && current.wanted === wanted,
    // A choice from the future was made while our clock was wrong: it would otherwise stay until then.
    isStale: () => Math.abs(clock.now() - current.at) >= renewEvery,
    async measureClock() {
      const askedAt = clock.now();
      const exchangeTime = await markets.serverTime();
      const difference = clock.now() - exchangeTime;
      // Any other difference may be the time that the response took, at the market's speed.
      const isAhead = askedAt > exchangeTime && difference > 2 * second * clock.speed;
      aheadBy = isAhead ? difference : 0;
      offsetWhenMeasured = clockOffset();
      if (aheadBy > 0) {
        log.warn(
          { aheadMs: Math.round(aheadBy) },
          'this machine’s clock is ahead of the exchange’s: synchronize it by NTP',
        );
      }
      await archive.put(aheadKey, aheadBy);
    },
    async renew() {
      await store(await markets.listings(), clock.now());
    },
    async follow(listings, ended) {
      const rows = new Map(listings.map((row) => [row.symbol, row]));
      const isOver = (symbol: string) =>
        rows.get(symbol)?.state === 'ENDED' || (!rows.has(symbol) && ended.has(symbol));
      const isTraded = (row: Listing | undefined) => row?.state === undefined && (row?.volume ?? 0) > 0;
      const symbols = current.symbols.filter(({ symbol }) => !isOver(symbol));
      if (symbols.every(({ symbol }) => isTraded(rows.get(symbol)))) await store(listings, current.at);
      else if (symbols.length < current.symbols.length) await put({ ...current, symbols });
    },
  };

  async function store(listings: readonly Listing[], at: number): Promise<void> {
    const tracked = current.symbols.map(({ symbol }) => symbol);
    const chosen = chooseUniverse(listings, wanted, tracked);
    if (chosen.length === 0) throw new Error('the exchange lists no perpetual against USDT');
    await put({ at, wanted, symbols: chosen.map(({ symbol, listed }) => ({ symbol, listed })) });
  }

  async function put(next: StoredUniverse): Promise<void> {
    await archive.put(key, next);
    current = next;
  }
}
