import { day, minute } from '../../../runtime/units.ts';
import { summariseChain } from '../../analytics/options.ts';
import { defineCollector, defineHistory } from './collector.ts';

const currencies = ['BTC', 'ETH'];
const step = 15 * minute;

/** Collects open interest, max pain and implied volatility of the whole option chain. */
export default defineCollector({
  name: 'options',
  every: step,
  histories({ exchanges: { deribit } }) {
    const { past } = deribit;
    if (past === undefined) return [];
    return [
      defineHistory({
        series: 'options',
        step,
        // One day per page, because a simulated market generates a whole chain for each row.
        pageSteps: 96,
        wanted: 30 * day,
        needed: () => day,
        symbols: currencies,
        fetch: (currency, page) => past(currency, page),
      }),
    ];
  },
  async collect({ exchanges, archive, write }, { now, since }) {
    const time = Math.floor(now / step) * step;
    // After a restart, a row that was read when it was due stays: one read now is up to a quarter of an hour late.
    if (since === undefined && (await archive.latest('options', time)).some((row) => row.time === time))
      return;
    const chains = await Promise.all(
      currencies.map(async (symbol) => ({ symbol, chain: await exchanges.deribit.chain(symbol) })),
    );
    await write(
      'options',
      chains.flatMap(({ symbol, chain }) => {
        const summary = summariseChain(chain, now);
        return summary === undefined ? [] : [{ symbol, time, ...summary }];
      }),
    );
  },
});
