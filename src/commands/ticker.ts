import { z } from 'zod';
import { marketName, percent, price } from '../language/format.ts';
import { join, msg } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { symbols } from '../shell/input.ts';

/** Markets whose prices fit on one line. */
const maxMarkets = 8;

export default defineCommand({
  name: 'ticker',
  description: msg('Prices of some markets on one line, with their change in 24 h'),
  input: z.object({
    symbols: symbols.prefault('BTCUSDT,ETHUSDT').describe('Markets, e.g. btc eth'),
  }),
  async run({ symbols }, { data, signal }) {
    const { data: rows } = await data.prices({}, signal);
    const shown = symbols
      .slice(0, maxMarkets)
      .flatMap((symbol) => rows.find((row) => row.symbol === symbol) ?? []);
    const times = shown.map(({ timestamp }) => Date.parse(timestamp));
    return {
      title:
        shown.length === 0
          ? msg('No price known')
          : join(
              shown.map(({ symbol, price: last, change24hPct }) =>
                join(
                  [
                    marketName(symbol),
                    price(last),
                    change24hPct === undefined ? undefined : percent(change24hPct, 1),
                  ],
                  ' ',
                ),
              ),
              ' · ',
            ),
      ...(times.length > 0 && { dataTime: Math.min(...times) }),
    };
  },
});
