/** The numbers of a chart: no elements, no text but of numbers. */

export interface PanelScale {
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly number[];
}

/** Smaller than anything a market shows. */
const zero = 1e-12;

const steps = [1, 2, 2.5, 5, 10];

/** Round values, about `count` of them, whose ends hold every value. */
export function niceScale(values: readonly number[], count: number): PanelScale {
  const finite = values.filter(Number.isFinite);
  let low = Math.min(...finite);
  let high = Math.max(...finite);
  if (finite.length === 0) [low, high] = [0, 1];
  // A flat line sits in the middle of a scale of its own size.
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low <= Math.max(size * 1e-9, zero)) {
    const half = size <= zero ? 1 : size * 0.05;
    [low, high] = [low - half, high + half];
  }
  const rough = (high - low) / Math.max(1, count - 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * (steps.find((factor) => factor * power >= rough * 0.999) ?? 10);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  return { min: first * step, max: last * step, ticks };
}

/** Where bars of one time end when they stand on each other: positive ones upward, negative ones downward. */
export function stacked(
  series: readonly {
    readonly shape?: 'line' | 'bars' | undefined;
    readonly points: readonly (readonly [number, number])[];
  }[],
): [from: number, to: number][][] {
  const ends = new Map<string, number>();
  return series.map(({ shape, points }) =>
    shape !== 'bars'
      ? []
      : points.map(([at, value]) => {
          const key = `${at} ${value < 0}`;
          const from = ends.get(key) ?? 0;
          ends.set(key, from + value);
          return [from, from + value];
        }),
  );
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const timeSteps = [
  ...[1, 5, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 6, 12].map((n) => n * hour),
  ...[1, 2, 7, 14, 30, 61, 91, 182, 365].map((n) => n * day),
];

/**
 * Times on round steps of the zone's clock between two, at most `count`. `offsetAt`: how far the zone is ahead of UTC
 * at a time, ms: on a day of 23 or 25 hours round hours stay round.
 */
export function timeTicks({
  from,
  to,
  count,
  offsetAt,
}: {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly offsetAt: (at: number) => number;
}): number[] {
  const step = timeSteps.find((candidate) => (to - from) / candidate <= count) ?? (to - from) / count;
  const ticks: number[] = [];
  for (let local = Math.floor((from + offsetAt(from)) / step) * step; ticks.length <= count; local += step) {
    const at = local - offsetAt(local - offsetAt(local - offsetAt(from)));
    if (at > to) break;
    // An hour that the clock skips has the time of the one after it.
    if (at >= from && at > (ticks.at(-1) ?? Number.NEGATIVE_INFINITY)) ticks.push(at);
  }
  return ticks;
}

/** Further apart than this many usual steps, two values are no line. */
const widestStep = 3;

/** The stretches of a series in which no value is missing: over a gap a line would be an invention. */
export function unbroken<Point extends readonly [at: number, value: number]>(
  points: readonly Point[],
): readonly (readonly Point[])[] {
  const steps = points.slice(1).map(([at], index) => at - (points[index]?.[0] ?? at));
  const usual = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
  const begins = [0, ...steps.flatMap((step, index) => (step > widestStep * usual ? [index + 1] : []))];
  return begins
    .map((begin, index) => points.slice(begin, begins[index + 1]))
    .filter((stretch) => stretch.length > 0);
}

/** Pixels of a letter at the size of a chart's text: the widest usual ones are no wider. */
const letter = 7;

/** A name in so many pixels. */
export const shortened = (name: string, width: number): string => {
  const room = Math.floor(width / letter);
  return name.length <= room ? name : `${name.slice(0, Math.max(1, room - 1))}…`;
};

/** Short enough for an axis: `1.25M`, `1,25 M`, `−0.0001`. */
export function shortNumber(value: number, locale: string): string {
  const size = Math.abs(value);
  if (size < zero) return '0';
  return new Intl.NumberFormat(locale, {
    notation: size >= 10_000 ? 'compact' : size < 1e-6 ? 'scientific' : 'standard',
    maximumSignificantDigits: size < 1 ? 3 : 4,
    useGrouping: false,
  })
    .formatToParts(value)
    .map(({ type, value: text }) => (/minusSign/i.test(type) ? '−' : text))
    .join('');
}
