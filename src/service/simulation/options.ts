import { day, hour } from '../../runtime/units.ts';
import { maxPain } from '../analytics/options.ts';
import type { OptionsSummary } from '../archive/archive.ts';
import type { SimulatedOption } from './market.ts';
import { drift, keyOf, normal } from './random.ts';

const year = 365 * day;

/** Returns Deribit's monthly expiry: the last Friday of the month, 08:00 UTC. `month` starts at 0. */
const lastFriday = (yearOf: number, month: number): number => {
  const end = Date.UTC(yearOf, month + 1, 0, 8);
  return end - ((new Date(end).getUTCDay() + 2) % 7) * day;
};

/** Returns the next `count` monthly expiries after `time`, nearest first. */
const monthlyExpiries = (time: number, count: number): number[] => {
  const date = new Date(time);
  const found: number[] = [];
  for (let month = 0; found.length < count; month += 1) {
    const expiry = lastFriday(date.getUTCFullYear(), date.getUTCMonth() + month);
    if (expiry > time) found.push(expiry);
  }
  return found;
};

/**
 * Returns the expiries that Deribit lists: three days, three Fridays, three months, and the quarters of the year ahead.
 * @param monthlies the next monthly expiries, of a year and a month
 */
const expiriesAt = (time: number, monthlies: readonly number[]): number[] => {
  const first = Math.floor((time - 8 * hour) / day + 1) * day + 8 * hour;
  const friday = first + ((5 - new Date(first).getUTCDay() + 7) % 7) * day;
  const quarters = monthlies.filter((at) => new Date(at).getUTCMonth() % 3 === 2);
  const all = [0, 1, 2].flatMap((index) => [first + index * day, friday + 7 * index * day]);
  return [...new Set([...all, ...monthlies.slice(0, 3), ...quarters])].sort((a, b) => a - b);
};

const niceLeads = [
  [1.5, 1],
  [2.2, 2],
  [3.5, 2.5],
  [7, 5],
] as const;

/** Returns a distance between strikes close to `target`: 1, 2, 2.5 or 5 times a power of ten. */
const niceStep = (target: number): number => {
  const power = 10 ** Math.floor(Math.log10(target));
  const lead = target / power;
  const [, nice = 10] = niceLeads.find(([below]) => lead < below) ?? [];
  return power * nice;
};

export interface OptionsMarket {
  readonly seed: number;
  spot(currency: string, time: number): number;
  /** Standard deviation of the log return of an hour without a shock. */
  sigma(currency: string, time: number): number;
}

interface ChainAsked {
  readonly currency: string;
  readonly time: number;
}

/**
 * Returns the options of the chain at a time, each strike's call before its put. Strikes and open interest are centred on the
 * spot price of the day before, so that instruments change once a day and max pain lags behind the price.
 */
export function chainAt(market: OptionsMarket, { currency, time }: ChainAsked): SimulatedOption[] {
  const chain: SimulatedOption[] = [];
  const key = keyOf(market.seed, `options:${currency}`);
  const spot = market.spot(currency, time);
  const centre = market.spot(currency, Math.floor(time / day) * day - day);
  const annual = 0.6 * market.sigma(currency, time) * Math.sqrt(24 * 365) + 0.18;
  const puts = 0.62 * Math.exp(0.3 * drift(key, time, 3 * day, 1) - 1.2 * Math.log(spot / centre));
  const size = currency === 'BTC' ? 60 : 600;
  const wobble = 0.01 * drift(key, time, 6 * hour, 2);
  const monthlies = monthlyExpiries(time, 13);
  for (const expiry of expiriesAt(time, monthlies)) {
    const years = (expiry - time) / year;
    const weight = (monthlies.includes(expiry) ? 4 : 1) * (0.7 + 0.5 * Math.exp(-years * 3));
    const width = Math.min(0.7, 0.05 + 1.1 * annual * Math.sqrt(Math.max(years, 1 / 365)));
    const step = niceStep((centre * width) / 12);
    const expected = 0.6 * width;
    for (let strike = Math.ceil((centre * (1 - width)) / step) * step; ; strike += step) {
      if (strike > centre * (1 + 1.4 * width)) break;
      if (strike <= 0) continue;
      const away = Math.log(strike / centre);
      const curve = away / (width + 0.05);
      const square = (strike / centre) * (strike / centre);
      // tanh(2 away), without the exponentials of Math.tanh.
      const tilt = 1 - 2 / (square * square + 1);
      const smile = annual + 0.25 * curve * curve - 0.04 * tilt;
      const impliedVolatility = Math.round((smile + wobble) * 10_000) / 100;
      for (const kind of ['C', 'P'] as const) {
        const skewed = (kind === 'C' ? away - 0.4 * expected : away + 0.5 * expected) / expected;
        const id = Math.round(strike * 10) * 2 + (kind === 'C' ? 0 : 1);
        const popular = 0.9 * normal(key, id, expiry / hour);
        const usual = size * weight * (kind === 'P' ? puts : 1);
        const openInterest = Math.round(usual * Math.exp(popular - (skewed * skewed) / 2) * 10) / 10;
        chain.push({ expiry, strike, kind, openInterest, impliedVolatility });
      }
    }
  }
  return chain;
}

/** Returns the archive's summary of the chain at a time: totals over all expiries, and max pain of the nearest monthly expiry. */
export function summaryAt(market: OptionsMarket, { currency, time }: ChainAsked): OptionsSummary {
  const chain = chainAt(market, { currency, time });
  const [nearest] = monthlyExpiries(time, 1);
  const sum = (kind: SimulatedOption['kind']) =>
    chain.reduce((total, option) => total + (option.kind === kind ? option.openInterest : 0), 0);
  const [calls, puts] = [sum('C'), sum('P')];
  const weighted = chain.reduce(
    (total, { openInterest, impliedVolatility }) => total + openInterest * impliedVolatility,
    0,
  );
  return {
    symbol: currency,
    time,
    callOI: Math.round(calls * 10) / 10,
    putOI: Math.round(puts * 10) / 10,
    maxPain: maxPain(chain.filter(({ expiry }) => expiry === nearest)) ?? 0,
    avgIV: weighted / (calls + puts),
  };
}
