import type { LineSeriesOption, SeriesOption } from 'echarts';
import { type Reader, say } from '../language/say.ts';
import { font, label } from './layout.ts';
import { seriesColor, seriesId } from './legend.ts';
import type { Plot, PlotPanel, PlotSeries } from './prepare.ts';
import type { Theme } from './theme.ts';
import { valueText } from './value.ts';

/** More points than pixels are thinned, so that peaks stay. */
const thinFrom = 600;

export const drawSeries = (
  panel: PlotPanel,
  { index, plot, theme }: { readonly index: number; readonly plot: Plot; readonly theme: Theme },
): SeriesOption[] =>
  panel.series.map((series, place): SeriesOption => {
    const color = seriesColor(series, theme);
    const common = { name: seriesId(index, place), xAxisIndex: index, yAxisIndex: index, data: data(series) };
    if (series.shape === 'bars')
      return {
        ...common,
        type: 'bar',
        stack: `bars ${index}`,
        itemStyle: { color },
        barMaxWidth: 16,
        barMinWidth: 1,
        barCategoryGap: '25%',
        large: false,
      };
    const alone = plot.panels.length === 1 && panel.series.length === 1 && plot.bands.length === 0;
    return {
      ...common,
      ...lastPoint(series, { color, theme }),
      type: 'line',
      z: 3,
      showSymbol: true,
      symbol: 'none',
      symbolSize: 4,
      ...(series.points.length > thinFrom && { sampling: 'lttb' as const }),
      itemStyle: { color },
      lineStyle: { color, width: 2, join: 'round', cap: 'round' },
      ...(alone && { areaStyle: { color, opacity: 0.1, origin: baseOf(panel) } }),
    };
  });

/** Values on both sides of zero stand on it. */
const baseOf = ({ scale: { min, max } }: PlotPanel): number | 'start' | 'end' =>
  min >= 0 ? 'start' : max <= 0 ? 'end' : 0;

/** A point between two gaps is no line: it is drawn as a dot, or it would not be seen. */
function data({ points }: PlotSeries): NonNullable<LineSeriesOption['data']> {
  const known = (at: number) => (points[at]?.[1] ?? null) !== null;
  return points.map(([time, value], at) =>
    value !== null && !known(at - 1) && !known(at + 1)
      ? { value: [time, value], symbol: 'circle' }
      : [time, value ?? '-'],
  );
}

function lastPoint(
  { points }: PlotSeries,
  { color, theme }: { readonly color: string; readonly theme: Theme },
): Pick<LineSeriesOption, 'markPoint'> {
  const last = points.findLast(([, value]) => value !== null);
  if (last === undefined) return {};
  const [at, value] = last;
  return {
    markPoint: {
      silent: true,
      symbol: 'circle',
      symbolSize: 8,
      label: { show: false },
      itemStyle: { color, borderColor: theme.ground, borderWidth: 1.5 },
      data: [{ name: '', coord: [at, value ?? 0] }],
    },
  };
}

/** What lies behind the values, and across them. */
export function background(
  panel: PlotPanel,
  {
    index,
    plot,
    theme,
    reader,
  }: { readonly index: number; readonly plot: Plot; readonly theme: Theme; readonly reader: Reader },
): SeriesOption {
  const { min, max } = panel.scale;
  const tone = (of: 'good' | 'caution' | 'bad' | 'neutral' | undefined) => theme.tones[of ?? 'caution'];
  const line = ({
    color,
    type,
    width,
  }: {
    readonly color: string;
    readonly type: 'solid' | 'dashed';
    readonly width: number;
  }) => ({ color, type, width });
  return {
    type: 'line',
    name: `background ${index}`,
    xAxisIndex: index,
    yAxisIndex: index,
    z: 2,
    silent: true,
    data: [],
    markArea: {
      silent: true,
      z: 0,
      data: plot.bands.map((band) => [
        { xAxis: band.from, itemStyle: { color: tone(band.tone), opacity: 0.2 } },
        { xAxis: band.to },
      ]),
    },
    markLine: {
      silent: true,
      // Left out, lines are drawn where their values are rounded to two decimals: a mean of 0.0158 at 0.02.
      precision: -1,
      symbol: 'none',
      label: { show: false },
      data: [
        ...(min < 0 && max > 0
          ? [{ yAxis: 0, lineStyle: line({ color: theme.soft, type: 'solid', width: 1 }) }]
          : []),
        ...plot.moments.map((moment) => ({
          xAxis: moment.at,
          lineStyle: line({ color: tone(moment.tone), type: 'solid', width: 1.25 }),
        })),
        ...panel.marks.map((mark) => ({
          yAxis: mark.value,
          lineStyle: line({ color: tone(mark.tone), type: 'dashed', width: 1.5 }),
          label: {
            show: true,
            // On the side away from zero, where there is no other line, if that side has room.
            position:
              mark.value < 0 && mark.value - min > (max - min) / 4
                ? ('insideStartBottom' as const)
                : ('insideStartTop' as const),
            distance: 3,
            color: tone(mark.tone),
            fontSize: font.axis,
            fontWeight: 600,
            textBorderColor: theme.ground,
            textBorderWidth: 3,
            formatter: () =>
              `${label(mark.name, { room: 240, size: font.axis })}  ${say(valueText(mark.value, panel.unit), reader)}`,
          },
        })),
      ],
    },
  };
}
