import { hour } from '../../runtime/units.ts';
import type { Candle, Liquidation } from '../archive/archive.ts';
import { impliedLeverage } from './liquidation-price.ts';
import { round } from './statistics.ts';

/** How long before its liquidation a position is taken to have been opened, ms. */
export const entryWindow = 24 * hour;
/** The largest that Binance USD-M offers on any symbol. */
const highest = 125;

/**
 * Estimate of the leverage of those who were liquidated: for each the one that its price implies, had it been entered
 * at the volume-weighted price of the 24 h before, at most 125; the mean weighted by USD. Those liquidated are the
 * ones with most leverage: it is an upper estimate for all others. Liquidations on the winning side of that entry are
 * left out.
 *
 * @param candles hourly, ascending, from `entryWindow` before the first liquidation on.
 */
export function liquidatedLeverage(
  liquidations: readonly Liquidation[],
  candles: readonly Candle[],
): { readonly estimatedLeverage?: number; readonly sampleSize: number } {
  const sums = runningSums(candles);
  let weighted = 0;
  let usd = 0;
  let sampleSize = 0;
  for (const { time, side, price, quantity } of liquidations) {
    const entry = averagePrice(sums, time - entryWindow, time);
    const leverage = entry === undefined ? undefined : impliedLeverage(side, entry, price);
    if (leverage === undefined) continue;
    weighted += Math.min(leverage, highest) * price * quantity;
    usd += price * quantity;
    sampleSize += 1;
  }
  return usd > 0 ? { estimatedLeverage: round(weighted / usd, 1), sampleSize } : { sampleSize: 0 };
}

interface Sum {
  /** When the candle closed, ms. */
  readonly closed: number;
  /** Of all candles up to it. */
  readonly volume: number;
  readonly quote: number;
}

function runningSums(candles: readonly Candle[]): Sum[] {
  let [volume, quote] = [0, 0];
  return candles.map((candle) => {
    volume += candle.volume;
    quote += candle.quoteVolume;
    return { closed: candle.time + hour, volume, quote };
  });
}

/** Volume-weighted, over the candles that closed after `from` and by `to`. */
// biome-ignore lint/complexity/useMaxParams: asked for every row of a past
function averagePrice(sums: readonly Sum[], from: number, to: number): number | undefined {
  const last = sums.findLast(({ closed }) => closed <= to);
  const before = sums.findLast(({ closed }) => closed <= from);
  const volume = (last?.volume ?? 0) - (before?.volume ?? 0);
  return volume > 0 ? ((last?.quote ?? 0) - (before?.quote ?? 0)) / volume : undefined;
}
