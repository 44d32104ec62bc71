import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { Archive } from '#src/service/archive/archive.ts';
import { openFeed } from '#src/service/collecting/feed.ts';

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
