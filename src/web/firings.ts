/** SeriesPoints as the server tells them: null where nothing is known. */
export type SeriesPoints = readonly (readonly [at: number, value: number | null])[];

export interface Level {
  readonly side: 'above' | 'below';
  readonly level: number;
  /** How far behind the level it must fall before it is over. */
  readonly slack: number;
  /** How long it must have been beyond the level, ms. */
  readonly hold: number;
}

/** When it was told and how long it lasted; `to` null: it goes on. Times are market ms. */
export interface Firing {
  readonly at: number;
  readonly to: number | null;
  /** The value that stood out most. */
  readonly peak: number;
}

/**
 * When a rule would have told, by the points there are: as rules are judged. What is true already at the beginning is no
 * change, what lies between the level and where it is over changes nothing, and where nothing is known it stays as it is.
 */
export function firingsOf(points: SeriesPoints, { side, level, slack, hold }: Level): readonly Firing[] {
  const sign = side === 'above' ? 1 : -1;
  const firings: { at: number; to: number | null; peak: number }[] = [];
  let before: boolean | undefined;
  /** Since when it has been beyond the level without having been told. */
  let holding: number | undefined;
  let firing: (typeof firings)[number] | undefined;
  for (const [at, value] of points) {
    if (value === null) continue;
    const beyond = sign * (value - level) > 0;
    if (firing !== undefined) {
      if (sign * (value - firing.peak) > 0) firing.peak = value;
      if (sign * (value - level) <= -slack) {
        firing.to = at;
        firing = undefined;
      }
    } else if (!beyond) holding = undefined;
    else if (before === false) holding = at;
    if (firing === undefined && holding !== undefined && at - holding >= hold) {
      firing = { at, to: null, peak: value };
      firings.push(firing);
      holding = undefined;
    }
    before = beyond;
  }
  return firings;
}
