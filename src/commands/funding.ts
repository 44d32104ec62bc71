import { z } from 'zod';
import type { Fact } from '../alert/alert.ts';
import type { Card } from '../card/card.ts';
import { caution, type Part, part } from '../command/failure.ts';
import { symbol, whole } from '../command/input.ts';
import { bySign, mean } from '../command/series.ts';
import type { Answer } from '../contract/index.ts';
import { title as alone, count, percent, rate, signed, span, time, words } from '../language/format.ts';
import { msg, msgIn } from '../language/text.ts';
import { day, hour } from '../runtime/units.ts';
import { type CommandContext, defineCommand } from './command.ts';

export default defineCommand({
  name: 'funding',
  description: 'Funding of a market: now, against its own month, and its past; without one, the extremes',
  input: z.object({
    symbol: symbol.describe('Market, e.g. BTCUSDT').optional(),
    limit: whole(1, 90).default(30).describe('How many settlements, or extremes, to show'),
  }),
  run: ({ symbol, limit }, context) =>
    symbol === undefined ? extremes(limit, context) : market(symbol, limit, context),
});

const maxRows = 20;

async function extremes(limit: number, { data, now, signal }: CommandContext): Promise<Card> {
  const { data: rows, threshold } = await data.fundingExtremes({ limit: Math.min(limit, maxRows) }, signal);
  const newest = rows.length === 0 ? undefined : Math.max(...rows.map((row) => Date.parse(row.timestamp)));
  return {
    title: msg('Funding extremes'),
    summary:
      rows.length === 0
        ? msg('No funding stands out against the last 30 days of its market ({threshold}).', { threshold })
        : msg('Against the last 30 days of each market, {threshold}. Positive: longs pay shorts.', {
            threshold,
          }),
    facts: caution(newest, now, 9 * hour),
    table: {
      columns: [
        msg('Market'),
        msgIn('funding', 'Rate'),
        msg('Annualized'),
        'z',
        msg('Severity'),
        msg('Direction'),
      ],
      rows: rows.map((row) => [
        row.symbol,
        rate(row.currentRate),
        percent(row.annualizedPct, 1),
        signed(row.zScore),
        alone(row.severity),
        alone(row.direction),
      ]),
    },
    ...(newest !== undefined && { dataTime: newest }),
  };
}

async function market(symbol: string, limit: number, { data, now, signal }: CommandContext): Promise<Card> {
  const [history, standing] = await Promise.all([
    data.fundingHistory({ symbol, limit }, signal),
    part(msg('Its place among the extremes'), data.fundingExtremes({ limit: 30 }, signal)),
  ]);
  const rates = history.data.map((row) => [Date.parse(row.timestamp), Number(row.rate)] as const);
  const last = rates.at(-1);
  const title = msg('Funding of {symbol}', { symbol: history.symbol });
  if (last === undefined) return { title, summary: msg('No settlement is recorded yet.') };
  const [at, current] = last;
  const interval = intervalOf(rates.map(([at]) => at));
  const usual = mean(rates) ?? current;
  return {
    title: msg('{what}: {rate}', { what: title, rate: rate(current) }),
    summary:
      current > 0 ? msg('Longs pay shorts.') : current < 0 ? msg('Shorts pay longs.') : msg('Nobody pays.'),
    facts: [
      { name: msg('Settled'), value: time(at) },
      ...annualised(current, interval),
      { name: msg('Mean of {count}', { count: count(rates.length) }), value: rate(usual) },
      ...placeOf(history.symbol, standing),
      ...caution(at, now, (interval ?? 8 * hour) + hour),
    ],
    ...(rates.length > 1 && {
      chart: {
        title: msg('Last {count} settlements', { count: count(rates.length) }),
        unit: '%',
        series: bySign(
          rates.map(([at, value]) => [at, value * 100] as const),
          { up: msg('Longs pay'), down: msg('Shorts pay') },
        ),
        marks: [{ name: msg('Mean'), value: usual * 100 }],
      },
    }),
    dataTime: at,
  };
}

/** How far apart its latest settlements are: markets change it, and one that was missed does not count. */
function intervalOf(times: readonly number[]): number | undefined {
  const apart = times
    .slice(-4)
    .flatMap((at, index, latest) => (index === 0 ? [] : [at - (latest[index - 1] ?? at)]))
    .filter((length) => length > 0);
  return apart.length === 0 ? undefined : Math.min(...apart);
}

/** The interface annualises by three settlements a day, whatever the market: the true figure stands beside it. */
function annualised(current: number, interval: number | undefined): Fact[] {
  const usual = { name: msg('Annualized'), value: percent(current * 3 * 365 * 100) };
  if (interval === undefined) return [usual];
  return interval === 8 * hour
    ? [usual, { name: msg('Settles every'), value: span(interval) }]
    : [
        usual,
        {
          name: msg('Annualized, settled every {interval}', { interval: span(interval) }),
          value: percent(current * (day / interval) * 365 * 100),
        },
      ];
}

function placeOf(symbol: string, { value, missing }: Part<Answer<'fundingExtremes'>>): readonly Fact[] {
  if (value === undefined) return missing;
  const extreme = value.data.find((row) => row.symbol === symbol);
  return [
    {
      name: msg('Against its month'),
      value:
        extreme === undefined
          ? msg('not among the extremes')
          : msg('{severity}, z {z}, {direction}', {
              severity: alone(extreme.severity),
              z: signed(extreme.zScore),
              direction: words(extreme.direction),
            }),
    },
  ];
}
