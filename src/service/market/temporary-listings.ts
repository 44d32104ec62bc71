import { day } from '../../../runtime/units.ts';
import type { Market } from '../market.ts';

/** Coins that are listed one after another for some days each. They have no volume, so they are never tracked. */
const coins = [
  { base: 'ZEPHYR', price: '0.42000' },
  { base: 'QUARTZ', price: '3.1500' },
  { base: 'LANTERN', price: '0.018200' },
  { base: 'MERIDIAN', price: '12.400' },
  { base: 'COBALT', price: '0.77000' },
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

/**
 * Returns short-lived listings that a generated market has in addition to its coins, so that new listings, delistings and
 * changed settlement intervals occur.
 */
export function temporaryListings(market: Pick<Market, 'latest'>, now: number) {
  // A recorded market gets no invented listings.
  if (market.latest !== Number.POSITIVE_INFINITY) return [];
  const newest = Math.floor((now - firstAnnouncedAt) / announceEvery);
  return Array.from({ length: stageAges.gone / announceEvery }, (_, back) =>
    temporaryListing(newest - back, now),
  );
}

function temporaryListing(turn: number, now: number) {
  const begin = firstAnnouncedAt + turn * announceEvery;
  const age = now - begin;
  const index = ((turn % coins.length) + coins.length) % coins.length;
  const { base, price } = coins[index] ?? coins[0];
  const symbol = `${base}USDT`;
  return {
    symbol,
    fundingHours: age < stageAges.interval ? 8 : 4,
    row: {
      symbol,
      pair: symbol,
      baseAsset: base,
      onboardDate: begin + stageAges.listed,
      ...(age < stageAges.listed && { contractType: '', status: 'PENDING_TRADING' }),
      ...(age >= stageAges.endAnnounced && { deliveryDate: begin + stageAges.ended }),
      ...(age >= stageAges.ended && { status: 'SETTLING' }),
    },
    ticker: { symbol, lastPrice: age < stageAges.listed ? '0' : price, volume: '0', quoteVolume: '0' },
  };
}
