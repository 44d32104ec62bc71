import { hour, minute } from '../../runtime/units.ts';
import type { Liquidation } from '../archive/archive.ts';
import type { Coin } from './coin.ts';
import type { Ratios, SimulatedTopOfBook } from './market.ts';
import { dailyVolume, ramp } from './price.ts';
import { bits, drift, normal, uniform } from './random.ts';

/**
 * Returns the funding rate by Binance's formula: the premium, moved towards the interest rate by at most 0.05 %. Because of
 * this, many settlements are at exactly 0.01 %.
 */
const fundingRate = (premiumBp: number, hours: number): number => {
  const premium = premiumBp / 10_000;
  const rate = premium + Math.min(0.0005, Math.max(-0.0005, 0.0001 - premium));
  return Math.round(Math.min(0.02, Math.max(-0.02, (rate * hours) / 8)) * 1e8) / 1e8;
};

/** Returns the funding rate of the period from `start` as known at `time`, from the mean premium of the hours begun by then. */
export const rateSince = (coin: Coin, start: number, time: number): number => {
  let total = 0;
  let count = 0;
  for (let at = start / hour; at * hour < time || count === 0; at += 1) {
    total += coin.premium(at);
    count += 1;
  }
  return fundingRate(total / count, coin.listing.fundingHours);
};

/** Returns the mark price divided by the index price, less one. It follows the premium without the premium's usual level. */
export const basisAt = (coin: Coin, time: number): number => {
  const at = Math.floor(time / hour);
  const between = time / hour - at;
  const premium = coin.premium(at) * (1 - between) + coin.premium(at + 1) * between;
  return (0.5 + 0.8 * (premium + 4.6) + 0.6 * drift(coin.key, time, 5 * minute, 50)) / 10_000;
};

/**
 * Returns the open contracts: interpolated between the hours, with the sudden changes within an hour and a little noise every
 * 5 minutes.
 */
export const contractsAt = (coin: Coin, time: number): number => {
  const at = Math.floor(time / hour);
  const fraction = time / hour - at;
  const burst = coin.burst(at);
  const step = burst?.step ?? 0;
  const start = coin.openInterest(at);
  const slow = (coin.openInterest(at + 1) - start - step) * fraction;
  const sudden = burst === undefined ? 0 : step * ramp(fraction, burst.span);
  const noise = 0.0004 * normal(coin.key, Math.floor(time / (5 * minute)), 51);
  const usual = (0.45 * dailyVolume(coin.listing.rank)) / coin.listing.price;
  const scale = 10 ** coin.listing.quantityDecimals;
  return Math.round(usual * Math.exp(start + slow + sudden + noise) * scale) / scale;
};

/** Returns the shares of longs. They fall as the price rises, more among all accounts than among top traders. */
export const ratiosAt = (coin: Coin, time: number): Ratios => {
  const at = Math.floor(time / hour);
  const move = coin.log(at) - coin.log(Math.max(coin.genesis, at - 24));
  const clampShare = (share: number) => Math.min(0.9, Math.max(0.1, share));
  return {
    top: clampShare(0.54 + 0.05 * drift(coin.key, time, 16 * hour, 52) - 0.3 * move),
    global: clampShare(0.58 + 0.06 * drift(coin.key, time, 10 * hour, 53) - 0.9 * move),
  };
};

/** Returns the top of the book of a minute. The spread is wider for coins with little volume and during sudden moves. */
export const bookAt = (coin: Coin, time: number, price: number): SimulatedTopOfBook => {
  const at = Math.floor(time / hour);
  const index = Math.floor(time / minute);
  const { rank, priceDecimals, quantityDecimals } = coin.listing;
  const burst = coin.burst(at);
  const fraction = time / hour - at;
  const busy = burst !== undefined && fraction >= burst.span.from && fraction <= burst.span.to ? 4 : 1;
  const tick = 10 ** -priceDecimals;
  const width = price * (0.00002 + 0.000006 * rank) * busy * Math.exp(0.4 * normal(coin.key, index, 54));
  const ticks = Math.max(1, Math.round(width / tick));
  const bid = Math.round(price / tick) - Math.floor(ticks / 2);
  const lean = Math.tanh(0.5 * drift(coin.key, time, 20 * minute, 55) + 0.25 * normal(coin.key, index, 56));
  const size = (dailyVolume(rank) / 200_000 / price) * Math.exp(0.5 * normal(coin.key, index, 57));
  const scale = 10 ** quantityDecimals;
  const quantity = (share: number) => Math.max(1, Math.round(size * share * scale)) / scale;
  return {
    bidPrice: Number((bid * tick).toFixed(priceDecimals)),
    bidQuantity: quantity(1 + lean),
    askPrice: Number(((bid + ticks) * tick).toFixed(priceDecimals)),
    askQuantity: quantity(1 - lean),
  };
};

/** Draws from a Poisson distribution by inversion, which suits the small means used here. */
const poisson = (mean: number, draw: number): number => {
  let term = Math.exp(-mean);
  let sum = term;
  let count = 0;
  while (draw > sum && count < 200) {
    count += 1;
    term *= mean / count;
    sum += term;
  }
  return count;
};

/**
 * Returns the liquidations of one hour, ascending: a few at any time, and a cascade within the span of a shock. There is at
 * most one per second, as on the exchange.
 */
export function liquidationsOf(
  coin: Coin,
  at: number,
  priceOf: (time: number) => number,
): readonly Liquidation[] {
  const { key, listing } = coin;
  const sigma = coin.sigma(at);
  const move = (coin.log(at + 1) - coin.log(at)) / sigma;
  const burst = coin.burst(at);
  const force = burst === undefined ? 0 : Math.abs(burst.shock) / sigma;
  const thin = (listing.rank + 1) ** -0.45;
  const few = poisson(Math.min(30, 12 * thin * (0.6 + 0.4 * Math.abs(move))), uniform(key, at, 60));
  const many = force > 2 ? Math.min(400, Math.round(7 * thin ** 0.6 * force ** 1.3)) : 0;
  const taken = new Set<number>();
  const events: Liquidation[] = [];
  for (let index = 0; index < few + many; index += 1) {
    const salt = 1_000 + index * 8;
    const cascade = index >= few;
    const draw = uniform(key, at, salt);
    const { from, to } = cascade && burst !== undefined ? burst.span : { from: 0, to: 1 };
    const secondOf = Math.floor((from + (to - from) * (cascade ? 0.5 * (draw + draw ** 2) : draw)) * 3600);
    if (taken.has(secondOf)) continue;
    taken.add(secondOf);
    const time = at * hour + secondOf * 1_000 + (bits(key, at, salt + 1) % 1_000);
    const falling = cascade ? (burst?.shock ?? 0) < 0 : move < 0;
    const odds = cascade ? 0.96 : 0.5 + 0.3 * Math.tanh(Math.abs(move));
    const long = uniform(key, at, salt + 2) < odds ? falling : !falling;
    const usd = (cascade ? 9_000 : 3_000) * thin ** 0.5 * Math.exp(1.3 * normal(key, at, salt + 3));
    const price = priceOf(time);
    const scale = 10 ** listing.quantityDecimals;
    const quantity = Math.max(1, Math.round((usd / price) * scale)) / scale;
    events.push({ symbol: listing.symbol, time, side: long ? 'LONG' : 'SHORT', price, quantity });
  }
  return events.sort((a, b) => a.time - b.time);
}
