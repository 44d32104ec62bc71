import type { Logger } from 'pino';
import { iso } from '../../runtime/units.ts';
import type { Archive, FeedState } from '../archive/archive.ts';

/** The words before a problem that the simulator plays. */
const played = 'simulated outage';

/** Returns the outage that a simulator plays on purpose now, `to` market ms; undefined: none. */
export type PlayedOutage = () => { readonly what: string; readonly to: number } | undefined;

/** Returns whether an outage is played on purpose. Each is logged once, whatever number of feeds fails with it. */
export function tellPlayed(outage: PlayedOutage = () => undefined, log: Logger): () => boolean {
  let told: number | undefined;
  return () => {
    const current = outage();
    if (current === undefined) return false;
    if (current.to !== told)
      log.info(
        `the simulator plays an outage of ${current.what} until ${iso(current.to)}, as real markets have them`,
      );
    told = current.to;
    return true;
  };
}

export type FeedHealth = ReturnType<typeof openFeed>;

/** Opens the state of one feed, stored in the archive: when it last succeeded and what is wrong now. */
export function openFeed(
  name: string,
  {
    before,
    archive,
    isPlayed = () => false,
    log,
  }: {
    readonly before: FeedState | undefined;
    readonly archive: Archive;
    readonly isPlayed?: () => boolean;
    readonly log: Logger;
  },
) {
  let state: FeedState = before ?? { feed: name, lastUpdate: null, problem: null };
  // Only the beginning and the end of a problem are logged, not each repetition, whose text may differ.
  const change = async (next: FeedState) => {
    // A success counts once it is stored: on a full disk its data was not stored either.
    if (next.problem === null) await archive.writeFeed(next);
    const { problem: before } = state;
    state = next;
    if (next.problem === null) {
      if (before !== null)
        log[before.startsWith(played) ? 'debug' : 'info']({ feed: name }, 'a feed is back');
      return;
    }
    if (before === null && !next.problem.startsWith(played))
      log.warn({ feed: name, problem: next.problem }, 'a feed failed; retrying on schedule');
    await archive.writeFeed(next);
  };
  const said = (problem: string) => (isPlayed() ? `${played}: ${problem}` : problem);
  return {
    /** Returns whether the feed has ever succeeded, in this process or an earlier one. */
    hasSucceeded: () => state.lastUpdate !== null,
    /**
     * Records a success.
     * @param at the time that the feed's data is known up to, market ms
     * @param problem what is wrong with a part of the feed
     */
    recordSuccess: (at: number, problem: string | null = null): Promise<void> =>
      change({ feed: name, lastUpdate: Math.floor(at), problem: problem && said(problem) }),
    recordProblem: (problem: string): Promise<void> => change({ ...state, problem: said(problem) }),
  };
}
