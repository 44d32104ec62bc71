import { day } from '../../runtime/units.ts';
import type { Market } from './market.ts';

/** Coins that are listed one after another for some days each. They have no volume, so they are never tracked. */
const coins = [
  { base: 'ZEPHYR', price: 0.42 },
  { base: 'QUARTZ', price: 3.15 },
  { base: 'LANTERN', price: 0.0182 },
  { base: 'MERIDIAN', price: 12.4 },
  { base: 'COBALT', price: 0.77 },
] as const;

/** Time from one announcement to the next. `npm start` begins between an announcement and its listing. */
const announceEvery = 4 * day;
const firstAnnouncedAt = Date.UTC(2025, 10, 13);
/** The events of a coin's life as ages since its announcement; at `gone` the coin leaves the list. */
const stageAges = {
  listed: day,
  interval: 5.5 * day,
  endAnnounced: 8.25 * day,
  ended: 10.25 * day,
  gone: 12 * day,
} as const;

/** A perpetual that is listed beside those of the market's coins, and has no volume. */
interface TemporaryListing {
  readonly symbol: string;
  readonly base: string;
  readonly fundingHours: number;
  /** When its trading begins, ms. */
  readonly listed: number;
  /** Absent before its trading has begun. */
  readonly price: number | undefined;
  /** Whether trading has not begun or has ended. Absent: the perpetual is traded. */
  readonly state: 'PENDING' | 'ENDED' | undefined;
  /** When its trading ends, ms, if that has been announced. */
  readonly ends: number | undefined;
}

/**
 * Returns short-lived listings that a generated market has in addition to its coins, so that new listings, delistings and
 * changed settlement intervals occur.
 */
export function temporaryListings(market: Pick<Market, 'latest'>, now: number): TemporaryListing[] {
  // A recorded market gets no invented listings.
  if (market.latest !== Number.POSITIVE_INFINITY) return [];
  const newest = Math.floor((now - firstAnnouncedAt) / announceEvery);
  return Array.from({ length: stageAges.gone / announceEvery }, (_, back) =>
    temporaryListing(newest - back, now),
  );
}

function temporaryListing(turn: number, now: number): TemporaryListing {
  const begin = firstAnnouncedAt + turn * announceEvery;
  const age = now - begin;
  const index = ((turn % coins.length) + coins.length) % coins.length;
  const { base, price } = coins[index] ?? coins[0];
  const isPending = age < stageAges.listed;
  return {
    symbol: `${base}USDT`,
    base,
    fundingHours: age < stageAges.interval ? 8 : 4,
    listed: begin + stageAges.listed,
    price: isPending ? undefined : price,
    state: isPending ? 'PENDING' : age >= stageAges.ended ? 'ENDED' : undefined,
    ends: age >= stageAges.endAnnounced ? begin + stageAges.ended : undefined,
  };
}
