import type { Chart, Panel, Series } from '../alert/alert.ts';
import { panelsOf } from '../alert/panels.ts';
import { time } from '../language/format.ts';
import { join, listOf, msg, type Text } from '../language/text.ts';
import type { ChartReader } from './reader.ts';
import { isDrawable } from './scale.ts';
import { isMarketTime } from './time-axis.ts';
import { valueText } from './value.ts';

/**
 * Returns a chart in words, for readers who cannot see it: what it shows, where each series began and ended and how far
 * it went, and what is marked. It tells only of the past and predicts nothing.
 * @param chart its texts are plain (card/plain.ts)
 */
export function describe(chart: Chart<string>, reader: ChartReader): string {
  const panels = panelsOf(chart);
  const times = panels
    .flatMap(({ series }) => series.flatMap(({ points }) => points.map(([at]) => at)))
    .filter(isMarketTime);
  const from = times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const to = times.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const { title } = chart;
  const sentences = [
    times.length === 0
      ? msg('{title}.', { title })
      : msg('{title}, {from} to {to}.', { title, from: time(from), to: time(to) }),
    ...panels.flatMap((panel) => panel.series.map((series) => seriesSentence(series, panel))),
    ...panels.flatMap(({ marks = [], unit }) =>
      marks
        .filter(({ value }) => isDrawable(value))
        .map(({ name, value }) => msg('Line at {value}: {name}.', { value: valueText(value, unit), name })),
    ),
    ...bandSentences(chart.bands ?? [], { from, to }),
    ...momentSentences(chart.moments ?? []),
  ];
  return reader.say(join(sentences, ' '));
}

/** Returns a sentence about a series: "BTCUSDT (USDT) rose from 61,204.00 to 63,100.00, between 60,900.00 and 63,400.00." */
function seriesSentence({ name, points, candles = [] }: Series<string>, { unit }: Panel<string>): Text {
  const values = points
    .filter(([at, value]) => isMarketTime(at) && isDrawable(value))
    .map(([, value]) => value);
  const label = `${name}${unit === '' || unit === '%' ? '' : ` (${unit})`}`;
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined) return msg('{series}: no data.', { series: label });
  const ends = { series: label, first: valueText(first, unit), last: valueText(last, unit) };
  if (values.length === 1) return msg('{series}: {last}, a single value.', ends);
  const all = [...values, ...candles.flatMap(([, high, low]) => [high, low].filter(isDrawable))];
  const low = all.reduce((a, b) => Math.min(a, b));
  const high = all.reduce((a, b) => Math.max(a, b));
  if (low === high) return msg('{series} stayed at {last}.', ends);
  const between = { ...ends, low: valueText(low, unit), high: valueText(high, unit) };
  if (Math.abs(last - first) < minNotableMove * (high - low)) {
    return msg(
      '{series} ended about where it began: from {first} to {last}, between {low} and {high}.',
      between,
    );
  }
  return last > first
    ? msg('{series} rose from {first} to {last}, between {low} and {high}.', between)
    : msg('{series} fell from {first} to {last}, between {low} and {high}.', between);
}

/** The least part of its range by which a series must have moved to be called risen or fallen. */
const minNotableMove = 0.1;

/** Returns the share of each band in all the time that is shown, which includes time between the bands. */
function bandSentences(
  bands: NonNullable<Chart<string>['bands']>,
  { from, to }: { readonly from: number; readonly to: number },
): Text[] {
  const lengths = new Map<string, number>();
  for (const band of bands) {
    const length = Math.max(0, Math.min(band.to, to) - Math.max(band.from, from));
    lengths.set(band.name, (lengths.get(band.name) ?? 0) + length);
  }
  const last = bands.at(-1);
  if (last === undefined || !(to > from)) return [];
  const parts = [...lengths].map(([name, length]) => {
    const percent = Math.round((length / (to - from)) * 100);
    return `${name} ${percent === 0 ? '<1' : percent}%`;
  });
  const shares = listOf(parts);
  return [
    last.to < to
      ? msg('Of the time: {shares}.', { shares })
      : msg('Of the time: {shares}; last {last}.', { shares, last: last.name }),
  ];
}

function momentSentences(moments: NonNullable<Chart<string>['moments']>): Text[] {
  const times = Map.groupBy(moments, ({ name }) => name);
  return [...times].map(([name, { length }]) =>
    msg('Marked {n, plural, one {once} other {# times}}: {name}.', { n: length, name }),
  );
}
