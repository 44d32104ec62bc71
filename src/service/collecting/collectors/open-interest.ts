import { day, hour, minute } from '../../../runtime/units.ts';
import type { Archive } from '../../archive/archive.ts';
import { isUnknown } from '../../exchanges/failure.ts';
import { defineCollector, defineHistory } from './collector.ts';

const step = 5 * minute;

/**
 * Of how many markets the published snapshots are read, one request each every five minutes: with the ratios of 600 markets
 * that is 55 % of what Binance allows on /futures/data.
 */
const maxPublished = 150;
/** How often that of a market is read which is not followed, ms: most venues tell it of one market a request. */
const unfollowedEvery = 15 * minute;

/**
 * Collects open interest every five minutes. Where the venue publishes past snapshots, which appear up to five minutes
 * late, the collector looks every minute for new ones of the largest followed markets; of all others it reads the present
 * value itself, and of those that are not followed it keeps only that.
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
  async collect(context, { now, since, catchUp }) {
    const { exchanges, archive, symbols, listed, learn, write } = context;
    const at = Math.floor(now / step) * step;
    const { pastOpenInterest } = exchanges.venue.roles;
    const published = new Set(pastOpenInterest === undefined ? [] : symbols().slice(0, maxPublished));
    const followed = new Set(symbols());
    const others = [...followed.union(new Set(listed().keys()))].filter((each) => !published.has(each));
    // After a restart the snapshot may be there. It was read when it was due, and one read now would be up to 5 minutes late.
    const newest = async () =>
      Math.max(
        pastOpenInterest === undefined ? await newestSnapshot(archive, at) : 0,
        ...others.map((symbol) => listed().get(symbol)?.interest?.time ?? 0),
      );
    // First, because what is not followed must not hold up what is.
    const problem = pastOpenInterest === undefined ? undefined : await catchUp();
    const last = since ?? (await newest());
    const areAllDue = Math.floor(last / unfollowedEvery) < Math.floor(at / unfollowedEvery);
    const due = others.filter(
      (symbol) => areAllDue || followed.has(symbol) || listed().get(symbol)?.interest === undefined,
    );
    if (due.length > 0 && last < at) {
      const asking = exchanges.markets.openInterest?.(due, at).catch((error: unknown) => {
        // A market may be listed before it can be traded. Where none of these can, that is no failure of the others.
        if (!isUnknown(error)) throw error;
        return [];
      });
      const interest = (await asking) ?? [];
      learn({ interest });
      await write(
        'openInterest',
        interest.filter(({ symbol }) => followed.has(symbol)),
      );
    }
    return problem;
  },
});

async function newestSnapshot(archive: Archive, to: number): Promise<number> {
  return Math.max(0, ...(await archive.latest('openInterest', to)).map(({ time }) => time));
}
