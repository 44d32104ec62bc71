import type { Chart, Panel, Series } from '../alert/alert.ts';
import { time } from '../card/format.ts';
import { plainLine } from '../card/plain.ts';
import { drawable } from './scale.ts';
import { isMarketTime } from './time-axis.ts';
import { valueText } from './value.ts';

/** Discord takes 1,024 characters of description for a file. */
const longest = 1_000;

/**
 * What a reader who cannot see the picture is told: what it shows, where each series began, ended, and how far it
 * went, and what is marked. The past alone: no prediction.
 */
export function describeChart(chart: Chart<string>, timeZone: string): string {
  const panels = chart.below === undefined ? [chart] : [chart, chart.below];
  const times = panels
    .flatMap(({ series }) => series.flatMap(({ points }) => points.map(([at]) => at)))
    .filter(isMarketTime);
  const from = times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const to = times.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const sentences = [
    `${plainLine(chart.title)}${times.length === 0 ? '' : `, ${time(from, timeZone)} to ${time(to, timeZone)}`}.`,
    ...panels.flatMap((panel) => panel.series.map((series) => `${course(series, panel)}.`)),
    ...panels.flatMap(({ marks = [], unit }) =>
      marks
        .filter(({ value }) => drawable(value))
        .map(({ name, value }) => `Line at ${valueText(value, unit)}: ${plainLine(name)}.`),
    ),
    ...shares(chart.bands ?? []),
    ...counts(chart.moments ?? []),
  ];
  return cut(sentences.join(' '));
}

/** "BTCUSDT (USDT) rose from 61,204.00 to 63,100.00, between 60,900.00 and 63,400.00". */
function course({ name, points }: Series<string>, { unit }: Panel<string>): string {
  const known = points.filter(([at, value]) => isMarketTime(at) && drawable(value)).map(([, value]) => value);
  const [first, last] = [known[0], known.at(-1)];
  const label = `${plainLine(name)}${unit === '' || unit === '%' ? '' : ` (${plainLine(unit)})`}`;
  if (first === undefined || last === undefined) return `${label}: no data`;
  const text = (value: number) => valueText(value, unit);
  if (known.length === 1) return `${label}: ${text(last)}, a single value`;
  const low = known.reduce((a, b) => Math.min(a, b));
  const high = known.reduce((a, b) => Math.max(a, b));
  if (low === high) return `${label} stayed at ${text(last)}`;
  return `${label} ${trend(first, last, high - low)} from ${text(first)} to ${text(last)}, between ${text(low)} and ${text(high)}`;
}

/** Below this part of the range it is not said to have risen or fallen. */
const notable = 0.1;

const trend = (first: number, last: number, range: number): string => {
  if (Math.abs(last - first) < notable * range) return 'ended about where it began:';
  return last > first ? 'rose' : 'fell';
};

function shares(bands: NonNullable<Chart<string>['bands']>): string[] {
  const lengths = new Map<string, number>();
  for (const { name, from, to } of bands)
    lengths.set(name, (lengths.get(name) ?? 0) + Math.max(0, to - from));
  const all = [...lengths.values()].reduce((sum, length) => sum + length, 0);
  const last = bands.at(-1);
  if (last === undefined || !(all > 0)) return [];
  const parts = [...lengths].map(
    ([name, length]) => `${plainLine(name)} ${Math.round((length / all) * 100)}%`,
  );
  return [`Of the time: ${parts.join(', ')}; last ${plainLine(last.name)}.`];
}

function counts(moments: NonNullable<Chart<string>['moments']>): string[] {
  const times = Map.groupBy(moments, ({ name }) => name);
  return [...times].map(
    ([name, { length }]) => `Marked ${length === 1 ? 'once' : `${length} times`}: ${plainLine(name)}.`,
  );
}

function cut(text: string): string {
  const characters = Array.from(text);
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join('')}…`;
}
