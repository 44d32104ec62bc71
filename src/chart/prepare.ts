import type { Chart, Panel, Series } from '../alert/alert.ts';
import { panelsOf } from '../alert/panels.ts';
import { hour } from '../runtime/lengths.ts';
import { isDrawable, niceScale, type Scale } from './scale.ts';
import { isMarketTime } from './time-axis.ts';

/** The parts of a chart that can be drawn: in order, finite, within one range of time, with known scales. */
export interface Plot {
  readonly panels: readonly PlotPanel[];
  /** Times of the first and last value with room for bars, and of the last value, market ms. Null: there is nothing to draw. */
  readonly range: { readonly from: number; readonly to: number; readonly last: number } | null;
  readonly bands: NonNullable<Chart<string>['bands']>;
  readonly moments: NonNullable<Chart<string>['moments']>;
  /** How many series there was no room for. */
  readonly omitted: number;
}

export interface PlotPanel {
  readonly name?: string | undefined;
  readonly unit: string;
  readonly series: readonly PlotSeries[];
  readonly marks: NonNullable<Panel<string>['marks']>;
  readonly scale: Scale;
}

export interface PlotSeries extends Omit<Series<string>, 'points' | 'shape' | 'candles'> {
  readonly shape: 'line' | 'bars' | 'steps' | 'candles';
  /** The place among the series without a tone, which take their colours in turn. */
  readonly order: number;
  /** A value of null is a gap. Of a candle open, high, low and volume follow; high and low hold all of it. */
  readonly points: readonly (readonly [at: number, value: number | null, ...candle: number[]])[];
  readonly last: number | undefined;
}

/** The most series of a chart, without those of lanes, and of each lane: as many as can be told apart. */
const maxSeries = 8;

export const standsAlone = (shape: PlotSeries['shape']): boolean => shape === 'bars' || shape === 'candles';

export function prepare(chart: Chart<string>): Plot {
  let untonedCount = 0;
  let left = maxSeries;
  let omitted = 0;
  const panels = panelsOf(chart).map(({ name, unit, series, marks = [] }): PlotPanel => {
    const room = name === undefined ? left : maxSeries;
    const drawn = series
      .slice(0, room)
      .map((each) => prepareSeries(each, each.tone === undefined ? untonedCount++ : 0));
    if (name === undefined) left -= drawn.length;
    omitted += series.length - drawn.length;
    const levels = marks.filter(({ value, to = value }) => isDrawable(value) && isDrawable(to));
    const scale = niceScale([
      ...axisValues(drawn),
      ...levels.flatMap(({ value, to = value }) => [value, to]),
    ]);
    return { name, unit, marks: levels, series: drawn, scale };
  });
  const range = timeRange(panels);
  const within = (at: number) => range !== null && at >= range.from && at <= range.to;
  return {
    panels,
    range,
    bands: (chart.bands ?? []).flatMap((band) => {
      if (range === null) return [];
      const from = Math.max(band.from, range.from);
      const to = Math.min(band.to, range.to);
      return from < to ? [{ ...band, from, to }] : [];
    }),
    moments: (chart.moments ?? []).filter(({ at }) => within(at)),
    omitted,
  };
}

function prepareSeries(
  { points, candles, shape = 'line', ...series }: Series<string>,
  order: number,
): PlotSeries {
  const drawn = points
    .map(([at, value], index): PlotSeries['points'][number] =>
      candles === undefined ? [at, isDrawable(value) ? value : null] : candle([at, value], candles[index]),
    )
    .filter(([at]) => isMarketTime(at))
    .sort(([a], [b]) => a - b);
  const drawnAs = candles === undefined ? shape : 'candles';
  return {
    ...series,
    shape: drawnAs,
    order,
    points: standsAlone(drawnAs) ? drawn : withGaps(drawn),
    last: drawn.findLast(([, value]) => value !== null)?.[1] ?? undefined,
  };
}

function candle(
  [at, close]: readonly [number, number],
  given: NonNullable<Series['candles']>[number] = [close, close, close, 0],
): PlotSeries['points'][number] {
  const [open, high, low, volume] = given;
  if (![close, open, high, low, volume].every(isDrawable)) return [at, null];
  return [at, close, open, Math.max(open, close, high), Math.min(open, close, low), Math.max(0, volume)];
}

/**
 * If two values are further apart than this many usual steps, there is a gap between them: a line would show values
 * that are not known.
 */
const maxStepFactor = 3;

function withGaps(points: PlotSeries['points']): PlotSeries['points'] {
  const steps = points.slice(1).map(([at], index) => at - (points[index]?.[0] ?? at));
  const medianStep = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
  return points.flatMap((point, index) => {
    const step = steps[index] ?? 0;
    return step > maxStepFactor * medianStep ? [point, [point[0] + step / 2, null] as const] : [point];
  });
}

/** Returns the values that the axis must hold. Bars stand on zero and on each other. */
function axisValues(series: readonly PlotSeries[]): number[] {
  const lines = series
    .filter(({ shape }) => shape !== 'bars')
    .flatMap(({ points }) =>
      points.flatMap(([, value, , high = value, low = value]) =>
        value === null ? [] : [high ?? value, low ?? value],
      ),
    );
  const up = new Map<number, number>();
  const down = new Map<number, number>();
  for (const { shape, points } of series) {
    if (shape !== 'bars') continue;
    for (const [at, value] of points) {
      const side = (value ?? 0) < 0 ? down : up;
      side.set(at, (side.get(at) ?? 0) + (value ?? 0));
    }
  }
  return up.size + down.size === 0 ? lines : [...lines, 0, ...up.values(), ...down.values()];
}

function timeRange(panels: readonly PlotPanel[]): Plot['range'] {
  const all = panels.flatMap(({ series }) => series);
  const timesOf = (some: readonly PlotSeries[]) =>
    some.flatMap(({ points }) => points.flatMap(([at, value]) => (value === null ? [] : at)));
  const times = timesOf(all);
  const first = times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const last = times.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  if (times.length === 0) return null;
  if (first === last) return { from: first - hour / 2, to: last + hour / 2, last };
  // There is half a bar more at each end, so that the first and the last bar are whole.
  const bars = timesOf(all.filter(({ shape }) => standsAlone(shape)));
  const half = bars.length === 0 ? 0 : leastStep(bars, last - first) / 2;
  return { from: first - half, to: last + half, last };
}

/** Returns the least distance between two different numbers; `most` where there are none. */
export const leastStep = (numbers: readonly number[], most: number): number =>
  numbers
    .toSorted((a, b) => a - b)
    // biome-ignore lint/complexity/useMaxParams: the shape is reduce’s
    .reduce((least, each, index, sorted) => {
      const step = each - (sorted[index - 1] ?? Number.NEGATIVE_INFINITY);
      return step > 0 ? Math.min(least, step) : least;
    }, most);
