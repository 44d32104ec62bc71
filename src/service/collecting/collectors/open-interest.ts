import { day, hour, minute } from '../../../runtime/units.ts';
import type { Archive } from '../../archive/archive.ts';
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
        fetch: async (symbol, page) => (await markets.pastOpenInterest?.(symbol, page)) ?? [],
      }),
    ];
  },
  async collect({ exchanges: { venue, markets }, archive, symbols, write }, { now, since, catchUp }) {
    if (venue.roles.pastOpenInterest !== undefined) return catchUp();
    const at = Math.floor(now / step) * step;
    // After a restart the snapshot may be there. It was read when it was due, and one read now would be up to 5 minutes late.
    if ((since ?? (await newestSnapshot(archive, at))) < at)
      await write('openInterest', (await markets.openInterest?.(symbols(), at)) ?? []);
  },
});

async function newestSnapshot(archive: Archive, to: number): Promise<number> {
  return Math.max(0, ...(await archive.latest('openInterest', to)).map(({ time }) => time));
}
