import { minute } from '../../runtime/units.ts';
import { storeListings } from '../listings.ts';
import { defineCollector } from './collector.ts';

/** Collects the venue's list of perpetuals and records new ones, delisted ones and changed settlement intervals. */
export default defineCollector({
  name: 'listings',
  every: 15 * minute,
  collect: async ({ exchanges: { markets }, archive }, { now }) =>
    storeListings(archive, { listings: await markets.listings(), now }),
});
