import type { Chart } from '../alert/alert.ts';
import { allLiquidations, type Coverage } from '../client/all-liquidations.ts';
import type { DataClient } from '../contract/data-client.ts';
import { toChart } from '../detectors/kit/series.ts';
import { marketName } from '../language/format.ts';
import { join, msg } from '../language/text.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { factKey } from './facts.ts';
import { type MetricName, metricOf } from './metrics.ts';
import { type PastPoints, pastOf } from './past.ts';
import type { Comparison } from './words.ts';

/**
 * What posts of rules show beside the alert itself: prices by symbol, the past of the metric that each alert is
 * about, by `factKey`, and of which exchanges liquidations are counted.
 */
export interface Evidence {
  readonly prices: Readonly<Record<string, number>>;
  readonly pasts: Readonly<Record<string, PastPoints>>;
  readonly coverage?: Coverage | undefined;
}
export const noEvidence: Evidence = { prices: {}, pasts: {} };

/** What an alert is about: its metric if the condition is one comparison, and its symbol; undefined: the whole market. */
export interface Subject {
  readonly metric: MetricName | undefined;
  readonly symbol: string | undefined;
  readonly areLiquidations: boolean;
}

/** Whether a metric counts the liquidations of all exchanges that publish them. */
export const areLiquidations = (metric: MetricName): boolean => metricOf(metric).feed === 'liquidations';

interface Asking {
  readonly data: DataClient;
  readonly now: number;
  readonly signal: AbortSignal;
}

/**
 * How many alerts of one round get a chart. A post of several shows one, and the alerts furthest beyond their level
 * come first.
 */
const maxCharts = 3;
/** Hours that a chart goes back, if its metric has a past. */
const chartHours = 24;

/**
 * Asks for the prices and the pasts that alerts are shown with. What cannot be had is left out, because an alert does
 * not wait for its chart.
 *
 * @param subjects what the alerts are about, those furthest beyond their level first
 */
export async function gatherEvidence(subjects: readonly Subject[], asking: Asking): Promise<Evidence> {
  const { data, signal } = asking;
  const prices: Record<string, number> = {};
  const pasts: Record<string, PastPoints> = {};
  const symbols = new Set(subjects.flatMap(({ symbol }) => symbol ?? []));
  if (symbols.size > 0) {
    const { coins } = (await ifAnswered(data.marketOverview({}, signal))) ?? { coins: [] };
    for (const { symbol, price } of coins) if (symbols.has(symbol)) prices[symbol] = price;
  }
  const coverage = subjects.some(({ areLiquidations }) => areLiquidations)
    ? (await ifAnswered(allLiquidations(data, { limit: 1 }, signal)))?.coverage
    : undefined;
  for (const { metric, symbol } of subjects.slice(0, maxCharts)) {
    const past = metric && (await ifAnswered(pastOf(metric, { ...asking, symbol, hours: chartHours })));
    if (metric !== undefined && past !== undefined && past.length > 1) {
      pasts[factKey(metric, symbol)] = past;
    } else if (symbol !== undefined) {
      const points = await ifAnswered(pastOf('price.last', { ...asking, symbol, hours: chartHours }));
      if (points !== undefined && points.length > 1) pasts[factKey('price.last', symbol)] = points;
    }
  }
  return { prices, pasts, coverage };
}

/**
 * Returns the chart of an alert: the past of the metric that it compares, with its level, or else the price of its
 * market. Undefined: neither is known.
 */
export function evidenceChart(
  { pasts }: Evidence,
  symbol: string | undefined,
  compared: Comparison | undefined,
): Chart | undefined {
  const metric = compared?.metric ?? 'price.last';
  const points = pasts[factKey(metric, symbol)];
  if (points === undefined) {
    return compared === undefined || symbol === undefined || metric === 'price.last'
      ? undefined
      : evidenceChart({ prices: {}, pasts }, symbol, undefined);
  }
  const level = typeof compared?.level === 'number' ? compared.level : undefined;
  const levels = level === undefined ? [] : compared?.size === true ? [level, -level] : [level];
  const { words: name, unit, shape } = metricOf(metric);
  return toChart({
    subject: symbol === undefined ? name : join([marketName(symbol), name], ' '),
    unit,
    line: [name, points, shape],
    marks: levels.map((value) => [msg('your level'), value, 'caution'] as const),
  });
}
