import type { EndpointAnswer } from '../../contract/index.ts';
import { yearlyPct } from '../../contract/settlements.ts';
import { day, hour, iso } from '../../runtime/units.ts';
import { basisSignalLabel } from '../analytics/basis.ts';
import { correlation, correlationWindow, type Point } from '../analytics/correlations.ts';
import { dxyScore, publicationLag, stablecoinFlow, vixSignal } from '../analytics/cross-asset.ts';
import { round } from '../analytics/statistics.ts';
import { hoursOfSettlements } from './funding.ts';
import { type Handler, type HandlerContext, lastWindow } from './handler.ts';

/** How long the last level of a closed market is carried forward. */
const maxLevelAge = 5 * day;
const flowWindow = 7 * day;

/** Returns `crossAsset` of /regime/probabilities. Fields that no provider supplied are left out. */
export async function crossAssetAt(
  context: HandlerContext,
): Promise<EndpointAnswer<'regimeProbabilities'>['crossAsset']> {
  const { archive, now, tracked = context.universe } = context;
  const newest = ({ time, value }: Points): number | undefined =>
    now - (time.at(-1) ?? Number.NEGATIVE_INFINITY) <= maxLevelAge ? value.at(-1) : undefined;
  const { series, named } = await dollarIndex(context);
  const [dollar, vixLevels, supply, settlements] = await Promise.all([
    archive.columns('observations', {
      symbol: series,
      window: { from: (Math.floor(now / day) - dollarDays + 1) * day, to: now },
    }),
    archive.columns('observations', { symbol: 'vix', count: 1, to: now }),
    archive.read('observations', {
      symbol: 'stablecoins',
      window: { from: now - flowWindow - day, to: now },
    }),
    archive.latest('funding', now),
  ]);
  const intervals = await hoursOfSettlements({ ...context, universe: tracked });
  const dxy = newest(dollar);
  const vix = newest(vixLevels);
  const yearly = settlements
    .filter(({ symbol, time }) => tracked.includes(symbol) && now - time <= day)
    .map(({ symbol, rate }) => yearlyPct(rate, intervals.get(symbol)?.hours ?? usualInterval) ?? 0)
    .sort((a, b) => a - b);
  const median = yearly[Math.floor(yearly.length / 2)];
  return {
    ...(dxy !== undefined && { dxy: round(dxy, 4), ...named, dxyScore: dxyScore(lastOfDays(dollar)) }),
    sp500: vix === undefined ? undefined : { vix, signal: vixSignal(vix) },
    stablecoinFlow: stablecoinFlow(supply.map(({ value }) => value)),
    fundingStructure: median === undefined ? undefined : fundingStructure(median),
  };
}

/** Returns the last level of each UTC day, ascending. */
const lastOfDays = ({ time, value }: Points): readonly number[] => [
  ...new Map(Array.from(time, (at, index) => [Math.floor(at / day), value[index] as number])).values(),
];

/** Returns which dollar index is available. The interface has one field for it, `dxy`; `dollarIndex` names any other index. */
const dollarIndex = async ({ archive, now }: Pick<HandlerContext, 'archive' | 'now'>) =>
  (await archive.last('observations', { symbol: 'broad_dollar', count: 1, to: now })).length > 0
    ? ({ series: 'broad_dollar', named: { dollarIndex: 'BROAD' } } as const)
    : ({ series: 'dxy', named: {} } as const);

/** The series of gold and of the S&P 500, the provider's first: a perpetual on it stands in, and is named as such. */
const standIns = {
  gold: [{ series: 'gold' }, { series: 'gold_perpetual', market: 'PERPETUAL' }],
  sp500: [
    { series: 'sp500' },
    { series: 'sp500_perpetual', market: 'PERPETUAL' },
    { series: 'sp500_etf_perpetual', market: 'ETF_PERPETUAL' },
  ],
} as const;

/** Returns the first series of an asset with a fresh value, and what it is if it is not the provider's. */
async function seriesOf<Asset extends keyof typeof standIns>(
  asset: Asset,
  { archive, now }: Pick<HandlerContext, 'archive' | 'now'>,
): Promise<{ readonly series: string; readonly market?: 'PERPETUAL' | 'ETF_PERPETUAL' }> {
  for (const each of standIns[asset]) {
    const [newest] = await archive.last('observations', { symbol: each.series, count: 1, to: now });
    if (newest !== undefined && now - newest.time <= maxLevelAge) return each;
  }
  return standIns[asset][0];
}

/** How many days the dollar's score looks back. */
const dollarDays = 30;

/** Hours between two settlements of a coin that has settled too seldom to show its own interval. */
const usualInterval = 8;

/**
 * Classifies the coins' median funding rate by the thresholds of the basis signal.
 * @param yearly percent a year, each coin's by its own interval: at Hyperliquid a rate is for an hour, at Binance for 8 or 4
 */
const fundingStructure = (yearly: number): 'CONTANGO' | 'BACKWARDATION' | 'FLAT' => {
  const structure = basisSignalLabel(yearly);
  return structure === 'HIGH_CONTANGO' ? 'CONTANGO' : structure;
};

/** For windows above a day (hours), points are further apart than collected. The interface allows this (rule 11). */
const maxUnsampledHours = 24;
const sampleEvery = hour;

export const crossAssetHistory: Handler<'crossAssetHistory'> = {
  needs: ['observations'],
  uses: ['candles1h'],
  async answer({ hours }, context) {
    const { archive, now } = context;
    const { from } = lastWindow(hours * hour, now);
    const { series, named } = await dollarIndex({ archive, now });
    const [ofGold, ofIndex] = await Promise.all([seriesOf('gold', context), seriesOf('sp500', context)]);
    const window = { from: from - publicationLag(series) - correlationWindow - day, to: now };
    const [sp500, gold, dxy, candles] = await Promise.all([
      archive.columns('observations', { symbol: ofIndex.series, window }),
      archive.columns('observations', { symbol: ofGold.series, window }),
      archive.columns('observations', { symbol: series, window }),
      archive.columns('candles1h', { symbol: 'BTCUSDT', window: { ...window, to: now - hour } }),
    ]);
    const bitcoin = described({ time: candles.time.map((time) => time + hour), value: candles.close }, 0);
    const every = hours > maxUnsampledHours ? sampleEvery : 1;
    const knownTimes = [sp500, gold, dxy].flatMap(({ time }) =>
      Array.from(time.filter((at) => at >= from && at % every === 0)),
    );
    const times = [...new Set(knownTimes)].sort((a, b) => a - b);
    const columns = [
      { series: 'sp500', points: sp500 },
      { series: 'gold', points: gold },
      { series, points: dxy },
    ].map(({ series, points }) => ({
      value: levelReader(points),
      correlated: correlationByDay(series, points, bitcoin),
    }));
    const data = times.map((time) => {
      const [sp500, gold, dxy] = columns.map(({ value }) => value(time));
      const [btc_sp500_corr, btc_gold_corr, btc_dxy_corr] = columns.map(({ correlated }) => correlated(time));
      return { timestamp: iso(time), sp500, gold, dxy, btc_sp500_corr, btc_gold_corr, btc_dxy_corr };
    });
    return {
      data,
      count: data.length,
      ...named,
      goldMarket: ofGold.market,
      sp500Market: ofIndex.market,
    };
  },
};

/** Points in ascending order of time. */
type Points = Readonly<Record<'time' | 'value', Float64Array>>;

/** Returns a function that gives the level at ascending times: the last value, if it is at most `maxLevelAge` ms old. */
function levelReader({ time: times, value }: Points): (time: number) => number | undefined {
  let next = 0;
  return (time) => {
    while (next < times.length && (times[next] as number) <= time) next += 1;
    const last = next - 1;
    return last >= 0 && time - (times[last] as number) <= maxLevelAge
      ? round(value[last] as number, 4)
      : undefined;
  };
}

/**
 * Returns points at the times that they describe. A day's close becomes known `lag` ms after 00:00, when the day is over: `lag` ms
 * before its time, a point belongs to the day that ends or is running.
 */
const described = ({ time, value }: Points, lag: number): readonly Point[] =>
  Array.from(time, (known, index) => ({ time: known - lag - 1, value: value[index] as number }));

/**
 * Returns a function that gives the correlation with bitcoin over whole days, up to the last day whose value is published. It
 * is computed once for all times of a day.
 */
function correlationByDay(
  series: string,
  points: Points,
  bitcoin: readonly Point[],
): (time: number) => number | undefined {
  const lag = publicationLag(series);
  const closes = described(points, lag);
  let known: { readonly midnight: number; readonly value: number | undefined } | undefined;
  return (time) => {
    const midnight = Math.floor(time / day) * day;
    if (known?.midnight === midnight) return known.value;
    const value = correlation(closes, bitcoin, midnight - lag - 1);
    known = { midnight, value: value === undefined ? undefined : round(value, 4) };
    return known.value;
  };
}
