import type { Logger } from 'pino';
import { z } from 'zod';
import { type Clock, type MarketClock, steadyClock } from '../../runtime/clock.ts';
import { day, second } from '../../runtime/units.ts';
import type { Archive, Mark, OpenInterest } from '../archive/archive.ts';
import type { Listing, VenueClient } from '../venues/venue.ts';
import { type ClockDifference, openClockDifference } from './clock-difference.ts';

/**
 * A perpetual that the venue lists, with the newest that is known of it from requests about all markets at once. Of most,
 * nothing else is known: only those that are followed have a history.
 */
interface ListedMarket extends Listing {
  /** When the list was read, market ms. */
  readonly at: number;
  readonly mark?: Mark | undefined;
  readonly interest?: OpenInterest | undefined;
  /** Since when it has been followed because somebody asked about it, market ms. Absent: it is not, or is one of the largest. */
  readonly askedSince?: number | undefined;
}
export type ListedMarkets = ReadonlyMap<string, ListedMarket>;

/** How many markets are followed whether or not anybody asks about them, those with the largest volume. */
export type FollowedCount = number | 'all';

/** Symbols that are always followed, whatever their volume, because the regime and the overview need them. */
const alwaysFollowed = ['BTCUSDT', 'ETHUSDT'];
/** How long a market stays followed after somebody asked about it, market ms. */
const askedFor = day;
/**
 * A tracked symbol is kept while its rank by volume is below this many times the wanted number, because ranks change every
 * day.
 */
const keptRankFactor = 1.2;
/** A symbol that is not tracked replaces one that is if its rank by volume is below this part of the wanted number. */
const enteringRankFactor = 0.5;
const renewEvery = day;
const key = 'universe';
const askedKey = 'universe.asked';
const listedKey = 'universe.listed';
/** How often what is known of the listed markets is stored at most, wall ms. It is for a restart and for other processes. */
const storeEvery = 10 * second;

const storedUniverse = z.object({
  at: z.number(),
  wanted: z.union([z.int(), z.literal('all')]),
  /** The largest markets. */
  symbols: z.array(z.object({ symbol: z.string(), listed: z.number() })),
});
type StoredUniverse = z.output<typeof storedUniverse>;

/** By symbol: when somebody last asked about a market, market ms. */
const storedAsked = z.record(z.string(), z.number());
const readAsked = async (archive: Pick<Archive, 'get'>) =>
  new Map(Object.entries(storedAsked.safeParse(await archive.get(askedKey)).data ?? {}));

/** Notes that somebody asked about a market. The process that collects reads it with its next list. */
export async function noteAsked(
  archive: Pick<Archive, 'get' | 'put'>,
  symbol: string,
  at: number,
): Promise<void> {
  await archive.put(askedKey, Object.fromEntries((await readAsked(archive)).set(symbol, at)));
}

/** Returns the symbols that the archive last stored as followed, the largest first. */
export async function trackedSymbols(archive: Pick<Archive, 'get'>): Promise<readonly string[]> {
  const largest = storedUniverse.safeParse(await archive.get(key)).data?.symbols ?? [];
  return [...new Set([...largest.map(({ symbol }) => symbol), ...(await readAsked(archive)).keys()])];
}

/** Returns what the archive last stored of the listed markets, the largest volume first. */
export const readListed = async (archive: Pick<Archive, 'get'>): Promise<ListedMarkets> => {
  const stored = ((await archive.get(listedKey)) ?? []) as readonly ListedMarket[];
  return new Map(stored.map((market) => [market.symbol, market]));
};

/** The largest first. */
const byVolume = (a: Listing, b: Listing) => b.volume - a.volume || (a.symbol < b.symbol ? -1 : 1);

/**
 * Chooses the wanted number of markets by volume, largest first. One against USDC moves with that of the same coin against
 * USDT, so that it would only repeat each alert: it is not chosen beside that one. Markets that were
 * followed before are preferred while they are near the top, except to those that come far to the top, as a new listing may.
 * Markets that are not traded, or had no volume for a day, are never chosen.
 */
export function chooseUniverse(
  listings: readonly Listing[],
  wanted: FollowedCount,
  followed: readonly string[],
): Listing[] {
  const traded = listings.filter(({ state, volume }) => state === undefined && volume > 0).sort(byVolume);
  if (wanted === 'all') return traded;
  const names = new Set(traded.map(({ symbol }) => symbol));
  const ranked = traded.filter(
    ({ symbol }) => !(symbol.endsWith('USDC') && names.has(symbol.replace(/USDC$/, 'USDT'))),
  );
  const rank = new Map(ranked.map(({ symbol }, index) => [symbol, index]));
  const isBelow = (symbol: string, factor: number) => (rank.get(symbol) ?? Infinity) < wanted * factor;
  const sortPriority = ({ symbol }: Listing) => {
    if (alwaysFollowed.includes(symbol)) return 0;
    if (isBelow(symbol, enteringRankFactor)) return 1;
    return followed.includes(symbol) && isBelow(symbol, keptRankFactor) ? 2 : 3;
  };
  const chosen = ranked.toSorted((a, b) => sortPriority(a) - sortPriority(b)).slice(0, wanted);
  return chosen.sort(byVolume);
}

interface UniverseOptions {
  readonly archive: Archive;
  readonly markets: Pick<VenueClient, 'serverTime' | 'listings'>;
  readonly clock: MarketClock;
  readonly wanted: FollowedCount;
  readonly log: Logger;
  /** Called when something is newly known of the listed markets. */
  readonly onListed?: () => void;
  /** Shows whether our clock has been put back. Absent: the system's. */
  readonly steady?: Clock;
}

export interface Universe extends ClockDifference {
  /** Returns the followed markets, the largest volume first. */
  symbols(): readonly string[];
  /** Returns every market that the venue lists and trades, followed or not, the largest volume first. */
  listed(): ListedMarkets;
  /** Enters what a request about all markets at once said. Markets that are not listed are left out. */
  learn(newest: { readonly marks?: readonly Mark[]; readonly interest?: readonly OpenInterest[] }): void;
  /** Follows a listed market for a day from now on. Returns whether it was not followed before. */
  ask(symbol: string): boolean;
  /** Returns when trading of a symbol began, ms; 0 if unknown. */
  listedAt(symbol: string): number;
  /** Returns whether symbols have been chosen, for the number that is wanted. */
  isUsable(): boolean;
  /** Returns whether the choice is a day old or older. */
  isStale(): boolean;
  renew(): Promise<void>;
  /**
   * Chooses by a list that the venue has just given: who ends leaves at once. A list that lacks a followed market or its volume
   * is not obeyed otherwise, until that is known to be `ended`: lists lack a market now and then, and trading pauses.
   */
  applyList(listings: readonly Listing[], ended: ReadonlySet<string>): Promise<void>;
}

/**
 * Opens the listed and the followed markets. They are stored in the archive, as is the difference of the clocks, so that a
 * restart can begin without an answer of the exchange.
 */
export async function openUniverse(options: UniverseOptions): Promise<Universe> {
  const { archive, markets, clock, wanted, onListed, steady = steadyClock } = options;
  let current: StoredUniverse = storedUniverse.safeParse(await archive.get(key)).data ?? {
    at: -Infinity,
    wanted,
    symbols: [],
  };
  const asked = await readAsked(archive);
  let listed = await readListed(archive);
  let listedStoredAt = Number.NEGATIVE_INFINITY;
  const difference = await openClockDifference(options);
  let followed: readonly string[] = [];
  const chooseFollowed = () => {
    const largest = new Set(current.symbols.map(({ symbol }) => symbol));
    for (const [symbol, at] of asked) if (clock.now() - at >= askedFor) asked.delete(symbol);
    const listedAsked = [...asked.keys()].filter((symbol) => listed.has(symbol));
    const symbols = new Set([...largest, ...listedAsked]);
    listed = new Map(
      [...listed].map(([symbol, market]) => {
        const isAsked = asked.has(symbol) && !largest.has(symbol);
        const askedSince = isAsked ? (market.askedSince ?? asked.get(symbol)) : undefined;
        return [symbol, market.askedSince === askedSince ? market : { ...market, askedSince }];
      }),
    );
    const volumeOf = (symbol: string) => listed.get(symbol)?.volume ?? 0;
    followed = [...symbols].sort((a, b) => volumeOf(b) - volumeOf(a));
  };
  chooseFollowed();
  return {
    symbols: () => followed,
    listed: () => listed,
    learn({ marks = [], interest = [] }) {
      const next = new Map(listed);
      const enter = (symbol: string, known: Partial<ListedMarket>) => {
        const market = next.get(symbol);
        if (market !== undefined) next.set(symbol, { ...market, ...known });
      };
      for (const mark of marks) enter(mark.symbol, { mark });
      for (const row of interest) enter(row.symbol, { interest: row });
      setListed(next);
    },
    ask(symbol) {
      if (!listed.has(symbol)) return false;
      const isFollowed = followed.includes(symbol);
      asked.set(symbol, clock.now());
      if (isFollowed) return false;
      chooseFollowed();
      onListed?.();
      // Not stored, it is followed until this process ends.
      void archive.put(askedKey, Object.fromEntries(asked)).catch(() => {});
      return true;
    },
    listedAt: (symbol) =>
      (listed.get(symbol) ?? current.symbols.find((entry) => entry.symbol === symbol))?.listed ?? 0,
    ...difference,
    isUsable: () => current.symbols.length > 0 && current.wanted === wanted,
    // A choice from the future was made while our clock was wrong: it would otherwise stay until then.
    isStale: () => Math.abs(clock.now() - current.at) >= renewEvery,
    async renew() {
      const listings = await markets.listings();
      await list(listings);
      await store(listings, clock.now());
    },
    async applyList(listings, ended) {
      await list(listings, ended);
      const rows = new Map(listings.map((row) => [row.symbol, row]));
      const isOver = (symbol: string) =>
        rows.get(symbol)?.state === 'ENDED' || (!rows.has(symbol) && ended.has(symbol));
      const isTraded = (row: Listing | undefined) => row?.state === undefined && (row?.volume ?? 0) > 0;
      const symbols = current.symbols.filter(({ symbol }) => !isOver(symbol));
      if (symbols.every(({ symbol }) => isTraded(rows.get(symbol)))) await store(listings, current.at);
      else if (symbols.length < current.symbols.length) await put({ ...current, symbols });
    },
  };

  /** Takes a list of the venue. What it lacks stays listed until its trading is known to have ended. */
  async function list(listings: readonly Listing[], ended: ReadonlySet<string> = new Set()): Promise<void> {
    const at = clock.now();
    const rows = new Map(listings.map((row) => [row.symbol, row]));
    const traded = listings.flatMap((row) => {
      const before = listed.get(row.symbol);
      // A list may lack the volume of a market now and then.
      const volume = row.volume || (before?.volume ?? 0);
      if (row.state === undefined) return [{ ...before, ...row, volume, ends: row.ends, at }];
      return row.state === 'PENDING' && before !== undefined ? [before] : [];
    });
    const lacking = [...listed.values()].filter(({ symbol }) => !rows.has(symbol) && !ended.has(symbol));
    const next = [...traded, ...lacking].sort(byVolume);
    setListed(new Map(next.map((market) => [market.symbol, market])));
    for (const [symbol, at] of await readAsked(archive))
      if (at > (asked.get(symbol) ?? 0)) asked.set(symbol, at);
    chooseFollowed();
    if (steady.now() - listedStoredAt < storeEvery) return;
    listedStoredAt = steady.now();
    await archive.put(listedKey, next);
    await archive.put(askedKey, Object.fromEntries(asked));
  }

  function setListed(next: ListedMarkets): void {
    listed = next;
    onListed?.();
  }

  async function store(listings: readonly Listing[], at: number): Promise<void> {
    const before = current.symbols.map(({ symbol }) => symbol);
    const chosen = chooseUniverse(listings, wanted, before);
    if (chosen.length === 0) throw new Error('the exchange lists no perpetual that is traded');
    await put({ at, wanted, symbols: chosen.map(({ symbol, listed }) => ({ symbol, listed })) });
  }

  async function put(next: StoredUniverse): Promise<void> {
    await archive.put(key, next);
    current = next;
    chooseFollowed();
  }
}
