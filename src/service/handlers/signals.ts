import { hour } from '../../runtime/units.ts';
import { estimateFearGreed, fearGreedFreshFor } from '../analytics/fear-greed.ts';
import { coinSignal, signalInputs, signalWindow } from '../analytics/signal.ts';
import type { RegimeRow } from '../archive/archive.ts';
import type { HandlerContext } from './handler.ts';

/** The signal of each coin that has candles. */
export async function coinSignals({
  archive,
  now,
  universe,
}: HandlerContext): Promise<ReadonlyMap<string, number>> {
  const to = now - hour;
  const [candles, funding, ratios] = await Promise.all([
    archive.readAll('candles1h', { from: to - signalWindow.candles, to }),
    archive.readAll('funding', { from: now - signalWindow.funding, to: now }),
    archive.readAll('topRatio', { from: now - signalWindow.ratios, to: now }),
  ]);
  const candlesOf = Map.groupBy(candles, ({ symbol }) => symbol);
  const fundingOf = Map.groupBy(funding, ({ symbol }) => symbol);
  const ratiosOf = Map.groupBy(ratios, ({ symbol }) => symbol);
  return new Map(
    universe.flatMap((symbol) => {
      const own = candlesOf.get(symbol);
      if (own === undefined) return [];
      const inputs = signalInputs({
        candles: own,
        funding: fundingOf.get(symbol) ?? [],
        ratios: ratiosOf.get(symbol) ?? [],
      });
      return [[symbol, coinSignal(inputs)] as const];
    }),
  );
}

/** 0 to 100: the published index where it is fresh, else our estimate. */
export async function fearGreedAt(
  { archive, now }: HandlerContext,
  regime: RegimeRow,
  signals: ReadonlyMap<string, number>,
): Promise<{ readonly fearGreed?: number }> {
  const [published] = await archive.last('observations', 'fear_greed', 1, now);
  const fearGreed =
    published !== undefined && now - published.time <= fearGreedFreshFor
      ? published.value
      : estimateFearGreed(regime, [...signals.values()]);
  return fearGreed === undefined ? {} : { fearGreed };
}
