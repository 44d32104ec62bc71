import { day, hour, minute } from '../../runtime/units.ts';
import { pageRows } from '../exchanges/binance.ts';
import { defineCollector, defineHistory } from './collector.ts';

/** Five-minute snapshots, which the exchange publishes up to five minutes after: looked for every minute. */
export default defineCollector({
  name: 'open-interest',
  every: minute,
  histories: () => [
    defineHistory({
      series: 'openInterest',
      step: 5 * minute,
      late: true,
      pageSteps: pageRows.futuresData,
      // The exchange refuses a start more than 30 days back.
      wanted: 30 * day - hour,
      needed: () => day,
      fetch: (symbol, { page, context: { exchanges } }) => exchanges.binance.openInterest(symbol, page),
    }),
  ],
});
