import { ApiError } from '../../../runtime/errors.ts';
import { day, hour, minute } from '../../../runtime/units.ts';
import type { Observation } from '../../archive/archive.ts';
import { isUnknown } from '../../exchanges/failure.ts';
import type { MacroProvider } from '../../exchanges/macro.ts';
import type { MacroPerpetual, PageRequest, VenueClient } from '../../venues/venue.ts';
import { type AnyHistory, type CollectorContext, defineCollector, defineHistory } from './collector.ts';

/** Collects values of other markets (stock index, gold, …) from the configured provider, and from perpetuals on them. */
export default defineCollector({
  name: 'macro',
  every: 15 * minute,
  histories: (context) => [
    ...(context.macro === undefined ? [] : [provided(context.macro)]),
    ...perpetuals(context),
  ],
});

const provided = ({ series, step, read }: MacroProvider): AnyHistory =>
  defineHistory({
    series: 'observations',
    step,
    pageSteps: 1_000,
    wanted: 90 * day,
    needed: () => day,
    symbols: series,
    fetch: (symbol, page) => read(symbol, page),
  });

interface Candidate {
  readonly series: MacroPerpetual;
  readonly symbol: string;
  readonly candles: NonNullable<VenueClient['candles']>;
  readonly rows: number;
  readonly isPrimary: boolean;
}

/**
 * The hourly closes of the perpetuals on gold and on the S&P 500, each known when its hour ends: of the first venue that lists
 * one, the primary before the others. A simulated market has these values from its provider.
 */
function perpetuals({ exchanges, others }: CollectorContext): AnyHistory[] {
  const { venue, markets, streams } = exchanges;
  if (streams === undefined) return [];
  const candidates = [{ venue, client: markets }, ...others].flatMap(
    ({ venue: { roles, macro: offered = {} }, client: { candles } }, index) => {
      const rows = roles.candles?.rows;
      if (rows === undefined || candles === undefined) return [];
      const of = { candles, rows, isPrimary: index === 0 };
      return Object.entries(offered).map(
        ([series, symbol]): Candidate => ({ series: series as MacroPerpetual, symbol, ...of }),
      );
    },
  );
  return ['gold', 'sp500'].flatMap((asset) => {
    const ofAsset = candidates.filter(({ series }) => series.startsWith(asset));
    if (ofAsset.length === 0) return [];
    return [
      defineHistory({
        series: 'observations',
        step: hour,
        pageSteps: Math.min(...ofAsset.map(({ rows }) => rows)),
        wanted: 90 * day,
        // It adds to answers, and none waits for it.
        needed: () => 0,
        symbols: [...new Set(ofAsset.map(({ series }) => series))],
        fetch: (series, page) => closesOf(series, { page, candidates: ofAsset }),
      }),
    ];
  });
}

/** Returns the closes of the series if it is that of the first perpetual that is listed: then there is no other. */
async function closesOf(
  series: string,
  { page, candidates }: { readonly page: PageRequest; readonly candidates: readonly Candidate[] },
): Promise<Observation[]> {
  const opened = { ...page, from: page.from - hour, to: page.to - hour };
  for (const candidate of candidates) {
    try {
      const rows = await candidate.candles(candidate.symbol, { interval: '1h', page: opened });
      if (candidate.series !== series) return [];
      return rows
        .filter(({ time }) => time <= opened.to)
        .map(({ time, close }) => ({ symbol: series, time: time + hour, value: close }));
    } catch (error) {
      // Not listed, or no longer, which is no fault of the feed; nor is a stand-in that cannot be asked.
      if (!(error instanceof ApiError && (isUnknown(error) || !candidate.isPrimary))) throw error;
    }
  }
  return [];
}
