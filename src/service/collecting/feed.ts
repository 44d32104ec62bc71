import type { Logger } from 'pino';
import type { Archive, FeedState } from '../archive/archive.ts';

/** The state of one feed, stored in the archive: when it last succeeded and what is wrong now. */
export interface FeedHealth {
  /** Returns whether the feed has ever succeeded, in this process or an earlier one. */
  hasSucceeded(): boolean;
  /**
   * Records a success.
   * @param at the time that the feed's data is known up to, market ms
   * @param problem what is wrong with a part of the feed
   */
  recordSuccess(at: number, problem?: string | null): Promise<void>;
  recordProblem(problem: string): Promise<void>;
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
  // Only the beginning and the end of a problem are logged, not each repetition, whose text may differ.
  const change = async (next: FeedState) => {
    // A success counts once it is stored: on a full disk its data was not stored either.
    if (next.problem === null) await archive.writeFeed(next);
    const { problem: before } = state;
    state = next;
    if (next.problem === null) {
      if (before !== null) log.info({ feed: name }, 'a feed is back');
      return;
    }
    if (before === null)
      log.warn({ feed: name, problem: next.problem }, 'a feed failed; retrying on schedule');
    await archive.writeFeed(next);
  };
  return {
    hasSucceeded: () => state.lastUpdate !== null,
    recordSuccess: (at, problem = null) => change({ feed: name, lastUpdate: Math.floor(at), problem }),
    recordProblem: (problem) => change({ ...state, problem }),
  };
}
