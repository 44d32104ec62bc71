import type { XAXisComponentOption, YAXisComponentOption } from 'echarts';
import type { Reader } from '../language/say.ts';
import { font, picture } from './layout.ts';
import type { Plot, PlotPanel } from './prepare.ts';
import type { Theme } from './theme.ts';
import { timeTicks } from './time-axis.ts';

/** Pixels a label of time takes, with the room that keeps it apart from the next. */
const tickRoom = 78;

/** The same times under both panels; written out under the lower one. */
export function timeAxis(
  { range, panels }: Plot,
  { index, theme, reader }: { readonly index: number; readonly theme: Theme; readonly reader: Reader },
): XAXisComponentOption {
  const { from, to } = range ?? { from: 0, to: 1 };
  const ticks =
    range === null ? [] : timeTicks({ ...reader, from, to, count: Math.floor(picture.width / tickRoom) });
  // Half a label has less room on the left than it needs; on the right are the values.
  const labels = new Map(
    ticks.filter(({ at }) => at - from > (to - from) / 40).map(({ at, label }) => [at, label]),
  );
  const times = [...labels.keys()];
  return {
    gridIndex: index,
    type: 'time',
    min: from,
    max: to,
    // The range has room for the first and last bar already: given more, a panel of bars would not stand under one of lines.
    containShape: false,
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { show: false },
    axisLabel: {
      show: index === panels.length - 1,
      color: theme.soft,
      fontSize: font.axis,
      margin: 8,
      customValues: times,
      hideOverlap: true,
      formatter: (at: number) => labels.get(at) ?? '',
    },
  };
}

/** On the right, where a line ends. The lower panel has room for its ends only. */
export function valueAxis(
  { scale: { min, max, step } }: PlotPanel,
  {
    index,
    theme,
    text,
    shown,
  }: {
    readonly index: number;
    readonly theme: Theme;
    readonly text: (value: number) => string;
    readonly shown: boolean;
  },
): YAXisComponentOption {
  return {
    gridIndex: index,
    type: 'value',
    position: 'right',
    min,
    max,
    interval: index === 0 ? step : max - min,
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: { show: shown, color: theme.soft, fontSize: font.axis, margin: 6, formatter: text },
    splitLine: { lineStyle: { color: theme.rule, width: 1 } },
  };
}
