import type { Chart, Panel } from '../alert/alert.ts';
import { plainLine } from '../card/plain.ts';
import { dateLocaleOf } from '../language/languages.ts';
import { digitsOf, type Reader, say } from '../language/say.ts';
import { describe } from './description.ts';
import type { ChartReader } from './reader.ts';

export const chartReader = (reader: Reader): ChartReader => ({
  say: (text) => say(text, reader),
  digits: digitsOf(reader.language),
  dates: dateLocaleOf(reader.language),
  timeZone: reader.timeZone,
});

/** Returns a chart whose texts, which others may have written, are on one line and without control characters. */
export function plainChart({
  title,
  source,
  below,
  lanes,
  bands,
  moments,
  ...panel
}: Chart<string>): Chart<string> {
  return {
    title: plainLine(title),
    ...plainPanel(panel),
    ...(source !== undefined && { source: plainLine(source) }),
    ...(below !== undefined && { below: plainPanel(below) }),
    ...(lanes !== undefined && {
      lanes: lanes.map((lane) => ({ ...plainPanel(lane), name: plainLine(lane.name) })),
    }),
    ...(bands !== undefined && { bands: bands.map(named) }),
    ...(moments !== undefined && { moments: moments.map(named) }),
  };
}

const plainPanel = ({ unit, series, marks }: Panel<string>): Panel<string> => ({
  unit: plainLine(unit),
  series: series.map(named),
  ...(marks !== undefined && { marks: marks.map(named) }),
});

const named = <Item extends { readonly name: string }>(item: Item): Item => ({
  ...item,
  name: plainLine(item.name),
});

/** The greatest length of a description, characters. Discord accepts 1,024 for a file. */
const maxLength = 1_000;

/** Returns a picture's chart in words, for readers who cannot see it. */
export const describeChart = (chart: Chart<string>, reader: Reader): string =>
  cut(plainLine(describe(plainChart(chart), chartReader(reader))));

function cut(text: string): string {
  const characters = Array.from(text);
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength - 1).join('')}…`;
}
