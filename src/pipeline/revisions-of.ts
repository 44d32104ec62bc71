/** One revision of an alert. */
export interface Revision {
  readonly alertId: string;
  readonly revision: number;
}

/** Returns the revisions as `ID@REVISION`, the form in which log lines name them from the detector to the message. */
export const revisionsOf = ({ rows }: { readonly rows: readonly Revision[] }): readonly string[] =>
  rows.map(({ alertId, revision }) => `${alertId}@${revision}`);
