import type { HourlyPrice } from '../alert/outcome.ts';
import { hour } from '../runtime/units.ts';

/** Half-lives in hours over which a market's volatility is measured: a shock, a session, a day, a week. */
const halfLives = [2, 8, 24, 168] as const;
const decays = halfLives.map((halfLife) => 0.5 ** (1 / halfLife));
/** In hourly standard deviations: beyond it, the size of a jump predicts less of what follows. */
const clip = 3;

/** The values from which the volatility at a moment is predicted; the first is 1. */
export type Features = readonly number[];

/**
 * The hourly prices of a symbol, and the features of its volatility at each hour, computed only from what was known
 * then.
 */
export interface Hours {
  readonly count: number;
  /** Logarithm of the price at an hour; NaN if it is unknown. */
  log(index: number): number;
  /** Market ms of an hour. */
  timeOf(index: number): number;
  /** Returns the features at each hour; undefined where too little before it is known. They are computed anew. */
  features(): (Features | undefined)[];
  /** Features at any moment (market ms) with its price, computed only from what was known then. */
  featuresAt(at: number, price: number): Features | undefined;
}

/** Hours that the averages need to settle. */
const settlingHours = 48;

/**
 * Computes the features of hourly prices.
 * @param prices the earliest first
 */
export function hoursOf(prices: readonly HourlyPrice[]): Hours {
  const first = prices[0]?.at ?? 0;
  const count = prices.length === 0 ? 0 : Math.round(((prices.at(-1)?.at ?? first) - first) / hour) + 1;
  const logs = new Float64Array(count).fill(Number.NaN);
  for (const { at, price } of prices) logs[Math.round((at - first) / hour)] = Math.log(price);
  const log = (index: number) => logs[index] ?? Number.NaN;

  let squares = 0;
  let known = 0;
  /** For each half-life: decaying sums of squared moves, and of their weights. */
  const sums = halfLives.map(() => new Float64Array(count));
  const weights = halfLives.map(() => new Float64Array(count));
  for (let index = 0; index < count; index += 1) {
    const square = (log(index) - log(index - 1)) ** 2;
    const seen = Number.isFinite(square);
    if (seen) {
      squares += square;
      known += 1;
    }
    for (const [which, decay] of decays.entries()) {
      const [sum, weight] = [sums[which] as Float64Array, weights[which] as Float64Array];
      sum[index] = decay * (sum[index - 1] ?? 0) + (seen ? (1 - decay) * square : 0);
      weight[index] = decay * (weight[index - 1] ?? 0) + (seen ? 1 - decay : 0);
    }
  }
  const scale = Math.sqrt(squares / known) || 1;

  /**
   * Computes the features at a moment: `part` of the hour after `index` has passed, and `now` is the logarithm of the
   * price.
   */
  function featuresFrom(
    index: number,
    { part, now }: { readonly part: number; readonly now: number },
  ): Features | undefined {
    if (index < settlingHours) return undefined;
    const logBefore = (hours: number) => {
      const at = index - hours;
      return part === 0 ? log(at) : log(at) * (1 - part) + log(at + 1) * part;
    };
    const last = Math.abs(now - logBefore(1)) / scale;
    const deviations = decays.map((decay, which) => {
      const kept = decay ** part;
      const sum = kept * (sums[which]?.[index] ?? 0) + (1 - decay) * (now - log(index)) ** 2;
      const weight = kept * (weights[which]?.[index] ?? 0) + (1 - decay) * part;
      return Math.sqrt(sum / weight) / scale;
    });
    const all: Features = [
      1,
      last,
      Math.min(last, clip),
      Math.abs(now - logBefore(4)) / scale,
      ...deviations,
    ];
    return all.every(Number.isFinite) ? all : undefined;
  }

  return {
    count,
    log,
    timeOf: (index) => first + index * hour,
    features: () => Array.from(logs, (now, index) => featuresFrom(index, { part: 0, now })),
    featuresAt(at, price) {
      const index = Math.floor((at - first) / hour);
      return featuresFrom(index, { part: (at - first) / hour - index, now: Math.log(price) });
    },
  };
}
