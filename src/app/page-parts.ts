import { createAlertFeed } from './alert-feed.ts';
import { createPastSeries } from './past-series.ts';

/** What a page shows besides the board and what is said in chats. */
export const createPageParts = (
  given: Omit<Parameters<typeof createAlertFeed>[0], 'log'> &
    Parameters<typeof createPastSeries>[0] & {
      readonly store: { readonly log: Parameters<typeof createAlertFeed>[0]['log'] };
    },
) => ({
  feed: createAlertFeed({ ...given, log: given.store.log }),
  series: createPastSeries(given),
});
