import pino from 'pino';
import { expect, it } from 'vitest';
import { realTime, type WallClock } from '#src/runtime/clock.ts';
import { day } from '#src/runtime/units.ts';
import type { Archive } from '#src/service/archive/archive.ts';
import type { FeedHealth } from '#src/service/collecting/feed-health.ts';
import { keepRepairing } from '#src/service/collecting/repairing.ts';
import type { Universe } from '#src/service/collecting/universe.ts';

const now = Date.UTC(2026, 8, 5, 12);

it('by a clock that is a year ahead of the exchange’s, nothing is taken for too old to be kept', async () => {
  const stopping = new AbortController();
  const wall: WallClock = { now: () => now + 365 * day, sleep: async () => {} };
  const pruned: number[] = [];
  let ahead = 0;
  const universe = {
    async measureClock() {
      ahead = 365 * day;
    },
    aheadBy: () => ahead,
    isStale: () => true,
    renew: async () => {},
  } as Partial<Universe> as Universe;
  await keepRepairing({
    universe,
    universeFeed: { recordSuccess: async () => {} } as Partial<FeedHealth> as FeedHealth,
    archive: { prune: async (at: number) => void pruned.push(at) } as Partial<Archive> as Archive,
    filling: {
      async repair() {
        stopping.abort();
        return true;
      },
      fillNeeded: async () => {},
      fetch: async () => {},
      progress: () => 1,
    },
    feeds: [],
    clock: realTime(wall),
    wall,
    random: () => 0.5,
    log: pino({ level: 'silent' }),
    signal: stopping.signal,
  });
  expect(pruned).toEqual([now]);
});
