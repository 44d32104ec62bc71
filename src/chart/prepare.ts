import type { Chart, Panel, Series } from '../alert/alert.ts';
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
  readonly unit: string;
  readonly series: readonly PlotSeries[];
  readonly marks: NonNullable<Panel<string>['marks']>;
  readonly scale: Scale;
}

export interface PlotSeries extends Omit<Series<string>, 'points'> {
  /** The place among the series without a tone, which take their colours in turn. */
  readonly order: number;
  /** A value of null is a gap. */
  readonly points: readonly (readonly [number, number | null])[];
  readonly last: number | undefined;
}

/** The most series of a chart: as many as can be told apart. */
const maxSeries = 8;

export function prepare(chart: Chart<string>): Plot {
  const given: readonly Panel<string>[] = chart.below === undefined ? [chart] : [chart, chart.below];
  let seriesLeft = maxSeries;
  let untonedCount = 0;
  const panels = given.map(({ unit, series, marks = [] }): PlotPanel => {
    const drawn = series
      .slice(0, seriesLeft)
      .map((each) => prepareSeries(each, each.tone === undefined ? untonedCount++ : 0));
    seriesLeft -= drawn.length;
    const levels = marks.filter(({ value }) => isDrawable(value));
    const scale = niceScale([...axisValues(drawn), ...levels.map(({ value }) => value)]);
    return { unit, marks: levels, series: drawn, scale };
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
    omitted: given.reduce((sum, { series }) => sum + series.length, 0) - (maxSeries - seriesLeft),
  };
}

function prepareSeries({ points, ...series }: Series<string>, order: number): PlotSeries {
  const drawn = points
    .filter(([at]) => isMarketTime(at))
    .map(([at, value]): [number, number | null] => [at, isDrawable(value) ? value : null])
    .sort(([a], [b]) => a - b);
  return {
    ...series,
    order,
    points: series.shape === 'bars' ? drawn : withGaps(drawn),
    last: drawn.findLast(([, value]) => value !== null)?.[1] ?? undefined,
  };
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
    .flatMap(({ points }) => points.flatMap(([, value]) => value ?? []));
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
  const timesOf = (some: readonly PlotSeries[]) =>
    [
      ...new Set(
        some.flatMap(({ points }) => points.filter(([, value]) => value !== null).map(([at]) => at)),
      ),
    ].sort((a, b) => a - b);
  const all = panels.flatMap(({ series }) => series);
  const times = timesOf(all);
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return null;
  if (first === last) return { from: first - hour / 2, to: last + hour / 2, last };
  // There is half a bar more at each end, so that the first and the last bar are whole.
  const bars = timesOf(all.filter(({ shape }) => shape === 'bars'));
  const gap = bars
    .slice(1)
    // biome-ignore lint/complexity/useMaxParams: the shape is reduce’s
    .reduce((least, at, index) => Math.min(least, at - (bars[index] ?? at)), last - first);
  const half = bars.length === 0 ? 0 : gap / 2;
  return { from: first - half, to: last + half, last };
}
