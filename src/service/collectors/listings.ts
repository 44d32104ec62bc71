import { minute } from '../../runtime/units.ts';
import { keepListings } from '../listings.ts';
import { defineCollector } from './collector.ts';

/** The venue's whole list of perpetuals: what is new, delisted or settles otherwise. */
export default defineCollector({
  name: 'listings',
  every: 15 * minute,
  collect: async ({ exchanges: { markets }, archive }, { now }) =>
    keepListings(archive, { listings: await markets.listings(), now }),
});
