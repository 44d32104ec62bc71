/** What is drawn of a chart, the same in pictures and on the page: the ticks, colours, labels and marks. */
import type { Chart } from '../alert/alert.ts';
import { time } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { type Plot, type PlotPanel, type PlotSeries, prepare, standsAlone } from './prepare.ts';
import type { ChartReader } from './reader.ts';
import { textWidth } from './text-width.ts';
import type { Colour } from './theme.ts';
import { type Tick, timeTicks } from './time-axis.ts';
import { axisText, valueText } from './value.ts';

export interface ChartModel extends Pick<Plot, 'range'> {
  readonly title: string;
  readonly source?: string | undefined;
  /** The units that are not written with every value, to be shown beside the title. */
  readonly units: readonly string[];
  readonly panels: readonly PanelModel[];
  readonly bands: readonly (Plot['bands'][number] & { readonly colour: Colour })[];
  readonly moments: readonly (Plot['moments'][number] & { readonly colour: Colour })[];
  readonly legend: readonly LegendEntry[];
  /** The time of the last value, in words; empty where there is no value. */
  readonly until: string;
  /** Texts to be shown below: how many series there was no room for and, `nothing`, that there is no value at all. */
  readonly omitted?: string;
  readonly nothing?: string;
}

export interface PanelModel extends Pick<PlotPanel, 'scale' | 'unit'> {
  /** What a lane shows, with its unit and its last value. */
  readonly caption?: string;
  readonly ticks: readonly { readonly value: number; readonly text: string }[];
  /** Zero is inside the scale, and has a line of its own. */
  readonly zero: boolean;
  readonly series: readonly SeriesModel[];
  readonly marks: readonly MarkModel[];
}

interface SeriesModel extends PlotSeries {
  readonly colour: Colour;
  /** Given if the area between the line and this value is tinted. */
  readonly base?: number;
}

export interface MarkModel {
  readonly name: string;
  readonly value: number;
  /** The other end of a zone. */
  readonly to?: number | undefined;
  readonly text: string;
  readonly colour: Colour;
  /** The side of its line on which the mark's name stands. */
  readonly side: 'above' | 'below';
}

/** What a colour in the chart stands for. */
export interface LegendEntry {
  readonly shape: 'line' | 'bars' | 'candles' | 'band' | 'moment' | 'level';
  readonly name: string;
  /** The last value, the level’s value, or how many times the moment is marked. */
  readonly value?: string;
  readonly colour: Colour;
}

/**
 * Returns what is drawn of a chart.
 *
 * @param chart its texts are plain (card/plain.ts)
 */
export function modelOf(chart: Chart<string>, reader: ChartReader): ChartModel {
  const plot = prepare(chart);
  const { range, omitted } = plot;
  const units = new Set(
    plot.panels.flatMap(({ name, unit }) => (name === undefined && !isWritten(unit) ? [unit] : [])),
  );
  const bands = plot.bands.map((band) => ({ ...band, colour: band.tone }));
  const moments = plot.moments.map((moment) => ({ ...moment, colour: moment.tone ?? ('caution' as const) }));
  return {
    title: chart.title,
    source: chart.source,
    // If only one of two panels has a unit, the unit would be taken for that of both: the legend has it beside its
    // values.
    units: units.has('') ? [] : [...units],
    range,
    panels: plot.panels.map((panel, index) => panelOf(panel, { index, plot, reader })),
    bands,
    moments,
    legend: legendOf({ ...plot, bands, moments }, reader),
    until: range === null ? '' : reader.say(time(range.last)),
    ...(omitted > 0 && { omitted: reader.say(msg('{n} more not drawn', { n: omitted })) }),
    ...(range === null && { nothing: reader.say(msg('No data')) }),
  };
}

/** Whether a unit is written with each of its values. */
const isWritten = (unit: string): boolean => unit === '%' || unit === 'USD';

/** Whether a lane’s caption says all that the legend would say of its series. */
const isCaptioned = ({ name, series }: PlotPanel): boolean => name !== undefined && series.length <= 1;

function captionOf({ name, unit, series }: PlotPanel, { say }: ChartReader): string {
  const last = series.length === 1 ? series[0]?.last : undefined;
  return [
    unit === '' || isWritten(unit) ? name : `${name}, ${unit}`,
    ...(last === undefined ? [] : [say(valueText(last, unit))]),
  ].join('  ');
}

function panelOf(
  panel: PlotPanel,
  { index, plot, reader }: { readonly index: number; readonly plot: Plot; readonly reader: ChartReader },
): PanelModel {
  const { name, scale, unit, series, marks } = panel;
  const { min, max, step } = scale;
  const text = axisText(scale, { unit, digits: reader.digits });
  // The lower panels have room for labels only at their ends.
  const values =
    index === 0
      ? Array.from({ length: Math.round((max - min) / step) + 1 }, (_, n) => min + n * step)
      : [min, max];
  const isOnlySeries = plot.panels.length === 1 && series.length === 1 && plot.bands.length === 0;
  // If there are values on both sides of zero, the tinted area starts from zero.
  const base = min >= 0 ? min : max <= 0 ? max : 0;
  return {
    ...(name !== undefined && { caption: captionOf(panel, reader) }),
    scale,
    unit,
    ticks: plot.range === null ? [] : values.map((value) => ({ value, text: text(value) })),
    zero: min < 0 && max > 0,
    series: series.map((each) => ({
      ...each,
      colour: colourOf(each),
      ...(isOnlySeries && !standsAlone(each.shape) && { base }),
    })),
    marks: (plot.range === null ? [] : marks).map(({ name, value, to, tone }) => ({
      name,
      value,
      to,
      text: reader.say(valueText(value, unit)),
      colour: tone ?? 'caution',
      // The name is on the side away from zero, where there is no other line, if there is room.
      side: value < 0 && value - min > (max - min) / 4 ? 'below' : 'above',
    })),
  };
}

const colourOf = ({ tone, order }: PlotSeries): Colour => tone ?? order;

/** Returns the entries of the legend: the series with their last values, then the bands and the moments. */
function legendOf(
  { panels, bands, moments }: Pick<ChartModel, 'bands' | 'moments'> & Pick<Plot, 'panels'>,
  { say }: ChartReader,
): LegendEntry[] {
  return [
    ...panels.flatMap((panel) => {
      if (isCaptioned(panel)) return [];
      const { series, unit } = panel;
      // If several series of bars are side by side, the last value of one is easily taken for their sum: only that of a
      // single one is written.
      const isOnlyBars = series.filter(({ shape }) => shape === 'bars').length === 1;
      return series.map((each): LegendEntry => {
        const { name, last } = each;
        const shape = each.shape === 'steps' ? 'line' : each.shape;
        const hasValue = last !== undefined && (shape !== 'bars' || isOnlyBars);
        return {
          shape,
          name,
          ...(hasValue && { value: say(valueText(last, unit)) }),
          colour: colourOf(each),
        };
      });
    }),
    ...[...new Map(bands.map((band) => [band.name, band])).values()].map(
      ({ name, colour }): LegendEntry => ({ shape: 'band', name, colour }),
    ),
    ...[...Map.groupBy(moments, ({ name }) => name)].map(([name, all]): LegendEntry => {
      const count = all.length === 1 ? {} : { value: `× ${all.length}` };
      return { shape: 'moment', name, ...count, colour: all[0]?.colour ?? 'caution' };
    }),
  ];
}

/** The size of all texts inside a chart, pixels. */
export const fontSize = 12;
/** The room that keeps labels of time apart. */
const tickGap = 10;
const usualTick = 78;

/**
 * Returns the round times to be written under panels that are `width` pixels wide. None is cut at the left edge, nor at
 * the right, beyond which there are `right` pixels; none touches the next.
 */
export function ticksOf(
  { range }: Pick<ChartModel, 'range'>,
  {
    width,
    right = 0,
    reader,
  }: { readonly width: number; readonly right?: number; readonly reader: ChartReader },
): Tick[] {
  if (range === null) return [];
  const { from, to } = range;
  const fitting = (count: number) => {
    let end = -tickGap;
    return timeTicks({ ...reader, from, to, count }).filter(({ at, label }) => {
      const half = textWidth(label, fontSize) / 2;
      const middle = ((at - from) / (to - from)) * width;
      if (middle - half < end + tickGap || middle + half > width + right) return false;
      end = middle + half;
      return true;
    });
  };
  const count = Math.max(1, Math.floor(width / usualTick));
  // Where the edges leave too few, more are tried, of which those that fit remain.
  const few = fitting(count);
  return few.length > 1 ? few : fitting(2 * count);
}

/**
 * Returns where each bar begins and ends. Bars of one time stand on each other, positive ones upward and negative ones
 * downward.
 */
export function stacksOf(series: readonly PlotSeries[]): [at: number, from: number, to: number][][] {
  const ends = new Map<string, number>();
  return series.map(({ shape, points }) =>
    shape !== 'bars'
      ? []
      : points.flatMap(([at, value]) => {
          if (value === null) return [];
          const key = `${at} ${value < 0}`;
          const from = ends.get(key) ?? 0;
          ends.set(key, from + value);
          return [[at, from, from + value] as [number, number, number]];
        }),
  );
}
