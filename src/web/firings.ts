/** Points of a series as the server sends them; null where the value is unknown. */
export type SeriesPoints = readonly (readonly [at: number, value: number | null])[];

export interface Level {
  readonly side: 'above' | 'below';
  readonly level: number;
  /** How far behind the level the value must be before the firing ends. */
  readonly slack: number;
  /** How long the value must stay beyond the level before the rule fires, ms. */
  readonly hold: number;
}

/** A firing and its end; `to` is null while it continues. Times are market ms. */
export interface Firing {
  readonly at: number;
  readonly to: number | null;
  /** The value that was farthest beyond the level. */
  readonly peak: number;
}

/**
 * Returns when a rule would have fired on these points, judged as live rules are: a condition that is true at the first
 * point does not fire, between the level and the point where the firing ends nothing changes, and an unknown value
 * keeps the state.
 */
export function firingsOf(points: SeriesPoints, { side, level, slack, hold }: Level): readonly Firing[] {
  const sign = side === 'above' ? 1 : -1;
  const firings: { at: number; to: number | null; peak: number }[] = [];
  let wasBeyond: boolean | undefined;
  /** Since when the value has been beyond the level without a firing. */
  let beyondSince: number | undefined;
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
    } else if (!beyond) beyondSince = undefined;
    else if (wasBeyond === false) beyondSince = at;
    if (firing === undefined && beyondSince !== undefined && at - beyondSince >= hold) {
      firing = { at, to: null, peak: value };
      firings.push(firing);
      beyondSince = undefined;
    }
    wasBeyond = beyond;
  }
  return firings;
}
