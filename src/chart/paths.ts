/** A place in the drawing, pixels from its left and upper edge. */
export type Place = readonly [x: number, y: number];
export interface Plane {
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
}

/** Rounds to what can be seen, so that a drawing stays short. */
export const round = (pixels: number): number => Math.round(pixels * 100) / 100;

/** Returns the stretches of a series between its gaps. */
export function stretchesOf(
  points: readonly (readonly [at: number, value: number | null, ...more: number[]])[],
  { x, y }: Plane,
): Place[][] {
  const stretches: Place[][] = [[]];
  for (const [at, value] of points) {
    if (value === null) stretches.push([]);
    else stretches.at(-1)?.push([x(at), y(value)]);
  }
  return stretches.filter(({ length }) => length > 0);
}

/** The width of what is seen as one, pixels. */
const column = 2;

/** A line as a path, and the path along which the area below it ends. */
interface DrawnLine {
  readonly edge: string;
  readonly path: string;
  /** Whether the path is the outline of all that the line passes, to be filled. */
  readonly isClosed: boolean;
}

/**
 * Returns a line through places. With `steps` each holds until the next. Where there are more than can be seen, it is what they
 * cover: of each column the highest and the lowest place, so that every peak stays.
 */
export function lineOf(places: readonly Place[], { steps }: { readonly steps: boolean }): DrawnLine {
  const [first, last] = [places[0]?.[0] ?? 0, places.at(-1)?.[0] ?? 0];
  if (places.length <= 4 * (last - first)) {
    const path = through(places, steps);
    return { edge: path, path, isClosed: false };
  }
  const highs: Place[] = [];
  const lows: Place[] = [];
  for (const [x, y] of places) {
    const [high, low] = [highs.at(-1), lows.at(-1)];
    // A pixel to both sides: a flat stretch is as thick as a line.
    const isNext = Math.floor((high?.[0] ?? x) / column) !== Math.floor(x / column);
    if (high === undefined || low === undefined || isNext) {
      highs.push([x, y - 1]);
      lows.push([x, y + 1]);
    } else if (y - 1 < high[1]) highs[highs.length - 1] = [high[0], y - 1];
    else if (y + 1 > low[1]) lows[lows.length - 1] = [low[0], y + 1];
  }
  const edge = through(highs);
  return { edge, path: `${edge}L${through(lows.reverse()).slice(1)}Z`, isClosed: true };
}

/** Returns a path through places. With `steps` each holds until the next. */
export const through = (places: readonly Place[], steps = false): string =>
  places
    .map(([x, y], index) => {
      const pen = index === 0 ? 'M' : steps ? 'H' : 'L';
      return `${pen}${round(x)}${pen === 'H' ? 'V' : ' '}${round(y)}`;
    })
    .join('');

/** Returns the outline of a rectangle. */
export const box = ([x, y]: Place, [width, height]: readonly [number, number]): string =>
  `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`;
