import type { EChartsOption, LegendComponentOption, SeriesOption, TitleComponentOption } from 'echarts';
import type { Chart } from '../alert/alert.ts';
import { time } from '../language/format.ts';
import { type Reader, say } from '../language/say.ts';
import { msg } from '../language/text.ts';
import { timeAxis, valueAxis } from './axes.ts';
import { font, inner, label, layOut, legendRow, legendTop, margin, picture, textWidth } from './layout.ts';
import { type Entry, entryGap, icon, legendEntries, wrapEntries } from './legend.ts';
import { type Plot, prepare } from './prepare.ts';
import { background, drawSeries } from './series.ts';
import { type Theme, type ThemeName, themes } from './theme.ts';
import { axisText } from './value.ts';

export interface DrawOptions extends Reader {
  readonly theme: ThemeName;
}

/** What ECharts is told to draw. Names are texts of others: they stay texts, cut where their room ends. */
export function drawing(
  chart: Chart<string>,
  options: DrawOptions,
): { option: EChartsOption; height: number } {
  const theme = themes[options.theme];
  const plot = prepare(chart);
  const entries = legendEntries(plot, { theme, reader: options });
  const rows = wrapEntries(entries);
  const layout = layOut(plot.panels.length, rows.length);
  const texts = plot.panels.map(({ scale, unit }) => axisText(scale, { unit, language: options.language }));
  const right = margin + 6 + Math.max(...plot.panels.map(({ scale }, index) => widest(scale, texts[index])));
  return {
    height: layout.height,
    option: {
      animation: false,
      backgroundColor: theme.ground,
      textStyle: { fontFamily: 'Inter' },
      title: titles(chart, { ...plot, reader: options, theme }),
      legend: rows.map((row, index) => legendLine(row, { index, theme })),
      grid: layout.panels.map(({ top, height }) => ({
        left: margin,
        right,
        top,
        height,
        outerBoundsMode: 'none' as const,
      })),
      xAxis: plot.panels.map((_, index) => timeAxis(plot, { index, theme, reader: options })),
      yAxis: plot.panels.map((panel, index) =>
        valueAxis(panel, { index, theme, text: texts[index] ?? String, shown: plot.range !== null }),
      ),
      series: [
        ...plot.panels.flatMap((panel, index) => [
          background(panel, { index, plot, theme, reader: options }),
          ...drawSeries(panel, { index, plot, theme }),
        ]),
        // A legend lists only what some series is named.
        ...entries.map(({ id }): SeriesOption => ({ type: 'line', name: id, data: [] })),
      ],
    },
  };
}

const widest = (
  { min, max, step }: { min: number; max: number; step: number },
  text: ((value: number) => string) | undefined,
) => Math.max(...[min, min + step, max].map((value) => textWidth(text?.(value) ?? '', font.axis)));

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

/** Every text that belongs to no series: title and unit above, source and time of the last value below. */
function titles(
  chart: Chart<string>,
  { panels, range, omitted, reader, theme }: { readonly reader: Reader; readonly theme: Theme } & Plot,
): TitleComponentOption[] {
  const soft = { color: theme.soft, fontSize: font.axis, fontWeight: 400 };
  // Those that the axis writes with each value are not said again.
  const units = new Set(
    panels
      .map(({ unit }) => unit)
      .filter((unit) => unit !== '%' && unit !== 'USD')
      .map((unit) => label(unit, { room: 90, size: font.axis })),
  );
  // One panel's alone would be taken for both's: the legend has it beside its values.
  const unit = units.has('') ? '' : [...units].join(' / ');
  const titleRoom = inner - textWidth(unit, font.axis) - 12;
  // It names market and window: what is too long is written smaller before it is cut.
  const titleSize = textWidth(chart.title, font.title) > titleRoom ? font.legend : font.title;
  const whole = textWidth(chart.title, titleSize) <= titleRoom;
  const until = range === null ? '' : say(time(range.last), reader);
  const room = inner - textWidth(until, font.axis) - 12;
  const left = omitted > 0 ? say(msg('{n} more not drawn', { n: omitted }), reader) : '';
  const notes = [chart.source ?? '', left].filter((note) => note !== '');
  // Placed by its end: the width of a text is only guessed here.
  const right = { left: picture.width - margin, textAlign: 'right' } as const;
  const text = (place: TitleComponentOption): TitleComponentOption => ({ padding: 0, ...place });
  return [
    text({
      // Cutting reckons with wide letters throughout: what fits as it is would lose its window.
      text: label(chart.title, { room: whole ? Number.POSITIVE_INFINITY : titleRoom, size: titleSize }),
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
    ...(range === null
      ? [
          text({
            text: say(msg('No data'), reader),
            left: 'center',
            top: 'middle',
            textStyle: { ...soft, fontSize: font.title },
          }),
        ]
      : []),
  ];
}
