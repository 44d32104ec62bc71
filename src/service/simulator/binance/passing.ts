import { day } from '../../../runtime/units.ts';
import type { Market } from '../market.ts';

/** Coins that are listed one after the other for some days; nobody trades them, so that they are never tracked. */
const coins = [
  { base: 'ZEPHYR', price: '0.42000' },
  { base: 'QUARTZ', price: '3.1500' },
  { base: 'LANTERN', price: '0.018200' },
  { base: 'MERIDIAN', price: '12.400' },
  { base: 'COBALT', price: '0.77000' },
] as const;

/** From one announcement to the next. `npm start` begins between one and its listing. */
const every = 4 * day;
const anchor = Date.UTC(2025, 10, 13);
/** Ages: from its announcement to when it is no longer on the list. */
const life = {
  listed: day,
  interval: 5.5 * day,
  endAnnounced: 8.25 * day,
  ended: 10.25 * day,
  gone: 12 * day,
} as const;

/** What a made market lists beside its coins, so that listings, delistings and changed intervals are seen there. */
export function passingListings(market: Pick<Market, 'latest'>, now: number) {
  // Beside what was recorded nothing is made up.
  if (market.latest !== Number.POSITIVE_INFINITY) return [];
  const newest = Math.floor((now - anchor) / every);
  return Array.from({ length: life.gone / every }, (_, back) => passing(newest - back, now));
}

function passing(turn: number, now: number) {
  const begin = anchor + turn * every;
  const age = now - begin;
  const index = ((turn % coins.length) + coins.length) % coins.length;
  const { base, price } = coins[index] ?? coins[0];
  const symbol = `${base}USDT`;
  return {
    symbol,
    fundingHours: age < life.interval ? 8 : 4,
    row: {
      symbol,
      pair: symbol,
      baseAsset: base,
      onboardDate: begin + life.listed,
      ...(age < life.listed && { contractType: '', status: 'PENDING_TRADING' }),
      ...(age >= life.endAnnounced && { deliveryDate: begin + life.ended }),
      ...(age >= life.ended && { status: 'SETTLING' }),
    },
    ticker: { symbol, lastPrice: age < life.listed ? '0' : price, volume: '0', quoteVolume: '0' },
  };
}
