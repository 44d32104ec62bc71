// The group of an alert determines the post in which it is sent: its own post, that of its burst, or one of the following.

/** Prefix for the alerts of one digest. The time when the digest is due follows, so that all of them are sent together. */
const digest = 'digest@';
/** Prefix for alerts that began and ended before they could be sent. */
const over = 'over@';

/** @param due market ms */
export const digestGroup = (due: number): string => `${digest}${due}`;

/** @param at market ms at which it was the post's turn to be sent */
export const overGroup = (at: number): string => `${over}${at}`;

export const isOverGroup = (group: string): boolean => group.startsWith(over);

/** Returns the time in the name of a digest or over group, market ms; undefined for any other group. */
export const digestTime = (group: string): number | undefined => {
  const prefix = [digest, over].find((each) => group.startsWith(each));
  return prefix === undefined ? undefined : Number(group.slice(prefix.length));
};
