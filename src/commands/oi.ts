import { z } from 'zod';
import { amount, money, percent, words } from '../card/format.ts';
import { caution, part } from '../command/failure.ts';
import { symbol, whole } from '../command/input.ts';
import { minute } from '../runtime/units.ts';
import { defineCommand } from './command.ts';

export default defineCommand({
  name: 'oi',
  description: 'Open interest of a market: how much, and how fast it grows or shrinks',
  input: z.object({
    symbol: symbol.describe('Market, e.g. BTCUSDT').default('BTCUSDT'),
    hours: whole(1, 168).default(6).describe('How many hours back'),
  }),
  async run({ symbol, hours }, { data, now, signal }) {
    const [momentum, snapshot] = await Promise.all([
      data.oiMomentum({ symbol, hours }, signal),
      part('its value in dollars', data.oi({ symbol, limit: 1 }, signal)),
    ]);
    const { data: rows, current } = momentum;
    if (current === undefined) {
      return {
        title: `Open interest of ${momentum.symbol}`,
        summary: `No snapshot in the last ${hours} h: how it moves is not known.`,
      };
    }
    const first = rows[0];
    const dataTime = Date.parse(current.timestamp);
    const value = snapshot.value?.data.at(-1);
    return {
      title: `Open interest of ${momentum.symbol}: ${words(momentum.signal)}`,
      facts: [
        { name: 'Contracts', value: amount(current.oi) },
        ...(value === undefined
          ? snapshot.missing
          : [{ name: 'Value', value: money(Number(value.oi_value_usd)) }]),
        { name: 'Rate', value: `${percent(current.ratePct)} in 5 min` },
        { name: 'Acceleration', value: `${percent(current.accelerationPct)} in 5 min` },
        { name: 'Mean rate', value: percent(momentum.avgRatePct, 3) },
        { name: 'Largest acceleration', value: percent(momentum.maxAcceleration) },
        ...(first !== undefined && first.oi > 0
          ? [{ name: `Change in ${hours} h`, value: percent((current.oi / first.oi - 1) * 100) }]
          : []),
        ...caution(dataTime, now, 15 * minute),
      ],
      ...(rows.length > 1 && {
        chart: {
          title: `Contracts over ${hours} h`,
          unit: '',
          series: [
            {
              name: momentum.symbol,
              points: rows.map((row) => [Date.parse(row.timestamp), row.oi] as const),
            },
          ],
        },
      }),
      dataTime,
    };
  },
});
