import { day, hour, minute } from '../../../runtime/units.ts';
import { type CollectorContext, defineCollector, defineHistory } from './collector.ts';

const step = 15 * minute;

const ratios = (series: 'topRatio' | 'globalRatio', of: 'top' | 'global', context: CollectorContext) => {
  const { rows = 0, kept = Number.POSITIVE_INFINITY } = context.exchanges.venue.roles.ratios ?? {};
  return defineHistory({
    series,
    step,
    late: true,
    pageSteps: rows,
    wanted: Math.min(30 * day - hour, kept * step),
    needed: () => day,
    fetch: async (symbol, page) => (await context.exchanges.markets.ratios?.(of, { ...page, symbol })) ?? [],
  });
};

/** Collects the share of longs among top traders' positions and among all accounts. */
export default defineCollector({
  name: 'ratios',
  every: 5 * minute,
  feedsOn: ({ ratios }) => ratios !== undefined,
  histories: (context) => [
    ...(context.exchanges.venue.roles.ratios?.top === true ? [ratios('topRatio', 'top', context)] : []),
    ratios('globalRatio', 'global', context),
  ],
});
