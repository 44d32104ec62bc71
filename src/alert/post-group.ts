// The group of an alert determines the post in which it is sent: its own post, that of its burst, or one of the following.
import type { Change } from './alert.ts';

/** Prefix for the alerts of one digest. The time when the digest is due follows, so that all of them are sent together. */
export const digestPrefix = 'digest@';
/** Prefix for alerts that began and ended before they could be sent. */
const endedUnsentPrefix = 'over@';

/** @param due market ms */
export const digestGroup = (due: number): string => `${digestPrefix}${due}`;

/** @param at market ms at which it was the post's turn to be sent */
export const endedUnsentGroup = (at: number): string => `${endedUnsentPrefix}${at}`;

export const isEndedUnsentGroup = (group: string): boolean => group.startsWith(endedUnsentPrefix);

/** Returns the time in the name of a digest or over group, market ms; undefined for any other group. */
export const digestTime = (group: string): number | undefined => {
  const prefix = [digestPrefix, endedUnsentPrefix].find((each) => group.startsWith(each));
  return prefix === undefined ? undefined : Number(group.slice(prefix.length));
};

/**
 * Gives the changes of one moment their `burst`: the alerts that begin for one cause, such as a rule, share one post; a single one
 * is posted at once.
 */
export function withBursts(
  changes: readonly Change[],
  now: number,
  causeOf: (change: Change) => string,
): readonly Change[] {
  const firing = changes.filter(({ status }) => status === 'firing');
  const firingByCause = Map.groupBy(firing, causeOf);
  return changes.map((change) => {
    const cause = causeOf(change);
    const isBurst = (firingByCause.get(cause)?.length ?? 0) > 1;
    return { ...change, burst: isBurst ? `${cause}-${now.toString(36)}` : null };
  });
}
