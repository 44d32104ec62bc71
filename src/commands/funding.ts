import { z } from 'zod';
import type { Card } from '../card/card.ts';
import { change, count, percent, rate, time, words } from '../card/format.ts';
import { caution, part } from '../command/failure.ts';
import { symbol, whole } from '../command/input.ts';
import { formatDuration, hour } from '../runtime/units.ts';
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
    title: 'Funding extremes',
    summary:
      rows.length === 0
        ? `No market's funding stands out against its own last 30 days (${threshold}).`
        : `Against each market's own last 30 days, ${threshold}. Positive: longs pay shorts.`,
    facts: caution(newest, now, 9 * hour),
    table: {
      columns: ['Market', 'Rate', 'Annualised', 'z', 'Severity', 'Direction'],
      rows: rows.map((row) => [
        row.symbol,
        rate(row.currentRate),
        percent(row.annualizedPct, 1),
        change(row.zScore),
        words(row.severity),
        words(row.direction),
      ]),
    },
    ...(newest !== undefined && { dataTime: newest }),
  };
}

async function market(
  symbol: string,
  limit: number,
  { data, now, caller, signal }: CommandContext,
): Promise<Card> {
  const [history, standing] = await Promise.all([
    data.fundingHistory({ symbol, limit }, signal),
    part('its place among the extremes', data.fundingExtremes({ limit: 30 }, signal)),
  ]);
  const rows = history.data.map((row) => ({ at: Date.parse(row.timestamp), rate: Number(row.rate) }));
  const last = rows.at(-1);
  if (last === undefined) {
    return { title: `Funding of ${history.symbol}`, summary: 'No settlement is recorded yet.' };
  }
  const interval = last.at - (rows.at(-2)?.at ?? last.at - 8 * hour);
  const mean = rows.reduce((sum, row) => sum + row.rate, 0) / rows.length;
  const extreme = standing.value?.data.find((row) => row.symbol === history.symbol);
  return {
    title: `Funding of ${history.symbol}: ${rate(last.rate)}`,
    summary: last.rate > 0 ? 'Longs pay shorts.' : last.rate < 0 ? 'Shorts pay longs.' : 'Nobody pays.',
    facts: [
      { name: 'Settled', value: time(last.at, caller.timeZone) },
      { name: 'Annualised', value: percent(last.rate * 3 * 365 * 100) },
      // The interface annualises by three settlements a day; some markets have more.
      ...(interval > 0 && interval < 8 * hour
        ? [
            {
              name: `Annualised, settled every ${formatDuration(interval)}`,
              value: percent(last.rate * ((24 * hour) / interval) * 365 * 100),
            },
          ]
        : []),
      { name: `Mean of ${count(rows.length)}`, value: rate(mean) },
      ...(extreme !== undefined
        ? [
            {
              name: 'Against its month',
              value: `${words(extreme.severity)}, z ${change(extreme.zScore)}, ${words(extreme.direction)}`,
            },
          ]
        : standing.value === undefined
          ? standing.missing
          : [{ name: 'Against its month', value: 'not among the extremes' }]),
      ...caution(last.at, now, 9 * hour),
    ],
    ...(rows.length > 1 && {
      chart: {
        title: `Last ${rows.length} settlements`,
        unit: '%',
        series: [{ name: history.symbol, points: rows.map((row) => [row.at, row.rate * 100] as const) }],
      },
    }),
    dataTime: last.at,
  };
}
