/** A digest is a post as any other: its group says when it is due, so that all of it is claimed together. */
const prefix = 'digest@';

/** @param due market ms */
export const digestGroup = (due: number): string => `${prefix}${due}`;

/** When the digest of that group is due, market ms; undefined where the group is none. */
export const digestTime = (group: string): number | undefined =>
  group.startsWith(prefix) ? Number(group.slice(prefix.length)) : undefined;
