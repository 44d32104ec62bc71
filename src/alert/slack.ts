/** How far behind a level a number must fall before an alert ends: `fixed` + `share` × the level's absolute value. */
export interface Slack {
  readonly fixed: number;
  readonly share: number;
}

/** The least and the greatest value that a metric can have. Absent: there is no such limit. */
export interface ValueRange {
  readonly min?: number;
  readonly max?: number;
}

/** Returns a slack that is a part of the level itself. */
export const relativeSlack = (share: number): Slack => ({ fixed: 0, share });
export const fixedSlack = (fixed: number): Slack => ({ fixed, share: 0 });

/** Returns the range of a metric's size, which is its value without its sign. */
export const sizeRange = ({ min = -Infinity, max = Infinity }: ValueRange): ValueRange => ({
  min: Math.max(0, min),
  max: Math.max(max, -min),
});

/**
 * Returns a level moved by its metric's slack, but at most half way to the end of the metric's range: an alert that
 * ends beyond the range would never end.
 */
export function movedLevel(
  level: number,
  {
    direction,
    slack: { fixed, share },
    range: { min = -Infinity, max = Infinity } = {},
  }: { readonly direction: 1 | -1; readonly slack: Slack; readonly range?: ValueRange | undefined },
): number {
  const room = Math.max(0, direction < 0 ? level - min : max - level);
  return level + direction * Math.min(fixed + share * Math.abs(level), room / 2);
}
