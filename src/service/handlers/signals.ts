import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { hour } from '../../runtime/units.ts';
import { estimateFearGreed, fearGreedFreshFor } from '../analytics/fear-greed.ts';
import { coinSignal, type SignalInputs, signalInputs, signalWindow } from '../analytics/signal.ts';
import type { ArchiveReader, RegimeRow } from '../archive/archive.ts';
import { type HandlerContext, lastly } from './handler.ts';

/** What was computed of a coin from each series, and the time of the row it ended with. */
type Known = Map<string, { readonly [Name in SignalSeries]?: Part }>;
type SignalSeries = 'candles1h' | 'funding' | 'topRatio';
type Part = { readonly upTo: number; readonly inputs: SignalInputs };
const knownOf = new WeakMap<ArchiveReader, Known>();

/**
 * The signal of each of the symbols that has candles. Windows end with a coin's newest rows and not with `now`, so
 * that between two rows of a series what comes from it is the same and need not be computed again (100 coins cost
 * 0.2 s); a gap repaired meanwhile counts from the next row on.
 */
export async function coinSignals(
  { archive, now }: HandlerContext,
  symbols: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const known: Known = knownOf.get(archive) ?? new Map();
  knownOf.set(archive, known);
  const [candleTimes, fundingTimes, ratioTimes] = await Promise.all([
    archive.latest('candles1h', now - hour).then(timesOf),
    archive.latest('funding', now).then(timesOf),
    archive.latest('topRatio', now).then(timesOf),
  ]);
  const signals = new Map<string, number>();
  for (const symbol of symbols) {
    const candle = candleTimes.get(symbol);
    if (candle === undefined) continue;
    const funding = fundingTimes.get(symbol) ?? 0;
    const ratio = ratioTimes.get(symbol) ?? 0;
    const before = known.get(symbol) ?? {};
    const nothing = { candles: [], funding: [], ratios: [] };
    let anew = false;
    const part = async (
      series: SignalSeries,
      upTo: number,
      compute: () => Promise<SignalInputs>,
    ): Promise<Part> => {
      const same = before[series];
      if (same?.upTo === upTo) return same;
      anew = true;
      return { upTo, inputs: await compute() };
    };
    const [candles1h, settled, topRatio] = await Promise.all([
      part('candles1h', candle, async () => {
        const candles = await archive.read('candles1h', symbol, lastly(signalWindow.candles, candle));
        return signalInputs({ ...nothing, candles });
      }),
      part('funding', funding, async () => {
        const rows = await archive.read('funding', symbol, lastly(signalWindow.funding, funding));
        return signalInputs({ ...nothing, funding: rows });
      }),
      part('topRatio', ratio, async () => {
        const ratios = await archive.read('topRatio', symbol, lastly(signalWindow.ratios, ratio));
        return signalInputs({ ...nothing, ratios });
      }),
    ]);
    signals.set(symbol, coinSignal({ ...candles1h.inputs, ...settled.inputs, ...topRatio.inputs }));
    if (!anew) continue;
    known.set(symbol, { candles1h, funding: settled, topRatio });
    await yieldToOthers();
  }
  return signals;
}

const timesOf = (
  rows: readonly { readonly symbol: string; readonly time: number }[],
): ReadonlyMap<string, number> => new Map(rows.map(({ symbol, time }) => [symbol, time]));

/** 0 to 100: the published index where it is fresh, else our estimate. */
export async function fearGreedAt(
  context: HandlerContext,
  regime: RegimeRow,
): Promise<{ readonly fearGreed?: number }> {
  const { archive, now, universe } = context;
  const [published] = await archive.last('observations', 'fear_greed', 1, now);
  if (published !== undefined && now - published.time <= fearGreedFreshFor) {
    return { fearGreed: published.value };
  }
  const signals = await coinSignals(context, universe);
  const estimate = estimateFearGreed(regime, [...signals.values()]);
  return estimate === undefined ? {} : { fearGreed: estimate };
}
