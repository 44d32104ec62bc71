import type { Chart } from '../alert/alert.ts';
import type { DataClient } from '../contract/data-client.ts';
import { drawn } from '../detectors/kit/series.ts';
import { marketName } from '../language/format.ts';
import { join, msg } from '../language/text.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { factKey } from './facts.ts';
import { type MetricName, metricOf } from './metrics.ts';
import { type PastPoints, pastOf } from './past.ts';
import type { Comparison } from './words.ts';

/**
 * What posts of rules show beside the alert itself: prices by symbol, and the past of what each alert is about, by the
 * key of its fact.
 */
export interface Evidence {
  readonly prices: Readonly<Record<string, number>>;
  readonly pasts: Readonly<Record<string, PastPoints>>;
}
export const noEvidence: Evidence = { prices: {}, pasts: {} };

/** What an alert is about: one metric where it compares but one, and one market or the whole. */
export interface Subject {
  readonly metric: MetricName | undefined;
  readonly symbol: string | undefined;
}

interface Asking {
  readonly data: DataClient;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Charts made in one round: a group shows one, and the most telling come first. */
const pictured = 3;
/** Hours that a picture goes back, where its metric has a past. */
const back = 24;

/**
 * Reads the prices and pasts that these alerts are shown with, the most telling first. What cannot be had is left out,
 * as an alert does not wait for its chart.
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
  for (const { metric, symbol } of subjects.slice(0, pictured)) {
    const past = metric && (await ifAnswered(pastOf(metric, { ...asking, symbol, hours: back })));
    if (metric !== undefined && past !== undefined && past.length > 1) {
      pasts[factKey(metric, symbol)] = past;
    } else if (symbol !== undefined) {
      const points = await ifAnswered(pastOf('price.last', { ...asking, symbol, hours: back }));
      if (points !== undefined && points.length > 1) pasts[factKey('price.last', symbol)] = points;
    }
  }
  return { prices, pasts };
}

/** The past of what an alert compares, with its level; else the price of its market. */
export function evidenceChart(
  { pasts }: Evidence,
  { symbol, compared }: { readonly symbol: string | undefined; readonly compared: Comparison | undefined },
): Chart | undefined {
  const metric = compared?.metric ?? 'price.last';
  const points = pasts[factKey(metric, symbol)];
  if (points === undefined) {
    return compared === undefined || symbol === undefined || metric === 'price.last'
      ? undefined
      : evidenceChart({ prices: {}, pasts }, { symbol, compared: undefined });
  }
  const level = typeof compared?.level === 'number' ? compared.level : undefined;
  const levels = level === undefined ? [] : compared?.size === true ? [level, -level] : [level];
  const { words: name, unit } = metricOf(metric);
  return drawn({
    of: symbol === undefined ? name : join([marketName(symbol), name], ' '),
    unit,
    line: [name, points],
    marks: levels.map((value) => [msg('your level'), value, 'caution'] as const),
  });
}
