import { z } from 'zod';
import { spellOut, symbolGroup } from '../alert/symbols.ts';
import { change, money, number, percent, price, rate, unknown, words } from '../card/format.ts';
import { caution, part } from '../command/failure.ts';
import { symbolOrGroup } from '../command/input.ts';
import { overviewOf } from '../command/overview.ts';
import { hour } from '../runtime/units.ts';
import { defineCommand } from './command.ts';

export default defineCommand({
  name: 'coin',
  description: 'One market on one card: price, funding, open interest, signal',
  input: z.object({
    symbol: symbolOrGroup.describe('Market, e.g. BTCUSDT; or watchlist, top20').default('BTCUSDT'),
  }),
  async run({ symbol }, context) {
    const { data, store, caller, universe, now, signal } = context;
    if (symbolGroup(symbol) === symbol) {
      const followed = await store.watchlist.of(caller.receiver);
      return overviewOf(words(symbol), spellOut([symbol], { universe, followed }), context);
    }
    const [coin, momentum] = await Promise.all([
      data.intelligence({ symbol }, signal),
      part('open interest momentum', data.oiMomentum({ symbol }, signal)),
    ]);
    const closes = coin.candles24h.map(({ open_time, c }) => [Date.parse(open_time), Number(c)] as const);
    const first = closes[0]?.[1];
    const interest = Number(coin.oiHistory.at(-1)?.oi_value_usd ?? Number.NaN);
    // Candles carry the time they opened at.
    const lastCandle = closes.at(-1)?.[0];
    const dataTime = lastCandle === undefined ? undefined : Math.min(now, lastCandle + hour);
    return {
      title: `${coin.symbol}: ${price(coin.price)}`,
      facts: [
        {
          name: 'Change in 24 h',
          value: first === undefined || first === 0 ? unknown : percent((coin.price / first - 1) * 100),
        },
        { name: 'Funding', value: rate(coin.funding) },
        { name: 'Open interest', value: money(interest) },
        ...(momentum.value === undefined
          ? momentum.missing
          : [
              {
                name: 'OI momentum',
                value: `${words(momentum.value.signal)}, ${percent(momentum.value.current?.ratePct)} in 5 min`,
              },
            ]),
        { name: 'Signal', value: change(coin.signal) },
        { name: 'Regime', value: `${words(coin.regime)}, score ${number(coin.regimeScore)}` },
        ...(coin.fearGreed === undefined
          ? []
          : [{ name: 'Fear and greed', value: `${number(coin.fearGreed, 0)} of 100` }]),
        ...caution(dataTime, now, 2 * hour),
      ],
      ...(closes.length > 1 && {
        chart: { title: 'Price over 24 h', unit: 'USDT', series: [{ name: coin.symbol, points: closes }] },
      }),
      actions: [
        { label: 'Funding', command: `funding ${coin.symbol}` },
        { label: 'Open interest', command: `oi ${coin.symbol}` },
        { label: 'Subscribe', command: `subscribe all ${coin.symbol}` },
      ],
      ...(dataTime !== undefined && { dataTime }),
    };
  },
});
