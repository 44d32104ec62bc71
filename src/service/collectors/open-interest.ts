import { day, hour, minute } from '../../runtime/units.ts';
import { defineCollector, defineHistory } from './collector.ts';

const step = 5 * minute;

/**
 * Collects open interest every five minutes. Where the venue publishes past snapshots, which appear up to five minutes
 * late, the collector looks for new ones every minute; elsewhere it reads the present value itself.
 */
export default defineCollector({
  name: 'open-interest',
  every: minute,
  feedsOn: ({ openInterest, pastOpenInterest }) => (openInterest ?? pastOpenInterest) !== undefined,
  histories({ exchanges: { venue, markets } }) {
    const { pastOpenInterest } = venue.roles;
    if (pastOpenInterest === undefined) return [];
    const { rows, kept = Number.POSITIVE_INFINITY } = pastOpenInterest;
    return [
      defineHistory({
        series: 'openInterest',
        step,
        late: true,
        pageSteps: rows,
        wanted: Math.min(30 * day - hour, kept * step),
        needed: () => day,
        fetch: async (symbol, { page }) => (await markets.pastOpenInterest?.(symbol, page)) ?? [],
      }),
    ];
  },
  async collect({ exchanges: { venue, markets }, symbols, write }, { now, since = 0, catchUp }) {
    if (venue.roles.pastOpenInterest !== undefined) return catchUp();
    const at = Math.floor(now / step) * step;
    if (since < at) await write('openInterest', (await markets.openInterest?.(symbols(), at)) ?? []);
  },
});
