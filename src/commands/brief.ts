import { z } from 'zod';
import { changeText } from '../card/market-then.ts';
import { labelTitle, marketName, price, rate } from '../language/format.ts';
import { join, listOf, msg, type Text } from '../language/text.ts';
import { compact } from '../runtime/compact.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { defineCommand } from '../shell/command.ts';

const majors = ['BTCUSDT', 'ETHUSDT'];
/** Markets named as the largest movers and for extreme funding. */
const named = 3;

export default defineCommand({
  name: 'brief',
  description: msg('The market in a few lines: regime, prices, movers and extreme funding'),
  input: z.object({}),
  async run(_, { data, signal }) {
    const [prices, regime, extremes] = await Promise.all([
      data.prices({}, signal),
      ifAnswered(data.regimeProbabilities({}, signal)),
      ifAnswered(data.fundingExtremes({ limit: named }, signal)),
    ]);
    const rows = prices.data;
    const movers = rows
      .filter(({ change24hPct }) => change24hPct !== undefined)
      .sort((a, b) => Math.abs(b.change24hPct ?? 0) - Math.abs(a.change24hPct ?? 0))
      .slice(0, named);
    const change = (pct: number | undefined): Text | undefined => changeText(pct, '24 h');
    const extreme = extremes?.data.slice(0, named) ?? [];
    const times = rows.map(({ timestamp }) => Date.parse(timestamp));
    return {
      title: msg('The market today'),
      facts: compact([
        regime && { name: msg('Regime'), value: labelTitle(regime.current.state) },
        ...majors
          .flatMap((symbol) => rows.find((row) => row.symbol === symbol) ?? [])
          .map((row) => ({
            name: marketName(row.symbol),
            value: join(
              [price(row.price), changeText(row.change1hPct, '1 h'), change(row.change24hPct)],
              ' · ',
            ),
          })),
        movers.length > 0 && {
          name: msg('Largest moves'),
          value: listOf(movers.map((row) => join([marketName(row.symbol), change(row.change24hPct)], ' '))),
        },
        extreme.length > 0 && {
          name: msg('Extreme funding'),
          value: listOf(
            extreme.map((row) => join([marketName(row.symbol), rate(Number(row.currentRate))], ' ')),
          ),
        },
      ]),
      dataTime: times.length > 0 ? Math.min(...times) : undefined,
    };
  },
});
