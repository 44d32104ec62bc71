import type { Candle, Liquidation, SeriesRows } from './archive.ts';

type Numbers<Row> = Row extends unknown ? Exclude<keyof Row, 'symbol' | 'time' | 'side'> : never;
type Quantity = Numbers<SeriesRows[keyof SeriesRows] | Liquidation>;

const above0 = (value: number) => value > 0 && value < Number.POSITIVE_INFINITY;
const from0 = (value: number) => value >= 0 && value < Number.POSITIVE_INFINITY;
/** A fraction of the position, either way. No venue lets a rate reach a tenth of that. */
const upTo1 = (value: number) => value >= -1 && value <= 1;

/**
 * The values that each quantity can have. A traded market has a price and somebody who holds it: what is said to have neither
 * would leave infinite and undefined numbers in everything that is computed from it.
 */
const ranges: Readonly<Record<Quantity, (value: number) => boolean>> = {
  open: above0,
  high: above0,
  low: above0,
  close: above0,
  volume: from0,
  takerBuy: from0,
  quoteVolume: from0,
  rate: upTo1,
  contracts: above0,
  valueUsd: above0,
  markPrice: above0,
  indexPrice: above0,
  estFunding: upTo1,
  fundingHours: from0,
  longRatio: (value) => value >= 0 && value <= 1,
  bidPrice: above0,
  askPrice: above0,
  imbalance: upTo1,
  callOI: from0,
  putOI: from0,
  maxPain: above0,
  avgIV: from0,
  riskOn: (value) => value >= 0 && value <= 1,
  riskOff: (value) => value >= 0 && value <= 1,
  state: upTo1,
  trend: upTo1,
  volatilityPercentile: from0,
  model: from0,
  value: Number.isFinite,
  price: above0,
  quantity: above0,
};

/** Returns the name of a quantity of the row whose value cannot be; undefined if there is none. */
export function impossibleQuantity(row: object): string | undefined {
  for (const name in row) {
    const value = (row as Record<string, unknown>)[name];
    // The state of a listing is a word, that of a regime a number. What is undefined is not said.
    if (
      value !== undefined &&
      typeof value !== 'string' &&
      ranges[name as Quantity]?.(value as number) === false
    )
      return name;
  }
  if (isMoreThanAll(row as Partial<Candle>)) return 'takerBuy';
  return 'high' in row && isTornApart(row as Candle) ? 'high' : undefined;
}

/** Whether takers are said to have bought more than was traded. */
const isMoreThanAll = ({ takerBuy = 0, volume = 0 }: Partial<Candle>): boolean => takerBuy > volume;

/** Whether a candle’s open or close lies outside of its high and low, or these are the wrong way round. */
const isTornApart = ({ open, high, low, close }: Candle): boolean =>
  Math.max(open, close, low) > high || Math.min(open, close) < low;

export const isPossible = (row: object): boolean => impossibleQuantity(row) === undefined;
