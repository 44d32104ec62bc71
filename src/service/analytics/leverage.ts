import { impliedLeverage } from '../../runtime/liquidation-price.ts';
import { hour } from '../../runtime/units.ts';
import type { Candle, Liquidation } from '../archive/archive.ts';
import { round } from './statistics.ts';

/** The time before its liquidation within which a position is assumed to have been opened, ms. */
export const entryWindow = 24 * hour;
/** The highest leverage that Binance USD-M offers on any symbol. */
const maxLeverage = 125;

/**
 * Estimates the leverage of liquidated positions. Each liquidation's price implies a leverage (at most 125) if the
 * position was entered at the volume-weighted price of the 24 h before; the result is their mean, weighted by USD.
 * Liquidated positions are those with the most leverage, so this is an upper estimate for all other positions.
 * Liquidations on the winning side of the assumed entry are left out.
 *
 * @param candles Hourly, ascending, from `entryWindow` before the first liquidation on.
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
    weighted += Math.min(leverage, maxLeverage) * price * quantity;
    usd += price * quantity;
    sampleSize += 1;
  }
  return usd > 0 ? { estimatedLeverage: round(weighted / usd, 1), sampleSize } : { sampleSize: 0 };
}

interface RunningSum {
  readonly closedAt: number;
  /** Sums over this candle and all before it. */
  readonly volume: number;
  readonly quote: number;
}

function runningSums(candles: readonly Candle[]): RunningSum[] {
  let [volume, quote] = [0, 0];
  return candles.map((candle) => {
    volume += candle.volume;
    quote += candle.quoteVolume;
    return { closedAt: candle.time + hour, volume, quote };
  });
}

/** Returns the volume-weighted price over the candles that closed after `from` and by `to`; undefined without volume. */
function averagePrice(sums: readonly RunningSum[], from: number, to: number): number | undefined {
  const last = sums.findLast(({ closedAt }) => closedAt <= to);
  const before = sums.findLast(({ closedAt }) => closedAt <= from);
  const volume = (last?.volume ?? 0) - (before?.volume ?? 0);
  return volume > 0 ? ((last?.quote ?? 0) - (before?.quote ?? 0)) / volume : undefined;
}
