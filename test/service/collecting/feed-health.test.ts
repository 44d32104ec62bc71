import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { Archive } from '#src/service/archive/archive.ts';
import { openFeed, tellPlayed } from '#src/service/collecting/feed-health.ts';

it('a feed on a full disk has failed once, and is back once its success is stored', async () => {
  const lines: string[] = [];
  const log = pino(
    { base: null, timestamp: false },
    { write: (line) => void lines.push(JSON.parse(line).msg) },
  );
  let full = true;
  const archive = {
    writeFeed: async () => {
      if (full) throw new Error('database or disk is full');
    },
  } as Partial<Archive> as Archive;
  const feed = openFeed('book', { before: undefined, archive, log });
  const round = async () => {
    await feed.recordSuccess(1).catch(() => feed.recordProblem('database or disk is full').catch(() => {}));
  };
  for (let n = 0; n < 3; n += 1) await round();
  expect(lines).toEqual(['a feed failed; retrying on schedule']);
  expect(feed.hasSucceeded()).toBe(false);
  full = false;
  for (let n = 0; n < 3; n += 1) await round();
  expect(lines.slice(1)).toEqual(['a feed is back']);
});

it('an outage that the simulator plays is one quiet line, whatever fails with it, and is called simulated', async () => {
  const lines: string[] = [];
  const stored: unknown[] = [];
  const log = pino(
    { base: null, timestamp: false },
    { write: (line) => void lines.push(`${JSON.parse(line).level} ${JSON.parse(line).msg}`) },
  );
  const archive = {
    writeFeed: async (state) => void stored.push(state.problem),
  } as Partial<Archive> as Archive;
  let outage: { what: string; to: number } | undefined = { what: 'Binance', to: 0 };
  const isPlayed = tellPlayed(() => outage, log);
  const feeds = ['book', 'basis'].map((name) =>
    openFeed(name, { before: undefined, archive, isPlayed, log }),
  );
  for (const feed of feeds) await feed.recordProblem('HTTP 503');
  expect(stored).toEqual(['simulated outage: HTTP 503', 'simulated outage: HTTP 503']);
  outage = undefined;
  for (const feed of feeds) await feed.recordSuccess(1);
  expect(lines).toEqual([
    '30 the simulator plays an outage of Binance until 1970-01-01T00:00:00.000Z, as real markets have them',
  ]);
  await feeds[0]?.recordProblem('HTTP 503');
  expect(lines.slice(1)).toEqual(['40 a feed failed; retrying on schedule']);
});
