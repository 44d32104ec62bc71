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

/** A firing and its end; `to` null: it goes on. Times are market ms. */
export interface Firing {
  readonly at: number;
  readonly to: number | null;
  /** The value farthest beyond the level. */
  readonly peak: number;
}

/**
 * When a rule would have fired, by these points, judged as live rules are: what is true at the beginning is no firing,
 * between the level and the point where it ends nothing changes, and where a value is not known it stays as it was.
 */
export function firingsOf(points: SeriesPoints, { side, level, slack, hold }: Level): readonly Firing[] {
  const sign = side === 'above' ? 1 : -1;
  const firings: { at: number; to: number | null; peak: number }[] = [];
  let before: boolean | undefined;
  /** Since when it has been beyond the level without having fired. */
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
