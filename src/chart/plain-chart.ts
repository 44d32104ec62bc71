import type { Chart } from '../alert/alert.ts';
import { chartWritten } from '../alert/panels.ts';
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
export const plainChart = (chart: Chart<string>): Chart<string> => chartWritten(chart, plainLine);

/** The greatest length of a description, characters. Discord accepts 1,024 for a file. */
const maxLength = 1_000;

/** Returns a picture's chart in words, for readers who cannot see it. */
export const describeChart = (chart: Chart<string>, reader: Reader): string =>
  cut(plainLine(describe(plainChart(chart), chartReader(reader))));

function cut(text: string): string {
  const characters = Array.from(text);
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength - 1).join('')}…`;
}
