import type { XAXisComponentOption, YAXisComponentOption } from 'echarts';
import { font, picture } from './layout.ts';
import { type ChartModel, type PanelModel, ticksOf } from './model.ts';
import type { ChartReader } from './reader.ts';
import type { Theme } from './theme.ts';

/** Returns the time axis of a panel. Both panels have the same times, which are written only under the lower one. */
export function timeAxis(
  { range, panels }: ChartModel,
  { index, theme, reader }: { readonly index: number; readonly theme: Theme; readonly reader: ChartReader },
): XAXisComponentOption {
  const { from, to } = range ?? { from: 0, to: 1 };
  const labels = new Map(
    ticksOf({ range }, { width: picture.width, reader }).map(({ at, label }) => [at, label]),
  );
  return {
    gridIndex: index,
    type: 'time',
    min: from,
    max: to,
    // The range has room for the first and last bar already. With more, a panel of bars would not line up with a panel
    // of lines.
    containShape: false,
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { show: false },
    axisLabel: {
      show: index === panels.length - 1,
      color: theme.soft,
      fontSize: font.axis,
      margin: 8,
      customValues: [...labels.keys()],
      hideOverlap: true,
      formatter: (at: number) => labels.get(at) ?? '',
    },
  };
}

/** Returns the value axis of a panel, on the right, where a line ends. */
export function valueAxis(
  { scale: { min, max, step }, ticks }: PanelModel,
  { index, theme }: { readonly index: number; readonly theme: Theme },
): YAXisComponentOption {
  // ECharts computes the ticks itself, with other rounding errors than those here.
  const text = (value: number) => ticks.find((tick) => Math.abs(tick.value - value) < step / 2)?.text ?? '';
  return {
    gridIndex: index,
    type: 'value',
    position: 'right',
    min,
    max,
    interval: index === 0 ? step : max - min,
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: {
      show: ticks.length > 0,
      color: theme.soft,
      fontSize: font.axis,
      margin: 6,
      formatter: text,
    },
    splitLine: { lineStyle: { color: theme.rule, width: 1 } },
  };
}
