import { candleFeeds } from './candle-feeds.ts';
import { extensionFeeds } from './extension-feeds.ts';
import type { Feed } from './feed.ts';
import type { FeedName } from './feed-names.ts';
import { marketFeeds } from './market-feeds.ts';
import { symbolFeeds } from './symbol-feeds.ts';

/** All feeds that rules can need, by name. */
export const feeds: Readonly<Record<FeedName, Feed>> = {
  ...marketFeeds,
  ...extensionFeeds,
  ...symbolFeeds,
  ...candleFeeds,
};
