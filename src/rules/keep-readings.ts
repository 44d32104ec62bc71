import type { DataClient } from '../contract/data-client.ts';
import type { MarketClock, WallClock } from '../runtime/clock.ts';
import { type Loop, startLoop } from '../runtime/loop.ts';
import { minute, second } from '../runtime/units.ts';
import { feeds } from './all-feeds.ts';
import type { Reading } from './feed.ts';
import { type FeedName, feedNames } from './feed-names.ts';
import { type AskedAt, gather } from './gather.ts';

/** What one feed answered at `at`, market ms. */
export interface KeptReadings {
  readonly feed: FeedName;
  readonly at: number;
  readonly readings: readonly Reading[];
}

interface KeepOptions {
  readonly data: DataClient;
  readonly add: (kept: KeptReadings) => Promise<void>;
  readonly universe: () => readonly string[];
  /** Returns the market's clock. It is called anew each time. */
  readonly clock: () => MarketClock;
  readonly wall: WallClock;
  readonly onError: (error: unknown) => void;
}

/** The time between two looks, market ms. Previews of most rules look as often. */
const lookInterval = 5 * minute;

/** The feeds that have no past and answer for all symbols at once. */
const presentOnlyFeeds = feedNames.filter(
  (name) => !feeds[name].isPerSymbol && feeds[name].pastHours === undefined,
);

/**
 * Stores what a hosted data service tells only of the present, so that rules about it can be previewed over the past:
 * seven requests in five minutes, most of which the detectors make anyway.
 */
export function startKeeping({ data, add, universe, clock, wall, onError }: KeepOptions): Loop {
  const asked = new Map<FeedName, AskedAt>();
  const lastStored = new Map<string, string>();
  const signal = new AbortController().signal;

  async function keep(feed: FeedName): Promise<void> {
    const now = clock().now();
    const needs = new Map([[feed, new Set(universe())]]);
    const look = { data, asked: asked.get(feed) ?? {}, requests: 0, now, signal };
    const gathered = await gather(needs, look);
    asked.set(feed, gathered.asked);
    const keyOf = ({ symbol = '' }: Reading) => `${feed} ${symbol}`;
    // Only readings that changed are stored: a settlement of eight hours is in a hundred answers.
    const readings = gathered.readings.filter((each) => lastStored.get(keyOf(each)) !== JSON.stringify(each));
    if (readings.length > 0) await add({ feed, at: now, readings });
    for (const each of readings) lastStored.set(keyOf(each), JSON.stringify(each));
  }

  return startLoop(
    async () => {
      for (const feed of presentOnlyFeeds) await keep(feed).catch(onError);
      return Math.max(second, lookInterval / clock().speed);
    },
    { wall, onError },
  );
}
