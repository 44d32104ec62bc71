import { minute } from '../../../runtime/units.ts';
import { endedSymbols, storeListings } from '../../analytics/listing-log.ts';
import { defineCollector } from './collector.ts';

/**
 * Collects the venue's list of perpetuals and records new ones, delisted ones and changed settlement intervals. What is
 * tracked follows the list, unless it is not believed.
 */
export default defineCollector({
  name: 'listings',
  every: 5 * minute,
  async collect({ exchanges: { markets }, archive, applyList }, { now }) {
    const listings = await markets.listings();
    const doubt = await storeListings(archive, { listings, now });
    if (doubt === undefined) await applyList(listings, await endedSymbols(archive));
    return doubt;
  },
});
