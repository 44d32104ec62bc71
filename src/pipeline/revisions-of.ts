import type { Claim } from '../store/store.ts';

/** Returns the claim's revisions as `ID@REVISION`, the form in which log lines name them from the detector to the message. */
export const revisionsOf = ({ rows }: Pick<Claim, 'rows'>): readonly string[] =>
  rows.map(({ alertId, revision }) => `${alertId}@${revision}`);
