import type { LineSeriesOption, SeriesOption } from 'echarts';
import { font, label } from './layout.ts';
import type { ChartModel, PanelModel, SeriesModel } from './model.ts';
import { type Colour, colourIn, type Theme } from './theme.ts';

/** The number of points, about that of the pixels, above which a line is thinned in a way that keeps its peaks. */
const maxUnthinnedPoints = 600;

export const drawSeries = (
  { series, scale: { min, max } }: PanelModel,
  { index, theme }: { readonly index: number; readonly theme: Theme },
): SeriesOption[] =>
  series.map((each, seriesIndex): SeriesOption => {
    const color = colourIn(theme, each.colour);
    const common = {
      name: `series ${index}.${seriesIndex}`,
      xAxisIndex: index,
      yAxisIndex: index,
      data: pointData(each),
    };
    if (each.shape === 'bars')
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
    const origin = each.base === min ? 'start' : each.base === max ? 'end' : 0;
    return {
      ...common,
      ...lastPoint(each, { color, theme }),
      type: 'line',
      ...(each.shape === 'steps' && { step: 'end' as const }),
      z: 3,
      showSymbol: true,
      symbol: 'none',
      symbolSize: 4,
      ...(each.points.length > maxUnthinnedPoints && { sampling: 'lttb' as const }),
      itemStyle: { color },
      lineStyle: { color, width: 2, join: 'round', cap: 'round' },
      ...(each.base !== undefined && { areaStyle: { color, opacity: 0.1, origin } }),
    };
  });

/** Returns the points of a series. A point between two gaps makes no line: it is drawn as a dot, or it would not be seen. */
function pointData({ points }: SeriesModel): NonNullable<LineSeriesOption['data']> {
  const hasValue = (at: number) => (points[at]?.[1] ?? null) !== null;
  return points.map(([time, value], at) =>
    value !== null && !hasValue(at - 1) && !hasValue(at + 1)
      ? { value: [time, value], symbol: 'circle' }
      : [time, value ?? '-'],
  );
}

function lastPoint(
  { points }: SeriesModel,
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

/** Returns a series without values that carries the bands behind the values and the lines across them. */
export function background(
  { zero, marks }: PanelModel,
  { index, model, theme }: { readonly index: number; readonly model: ChartModel; readonly theme: Theme },
): SeriesOption {
  const line = (colour: Colour, given: { readonly type: 'solid' | 'dashed'; readonly width: number }) => ({
    color: colourIn(theme, colour),
    ...given,
  });
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
      data: model.bands.map(({ from, to, colour }) => [
        { xAxis: from, itemStyle: { color: colourIn(theme, colour), opacity: 0.2 } },
        { xAxis: to },
      ]),
    },
    markLine: {
      silent: true,
      // By default ECharts rounds the values of lines to two decimals: a mean of 0.0158 would be drawn at 0.02.
      precision: -1,
      symbol: 'none',
      label: { show: false },
      data: [
        ...(zero ? [{ yAxis: 0, lineStyle: line('neutral', { type: 'solid', width: 1 }) }] : []),
        ...model.moments.map(({ at, colour }) => ({
          xAxis: at,
          lineStyle: line(colour, { type: 'solid', width: 1.25 }),
        })),
        ...marks.map(({ name, value, text, colour, side }) => ({
          yAxis: value,
          lineStyle: line(colour, { type: 'dashed', width: 1.5 }),
          label: {
            show: true,
            position: side === 'below' ? ('insideStartBottom' as const) : ('insideStartTop' as const),
            distance: 3,
            color: colourIn(theme, colour),
            fontSize: font.axis,
            fontWeight: 600,
            textBorderColor: theme.ground,
            textBorderWidth: 3,
            formatter: () => `${label(name, { room: 240, size: font.axis })}  ${text}`,
          },
        })),
      ],
    },
  };
}
