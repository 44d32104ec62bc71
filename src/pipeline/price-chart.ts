import { type Change, type Chart, severityRank } from '../alert/alert.ts';
import { panelsOf } from '../alert/panels.ts';
import { type CandleInterval, candleIntervals, candleLengths } from '../contract/candle-interval.ts';
import type { DataClient } from '../contract/data-client.ts';
import { marketName } from '../language/format.ts';
import { ifAnswered } from '../runtime/errors.ts';

/** The most candles of a chart, and of how many markets candles are asked for at once. */
const maxCandles = 72;
const maxMarkets = 5;

interface Wanted {
  readonly symbol: string;
  readonly interval: CandleInterval;
  readonly from: number;
  readonly limit: number;
}

/** Returns what is asked for a chart: the candles of the time that it shows. Undefined: it shows a price already, or no market’s. */
function wantedFor({ labels, annotations: { chart } }: Change, now: number): Wanted | undefined {
  const symbol = labels.symbol ?? chart?.priceOf;
  if (chart === undefined || symbol === undefined || chart.unit === 'USDT') return undefined;
  const times = panelsOf(chart).flatMap(({ series }) =>
    series.flatMap(({ points }) => points.map(([at]) => at)),
  );
  const from = Math.min(...times);
  const interval = candleIntervals.find((each) => now - from <= maxCandles * candleLengths[each]);
  // A minute's candles are not kept, so that a replay would have other charts than the live bot.
  if (!(now > from) || interval === undefined) return undefined;
  const shown = interval === '1m' ? '5m' : interval;
  return { symbol, interval: shown, from, limit: Math.ceil((now - from) / candleLengths[shown]) + 1 };
}

/** Puts the price above what an alert was judged by: people read there what happened, and what it was judged by below it. */
function withPrice(chart: Chart<Chart['title']>, { symbol, interval, from }: Wanted, rows: Rows): Chart {
  const length = candleLengths[interval];
  const candles = rows
    .map((row) => ({ ...row, at: Date.parse(row.open_time) + length }))
    .filter(({ at }) => at >= from);
  if (candles.length < 2) return chart;
  const { title, unit, series, marks, below, lanes = [], ...rest } = chart;
  return {
    ...rest,
    title,
    unit: 'USDT',
    series: [
      {
        name: marketName(symbol),
        points: candles.map(({ at, c }) => [at, Number(c)] as const),
        candles: candles.map(({ o, h, l, v }) => [Number(o), Number(h), Number(l), Number(v)] as const),
      },
    ],
    lanes: [
      { name: series[0]?.name ?? '', unit, series, marks },
      ...(below === undefined ? [] : [{ name: below.series[0]?.name ?? '', ...below }]),
      ...lanes,
    ],
  };
}

type Rows = Awaited<ReturnType<DataClient['candles']>>['data'];

/** Adds the price to the charts of alerts, of the most severe where there are many. What cannot be had is left out. */
export async function priceCharts(
  changes: readonly Change[],
  {
    data,
    now,
    signal,
  }: { readonly data: Pick<DataClient, 'candles'>; readonly now: number; readonly signal: AbortSignal },
): Promise<readonly Change[]> {
  const wanted = new Map(
    changes
      .toSorted((a, b) => severityRank(b.severity) - severityRank(a.severity))
      .flatMap((change) => {
        const one = wantedFor(change, now);
        return one === undefined ? [] : [[change, one] as const];
      })
      .slice(0, maxMarkets),
  );
  return Promise.all(
    changes.map(async (change) => {
      const one = wanted.get(change);
      const { chart } = change.annotations;
      if (one === undefined || chart === undefined) return change;
      const { symbol, interval, limit } = one;
      const answer = await ifAnswered(
        data.candles({ symbol, interval, limit: Math.min(limit, 1_000) }, signal),
        signal,
      );
      if (answer === undefined) return change;
      return { ...change, annotations: { ...change.annotations, chart: withPrice(chart, one, answer.data) } };
    }),
  );
}
