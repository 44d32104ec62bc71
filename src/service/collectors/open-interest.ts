import { day, hour, minute } from '../../runtime/units.ts';
import { pageRows } from '../exchanges/binance.ts';
import { defineCollector, defineHistory } from './collector.ts';

/** Five-minute snapshots. Asked every minute for what is missing: the exchange publishes one some time after it. */
export default defineCollector({
  name: 'open-interest',
  every: minute,
  histories: () => [
    defineHistory({
      series: 'openInterest',
      step: 5 * minute,
      pageSteps: pageRows.futuresData,
      // The exchange refuses a start more than 30 days back.
      wanted: 30 * day - hour,
      needed: () => day,
      fetch: (symbol, page, { exchanges }) => exchanges.binance.openInterest(symbol, page),
    }),
  ],
});
