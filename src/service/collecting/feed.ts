import type { Logger } from 'pino';
import type { Archive, FeedState } from '../archive/archive.ts';

/** The state of one feed, kept in the archive: what went well last and what is wrong now. */
export interface FeedHealth {
  /** Whether it ever answered, in this process or one before. */
  known(): boolean;
  /** `at`: market ms of the newest thing known of it. `problem`: what is wrong with a part of it. */
  well(at: number, problem?: string | null): Promise<void>;
  wrong(problem: string): Promise<void>;
}

export function openFeed(
  name: string,
  {
    before,
    archive,
    log,
  }: { readonly before: FeedState | undefined; readonly archive: Archive; readonly log: Logger },
): FeedHealth {
  let state: FeedState = before ?? { feed: name, lastUpdate: null, problem: null };
  const change = async (next: FeedState) => {
    // Its beginning and its end, not every repetition with another number in it.
    if (next.problem !== null && state.problem === null) {
      log.warn({ feed: name, problem: next.problem }, 'a feed failed; retrying on schedule');
    }
    if (next.problem === null && state.problem !== null) log.info({ feed: name }, 'a feed is back');
    state = next;
    await archive.writeFeed(next);
  };
  return {
    known: () => state.lastUpdate !== null,
    well: (at, problem = null) => change({ feed: name, lastUpdate: Math.floor(at), problem }),
    wrong: (problem) => change({ ...state, problem }),
  };
}
