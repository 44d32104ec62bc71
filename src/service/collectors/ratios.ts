import { day, hour, minute } from '../../runtime/units.ts';
import { pageRows } from '../exchanges/binance.ts';
import { defineCollector, defineHistory } from './collector.ts';

const ratios = (
  series: 'topRatio' | 'globalRatio',
  kind: 'topLongShortPositionRatio' | 'globalLongShortAccountRatio',
) =>
  defineHistory({
    series,
    step: 15 * minute,
    late: true,
    pageSteps: pageRows.futuresData,
    // The exchange refuses a start more than 30 days back.
    wanted: 30 * day - hour,
    needed: () => day,
    fetch: (symbol, { page, context: { exchanges } }) => exchanges.binance.ratios(kind, { ...page, symbol }),
  });

/** Longs' share of top traders' positions and of all accounts. */
export default defineCollector({
  name: 'ratios',
  every: 5 * minute,
  histories: () => [
    ratios('topRatio', 'topLongShortPositionRatio'),
    ratios('globalRatio', 'globalLongShortAccountRatio'),
  ],
});
