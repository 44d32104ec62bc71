import type { Feed, FeedName } from './feed.ts';
import { marketFeeds } from './market-feeds.ts';
import { symbolFeeds } from './symbol-feeds.ts';

/** All feeds that rules can need, by name. */
export const feeds: Readonly<Record<FeedName, Feed>> = { ...marketFeeds, ...symbolFeeds };
