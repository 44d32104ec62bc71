import type { EChartsOption, LegendComponentOption, SeriesOption, TitleComponentOption } from 'echarts';
import type { Chart } from '../alert/alert.ts';
import type { Reader } from '../language/say.ts';
import { timeAxis, valueAxis } from './axes.ts';
import {
  font,
  innerWidth,
  label,
  layOut,
  legendRow,
  legendTop,
  margin,
  picture,
  textWidth,
} from './layout.ts';
import { type Entry, entriesOf, entryGap, icon, wrapEntries } from './legend.ts';
import { type ChartModel, modelOf } from './model.ts';
import { chartReader, plainChart } from './reading.ts';
import { background, drawSeries } from './series.ts';
import { type Theme, type ThemeName, themes } from './theme.ts';

export interface DrawOptions extends Reader {
  readonly theme: ThemeName;
}

/**
 * Returns what ECharts is told to draw, and the picture's height. Names are texts of others: they are drawn as plain
 * text, cut where their room ends.
 */
export function drawing(
  chart: Chart<string>,
  options: DrawOptions,
): { option: EChartsOption; height: number } {
  const theme = themes[options.theme];
  const reader = chartReader(options);
  const model = modelOf(plainChart(chart), reader);
  const entries = entriesOf(model.legend, theme);
  const rows = wrapEntries(entries);
  const layout = layOut(model.panels.length, rows.length);
  const texts = model.panels.flatMap(({ ticks }) => ticks.map(({ text }) => textWidth(text, font.axis)));
  const right = margin + 6 + Math.max(0, ...texts);
  return {
    height: layout.height,
    option: {
      animation: false,
      backgroundColor: theme.ground,
      textStyle: { fontFamily: 'Inter' },
      title: titles(model, theme),
      legend: rows.map((row, index) => legendLine(row, { index, theme })),
      grid: layout.panels.map(({ top, height }) => ({
        left: margin,
        right,
        top,
        height,
        outerBoundsMode: 'none' as const,
      })),
      xAxis: model.panels.map((_, index) => timeAxis(model, { index, theme, reader })),
      yAxis: model.panels.map((panel, index) => valueAxis(panel, { index, theme })),
      series: [
        ...model.panels.flatMap((panel, index) => [
          background(panel, { index, model, theme }),
          ...drawSeries(panel, { index, theme }),
        ]),
        // A legend lists only names of series: each entry gets an empty series of its name.
        ...entries.map(({ id }): SeriesOption => ({ type: 'line', name: id, data: [] })),
      ],
    },
  };
}

const legendLine = (
  row: readonly Entry[],
  { index, theme }: { readonly index: number; readonly theme: Theme },
): LegendComponentOption => ({
  top: legendTop + index * legendRow,
  left: margin,
  padding: 0,
  itemWidth: icon.size,
  itemHeight: icon.size,
  itemGap: entryGap,
  selectedMode: false,
  textStyle: { color: theme.text, fontSize: font.legend, padding: [0, 0, 0, icon.gap - 5] },
  formatter: (id) => row.find((entry) => entry.id === id)?.text ?? '',
  data: row.map((entry) => ({ name: entry.id, icon: entry.icon, itemStyle: { color: entry.color } })),
});

/** Returns the texts that belong to no series: title and unit above, source and time of the last value below. */
function titles(
  { title, source = '', units, until, omitted = '', nothing }: ChartModel,
  theme: Theme,
): TitleComponentOption[] {
  const soft = { color: theme.soft, fontSize: font.axis, fontWeight: 400 };
  const unit = units.map((each) => label(each, { room: 90, size: font.axis })).join(' / ');
  const titleRoom = innerWidth - textWidth(unit, font.axis) - 12;
  // The title names market and window: if it is too long, it is written smaller before it is cut.
  const titleSize = textWidth(title, font.title) > titleRoom ? font.legend : font.title;
  const titleFits = textWidth(title, titleSize) <= titleRoom;
  const room = innerWidth - textWidth(until, font.axis) - 12;
  const notes = [source, omitted].filter((note) => note !== '');
  // The text is placed by its end, because its width is only estimated here.
  const right = { left: picture.width - margin, textAlign: 'right' } as const;
  const text = (place: TitleComponentOption): TitleComponentOption => ({ padding: 0, ...place });
  return [
    text({
      // Cutting takes all letters as wide, so a title that fits would be cut too and lose its window.
      text: label(title, { room: titleFits ? Number.POSITIVE_INFINITY : titleRoom, size: titleSize }),
      left: margin,
      top: 13 + (font.title - titleSize) / 2,
      textStyle: { color: theme.text, fontSize: titleSize, fontWeight: 600 },
    }),
    text({ text: unit, ...right, top: 16, textStyle: soft }),
    text({
      text: label(notes.join(', '), { room, size: font.axis }),
      left: margin,
      bottom: 10,
      textStyle: soft,
    }),
    text({ text: until, ...right, bottom: 10, textStyle: soft }),
    ...(nothing === undefined
      ? []
      : [
          text({
            text: nothing,
            left: 'center',
            top: 'middle',
            textStyle: { ...soft, fontSize: font.title },
          }),
        ]),
  ];
}
