import { z } from 'zod';
import { ratePer } from '../alert/rate-per.ts';
import { baseOf, expandGroups } from '../alert/symbols.ts';
import { settlementHours, yearlyPct } from '../contract/settlements.ts';
import { UserError } from '../language/errors.ts';
import { marketName, percent, price, rate, span, time, usd } from '../language/format.ts';
import { listOf, msg, type Text, typed } from '../language/text.ts';
import { hour, minute } from '../runtime/units.ts';
import { coveredLength, windowOf } from '../runtime/window.ts';
import { type CommandContext, defineCommand } from '../shell/command.ts';
import { awaitPart, staleDataFacts } from '../shell/failure.ts';
import { symbols, wholeNumber } from '../shell/input.ts';
import { candlesOf, closesOf } from './kit/candles.ts';
import { changePct, downsample, mean, type Points, points, scaleToHundred } from './kit/series.ts';

/** The most markets: more lines could not be told apart, and each market costs a request. */
const maxMarkets = 5;
const maxPoints = 300;
/** The fewest settlements to request, so that the interval between them can be found. */
const minSettlements = 10;

interface Past {
  readonly values: Points;
  /** Hours between two settlements, if the values are funding rates and the interval is known. */
  readonly intervalHours?: number | undefined;
}

interface Metric {
  readonly title: Text;
  /** Name of what the chart shows, if that differs from the title. */
  readonly chartTitle?: Text;
  readonly columns: readonly Text[];
  /** How old the newest value may be without a warning, ms. */
  readonly maxAge: number;
  past(symbol: string, given: { readonly hours: number; readonly context: CommandContext }): Promise<Past>;
  row(past: Past): readonly Text[];
  /** Returns what the chart shows. Sizes differ between markets, so relative values are drawn; rates are drawn per year. */
  readonly chartPoints: (past: Past) => Points;
  readonly unit: string;
  readonly shape?: 'steps';
  /** What is drawn as 100 if there is no unit. */
  readonly baseText: Text;
}

const lastValue = (all: Points) => all.at(-1)?.[1];
const changes = {
  columns: [msg('Last'), msg('Change')],
  chartPoints: ({ values }: Past) => scaleToHundred(values),
  unit: '',
  baseText: msg('the beginning'),
};

const metrics: Readonly<Record<'price' | 'funding' | 'oi' | 'volume', Metric>> = {
  price: {
    ...changes,
    title: msg('Price'),
    maxAge: 2 * hour,
    past: async (symbol, { hours, context }) => ({ values: await closesOf(symbol, { ...context, hours }) }),
    row: ({ values }) => [price(lastValue(values)), percent(changePct(values))],
  },
  funding: {
    title: msg('Funding'),
    chartTitle: msg('funding per year'),
    columns: [msg('Last'), msg('Mean per year'), msg('Sum')],
    maxAge: 9 * hour,
    async past(symbol, { hours, context: { data, now, signal } }) {
      // Some markets settle every hour.
      const limit = Math.min(1_000, Math.max(minSettlements, hours));
      const { data: rows } = await data.fundingHistory({ symbol, limit }, signal);
      const all = points(rows, (row) => Number(row.rate));
      return {
        values: all.filter(([at]) => at >= now - hours * hour),
        intervalHours: settlementHours(all.map(([at]) => at)),
      };
    },
    row: ({ values, intervalHours }) => [
      ratePer(lastValue(values), intervalHours),
      percent(yearlyPct(mean(values) ?? Number.NaN, intervalHours), 1),
      rate(values.length === 0 ? undefined : values.reduce((sum, [, value]) => sum + value, 0)),
    ],
    chartPoints: ({ values, intervalHours }) =>
      values.map(([at, value]) => [at, yearlyPct(value, intervalHours) ?? Number.NaN] as const),
    unit: '%',
    shape: 'steps',
    baseText: '',
  },
  oi: {
    ...changes,
    title: msg('Open interest'),
    maxAge: 15 * minute,
    async past(symbol, { hours, context: { data, signal } }) {
      // Snapshots come every 5 minutes.
      const { data: rows } = await data.oi({ symbol, limit: Math.min(1_000, hours * 12 + 1) }, signal);
      const all = points(rows, (row) => Number(row.oi_value_usd));
      return { values: windowOf(all, hours * hour) };
    },
    row: ({ values }) => [usd(lastValue(values)), percent(changePct(values))],
  },
  volume: {
    title: msg('Volume'),
    columns: [msg('Last hour'), msg('Mean')],
    maxAge: 2 * hour,
    past: async (symbol, { hours, context }) => ({
      values: (await candlesOf(symbol, { ...context, hours })).volumes,
    }),
    row: ({ values }) => [usd(lastValue(values)), usd(mean(values))],
    chartPoints: ({ values }) => {
      const meanValue = mean(values) ?? 0;
      return meanValue === 0 ? [] : values.map(([at, value]) => [at, (value / meanValue) * 100] as const);
    },
    unit: '',
    baseText: msg('the mean of each'),
  },
};

export default defineCommand({
  name: 'compare',
  otherNames: ['vs'],
  ofMarkets: 'several',
  description: msg('Two to five markets side by side: price, funding, open interest or volume'),
  input: z.object({
    symbols: symbols.describe('Two to five markets, e.g. btc eth sol').prefault('BTCUSDT,ETHUSDT'),
    metric: z.enum(['price', 'funding', 'oi', 'volume']).default('price').describe('What to compare'),
    hours: wholeNumber(2, 720).default(168).describe('How many hours back'),
  }),
  async run({ symbols, metric: name, hours }, context) {
    const { store, caller, universe, now } = context;
    const followed = await store.watchlist.of(caller.receiver);
    const named = expandGroups(symbols, universe, followed);
    if (named.includes('*') || named.length < 2 || named.length > maxMarkets) {
      throw new UserError(
        msg('Name 2 to {most, number} markets: {example}.', {
          most: maxMarkets,
          example: typed('compare btc eth sol', 'compare symbols:btc eth sol'),
        }),
      );
    }
    const metric = metrics[name];
    const markets = await Promise.all(
      named.map(async (symbol) => ({
        symbol,
        ...(await awaitPart(marketName(symbol), metric.past(symbol, { hours, context }))),
      })),
    );
    const found = markets.flatMap(({ symbol, value }) =>
      value === undefined || value.values.length === 0 ? [] : [{ symbol, ...value }],
    );
    const failed = markets.find(({ error }) => error !== undefined);
    if (found.length === 0 && failed?.error !== undefined) throw failed.error;
    // They are compared over the time in which all of them are known.
    const long = found.filter(({ values }) => values.length > 1);
    const covered = Math.min(...long.map(({ values }) => coveredLength(values, hours * hour)), hours * hour);
    const known = found.map((each) => ({ ...each, values: windowOf(each.values, covered) }));
    const length = span(covered);
    const from = Math.max(...long.map(({ values }) => windowOf(values, covered)[0]?.[0] ?? now));
    const dataTime = Math.min(...known.map(({ values }) => values.at(-1)?.[0] ?? now));
    const drawn = known
      .map(({ symbol, values, intervalHours }) => ({
        name: marketName(symbol),
        ...(metric.shape && { shape: metric.shape }),
        points: metric.chartPoints({
          values: downsample(values, { limit: maxPoints, how: 'last' }),
          intervalHours,
        }),
      }))
      .filter(({ points }) => points.filter(([, value]) => Number.isFinite(value)).length > 1);
    return {
      title: msg('{metric} over {length}', { metric: metric.title, length }),
      ...(metric.unit === '' && {
        summary: msg('Drawn against {base}, which is 100.', { base: metric.baseText }),
      }),
      facts: [
        ...markets.flatMap(({ missing }) => missing),
        ...(covered < hours * hour ? [{ name: msg('Known from'), value: time(from) }] : []),
        ...(known.length > 0 ? staleDataFacts(dataTime, { now, limit: metric.maxAge }) : []),
      ],
      table: {
        columns: [msg('Market'), ...metric.columns],
        rows: markets.map(({ symbol }) => [
          marketName(symbol),
          ...metric.row(known.find((each) => each.symbol === symbol) ?? { values: [] }),
        ]),
      },
      ...(drawn.length > 0 && {
        chart: {
          title: msg('{markets}: {metric}, last {length}', {
            markets: listOf(drawn.map(({ name }) => baseOf(name))),
            metric: metric.chartTitle ?? metric.title,
            length,
          }),
          unit: metric.unit,
          series: drawn,
        },
      }),
      ...(known.length > 0 && { dataTime }),
    };
  },
});
