// The group says which post an alert is told in: its own, its burst's, or one of these.

/** Holds what a subscription wants gathered: its group says when it is due, so that all of it is claimed together. */
const digest = 'digest@';
/** Holds what began and ended before it could be told. */
const over = 'over@';

/** @param due market ms */
export const digestGroup = (due: number): string => `${digest}${due}`;

/** @param at market ms at which its turn came */
export const overGroup = (at: number): string => `${over}${at}`;

export const isOverGroup = (group: string): boolean => group.startsWith(over);

/** When the digest of that group was due, market ms; undefined where the group is none. */
export const digestTime = (group: string): number | undefined => {
  const prefix = [digest, over].find((each) => group.startsWith(each));
  return prefix === undefined ? undefined : Number(group.slice(prefix.length));
};
