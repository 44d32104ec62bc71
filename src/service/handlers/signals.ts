import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { day, hour } from '../../runtime/units.ts';
import { coinSignal, signalInputs, signalWindow } from '../analytics/signal.ts';
import { clip, mean, round } from '../analytics/statistics.ts';
import type { ArchiveReader, RegimeRow } from '../archive/archive.ts';
import { type HandlerContext, lastWindow } from './handler.ts';

/**
 * Returns the signal of each symbol that has candles, as of the close of its newest candle. All inputs of a signal thus
 * have one time, and between two closes the signal does not change and is not computed again (100 coins take 0.2 s). A gap
 * in the data that is repaired meanwhile counts from the next close on; a change of the primary venue counts at once.
 */
export async function coinSignals(
  { archive, now, state, figures }: HandlerContext,
  symbols: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const candles = await archive.latest('candles1h', now - hour);
  const closes = new Map(candles.map(({ symbol, time }) => [symbol, time + hour]));
  const venue = state.venues?.[0]?.name;
  const signals = new Map<string, number>();
  for (const symbol of symbols) {
    const closed = closes.get(symbol);
    if (closed === undefined) continue;
    const signal = await figures.in(`${closed} ${venue}`, `signal ${symbol}`, async () => {
      // Other requests run between two coins.
      await yieldToOthers();
      return signalAt(archive, symbol, closed);
    });
    signals.set(symbol, signal);
  }
  return signals;
}

async function signalAt(archive: ArchiveReader, symbol: string, closed: number): Promise<number> {
  const before = (length: number) => lastWindow(length, closed - 1);
  const [candles, funding, ratios] = await Promise.all([
    archive.columns('candles1h', { symbol, window: before(signalWindow.candles) }),
    archive.columns('funding', { symbol, window: before(signalWindow.funding) }),
    archive.columns('topRatio', { symbol, window: before(signalWindow.ratios) }),
  ]);
  return coinSignal(signalInputs({ candles, funding, ratios }));
}

/** Returns the published index, 0 to 100; undefined if the index is missing or not fresh. */
export async function publishedFearGreed({
  archive,
  now,
}: Pick<HandlerContext, 'archive' | 'now'>): Promise<number | undefined> {
  const [published] = await archive.last('observations', { symbol: 'fear_greed', count: 1, to: now });
  return published !== undefined && now - published.time <= fearGreedFreshFor ? published.value : undefined;
}

/** Returns the published index if it is fresh, otherwise our estimate, 0 to 100. */
export async function fearGreedAt(context: HandlerContext, regime: RegimeRow): Promise<number> {
  const published = await publishedFearGreed(context);
  if (published !== undefined) return published;
  const signals = await coinSignals(context, context.tracked ?? context.universe);
  return estimateFearGreed(regime, [...signals.values()]);
}

/** The age up to which the published index is used, ms. It is published once a day. */
const fearGreedFreshFor = 2 * day;

/**
 * The points that each part can add to 50 or subtract from it; they sum to 50. This is our own estimate for when the
 * published index is unavailable, modelled on the index's main parts (alternative.me: volatility 25 %, momentum 25 %). It
 * must be labelled as an estimate.
 */
const fearGreedWeights = {
  /** p(RISK_ON) − p(RISK_OFF) of BTC. */
  regime: 20,
  /** Volatility above the median of its last year counts as fear, below as calm. */
  volatility: 15,
  /** The mean signal of all coins. It seldom exceeds 0.5, so it is doubled and clipped. */
  breadth: 15,
} as const;

/** Estimates the fear and greed index, 0 (fear) to 100 (greed). */
function estimateFearGreed(
  regime: Pick<RegimeRow, 'riskOn' | 'riskOff' | 'volatilityPercentile'>,
  signals: readonly number[],
): number {
  const breadth = signals.length === 0 ? 0 : clip(2 * mean(signals), 1);
  return round(
    50 +
      fearGreedWeights.regime * (regime.riskOn - regime.riskOff) +
      fearGreedWeights.volatility * (1 - regime.volatilityPercentile / 50) +
      fearGreedWeights.breadth * breadth,
    0,
  );
}
