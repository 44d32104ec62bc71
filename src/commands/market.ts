import { z } from 'zod';
import { change, count, number, price, rate, unknown, words } from '../card/format.ts';
import { caution } from '../command/failure.ts';
import { whole } from '../command/input.ts';
import { minute } from '../runtime/units.ts';
import { defineCommand } from './command.ts';

export default defineCommand({
  name: 'market',
  description: 'The whole market: regime, mood, and what stands out most',
  input: z.object({
    limit: whole(1, 25).default(10).describe('How many markets to list'),
  }),
  async run({ limit }, { data, now, signal }) {
    const { coins, regime, fearGreed, timestamp } = await data.marketOverview({}, signal);
    const dataTime = Date.parse(timestamp);
    return {
      title: `Market: ${words(regime)}`,
      summary:
        coins.length === 0
          ? 'No market has enough data yet.'
          : 'The strongest deviation from neutral first. Master: 0 to 100, 50 is neutral, above is bullish.',
      facts: [
        {
          name: 'Fear and greed',
          value: fearGreed === undefined ? unknown : `${number(fearGreed, 0)} of 100`,
        },
        {
          name: 'Bullish',
          value: `${count(coins.filter(({ master }) => master > 50).length)} of ${count(coins.length)} markets`,
        },
        ...caution(dataTime, now, 15 * minute),
      ],
      table: {
        columns: ['Market', 'Price', 'Signal', 'Funding', 'Master'],
        rows: coins
          .slice(0, limit)
          .map((coin) => [
            coin.symbol,
            price(coin.price),
            change(coin.signal),
            rate(coin.funding),
            number(coin.master, 0),
          ]),
      },
      dataTime,
    };
  },
});
