import type { Chart } from '../alert/alert.ts';
import { fundingHours } from '../client/funding-hours.ts';
import type { DataClient } from '../contract/data-client.ts';
import { yearlyPct } from '../contract/settlements.ts';
import { charted } from '../detectors/kit/series.ts';
import { marketName } from '../language/format.ts';
import { join, msg } from '../language/text.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { day, hour } from '../runtime/units.ts';
import { factKey } from './facts.ts';
import type { Reading } from './feed.ts';
import { feeds } from './feeds.ts';
import { type MetricName, metricOf } from './metrics.ts';
import { type Comparison, metricWords } from './words.ts';

type Points = readonly (readonly [number, number])[];

/** What stands around alerts that are told: prices by symbol, and the past of what they are about by its fact's key. */
export interface Scene {
  readonly prices: Readonly<Record<string, number>>;
  readonly pasts: Readonly<Record<string, Points>>;
}
export const bare: Scene = { prices: {}, pasts: {} };

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

/** Pictures of one round: a group shows one, and the most telling come first. */
const pictured = 3;
/** Hours that a picture goes back, where its metric has a past. */
const back = 24;

/** Sets the scene of these alerts, the most telling first. What cannot be had is left out: an alert does not wait for it. */
export async function setScene(subjects: readonly Subject[], asking: Asking): Promise<Scene> {
  const { data, signal } = asking;
  const prices: Record<string, number> = {};
  const pasts: Record<string, Points> = {};
  const symbols = new Set(subjects.flatMap(({ symbol }) => symbol ?? []));
  if (symbols.size > 0) {
    const { coins } = (await ifAnswered(data.marketOverview({}, signal))) ?? { coins: [] };
    for (const { symbol, price } of coins) if (symbols.has(symbol)) prices[symbol] = price;
  }
  for (const { metric, symbol } of subjects.slice(0, pictured)) {
    const told = metric && (await ifAnswered(pastOf(metric, symbol, asking)));
    if (metric !== undefined && told !== undefined && told.length > 1) {
      pasts[factKey(metric, symbol)] = told;
    } else if (symbol !== undefined) {
      const points = await ifAnswered(pricePast(symbol, asking));
      if (points !== undefined && points.length > 1) pasts[factKey('price.last', symbol)] = points;
    }
  }
  return { prices, pasts };
}

async function pastOf(metric: MetricName, symbol: string | undefined, asking: Asking): Promise<Points> {
  const { data, now, signal } = asking;
  const feed = feeds[metricOf(metric).feed];
  if (metric === 'price.last' && symbol !== undefined) return pricePast(symbol, asking);
  if (feed.past > 0 && symbol !== undefined) {
    const rows = await feed.read({ data, symbols: [symbol], hours: back, now, signal });
    return pointsOf(metric, rows).filter(([at]) => at > now - day);
  }
  switch (metric) {
    case 'funding.ratePct':
    case 'funding.annualizedPct':
    case 'funding.perYearPct': {
      const [{ data: rows }, hours] = await Promise.all([
        data.fundingHistory({ symbol, limit: settlements }, signal),
        fundingHours(data, signal),
      ]);
      return pointsOf(
        metric,
        rows.map(({ timestamp, rate, annualized }) => ({
          time: Date.parse(timestamp),
          values: {
            'funding.ratePct': Number(rate) * 100,
            'funding.annualizedPct': Number(annualized),
            'funding.perYearPct': yearlyPct(Number(rate), hours.get(symbol ?? '')),
          },
        })),
      );
    }
    case 'regime.score': {
      const { data: rows } = await data.regimeHistory({ days: 7 }, signal);
      return rows.map(({ timestamp, score }) => [Date.parse(timestamp), score] as const).reverse();
    }
    case 'macro.sp500':
    case 'macro.gold':
    case 'macro.dxy': {
      const { data: rows } = await data.crossAssetHistory({ hours: 7 * back }, signal);
      return rows.flatMap((row) => {
        const value = row[assets[metric]];
        return value === undefined ? [] : [[Date.parse(row.timestamp), value] as const];
      });
    }
    default:
      return [];
  }
}

/** Ten days of every eight hours. */
const settlements = 30;
const assets = { 'macro.sp500': 'sp500', 'macro.gold': 'gold', 'macro.dxy': 'dxy' } as const;

async function pricePast(symbol: string, { data, now, signal }: Asking): Promise<Points> {
  const { price, candles24h } = await data.intelligence({ symbol }, signal);
  const closed = candles24h.map(({ open_time, c }) => [Date.parse(open_time) + hour, Number(c)] as const);
  return [...closed.filter(([at]) => at < now), [now, price]];
}

const pointsOf = (metric: MetricName, rows: readonly Reading[]): Points =>
  rows.flatMap(({ time, values }) => {
    const value = values[metric];
    return typeof value === 'number' ? [[time, value] as const] : [];
  });

/** The past of what an alert compares, with its level; else the price of its market. */
export function sceneChart(
  { pasts }: Scene,
  symbol: string | undefined,
  compared: Comparison | undefined,
): Chart | undefined {
  const metric = compared?.metric ?? 'price.last';
  const points = pasts[factKey(metric, symbol)];
  if (points === undefined) {
    return compared === undefined || symbol === undefined || metric === 'price.last'
      ? undefined
      : sceneChart({ prices: {}, pasts }, symbol, undefined);
  }
  const level = typeof compared?.level === 'number' ? compared.level : undefined;
  const levels = level === undefined ? [] : compared?.size === true ? [level, -level] : [level];
  const name = metricWords[metric];
  return charted(symbol === undefined ? name : join([marketName(symbol), name], ' '), {
    unit: unitOf(metric),
    series: [{ name, points }],
    ...(levels.length > 0 && {
      marks: levels.map((value) => ({ name: msg('your level'), value, tone: 'caution' as const })),
    }),
  });
}

function unitOf(metric: MetricName): string {
  const shown = metricOf(metric).show(1);
  if (typeof shown === 'string' || !('number' in shown)) return '';
  if (shown.as.style === 'percent') return '%';
  if (shown.as.style === 'currency') return 'USD';
  return metric === 'price.last' || metric === 'options.maxPain' ? 'USDT' : '';
}
