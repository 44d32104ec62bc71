import type { Chart } from '../alert/alert.ts';
import { plainLine } from '../card/plain.ts';
import type { Reader } from '../language/say.ts';
import { describe } from './description.ts';
import { chartReader, plainChart } from './reading.ts';

/** The greatest length of a description, characters. Discord accepts 1,024 for a file. */
const maxLength = 1_000;

/** Returns a picture's chart in words, for readers who cannot see it. */
export const describeChart = (chart: Chart<string>, reader: Reader): string =>
  cut(plainLine(describe(plainChart(chart), chartReader(reader))));

function cut(text: string): string {
  const characters = Array.from(text);
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength - 1).join('')}…`;
}
