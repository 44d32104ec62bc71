import type { ChartReader } from '../chart/reader.ts';
import { inDigits } from '../language/digits.ts';
import type { Text } from '../language/text.ts';
import { momentOf, timeZone } from './time.ts';
import { dates, digits, label, labelTitle, language, translate } from './words.ts';

const list = new Intl.ListFormat(language, { type: 'conjunction', style: 'narrow' });

/** Returns a text that the page itself makes for charts and figures, in the page's language. */
function say(text: Text, zone?: string): string {
  if (typeof text === 'string') return text;
  if ('number' in text) return inDigits(text, digits);
  if ('time' in text) return momentOf(text.time, zone);
  if ('label' in text) return (text.capital ? labelTitle : label)(text.label);
  if ('list' in text) return list.format(text.list.map((each) => say(each, zone)));
  if ('parts' in text) return text.parts.map((each) => say(each, zone)).join(text.by);
  if (!('message' in text)) throw new Error('the page says no such text');
  const values = Object.entries(text.values).map(([name, value]) => [
    name,
    typeof value === 'number' ? value : say(value, zone),
  ]);
  return translate(text.message, Object.fromEntries(values));
}

/** Returns a reader for charts: they are the same as in pictures, in the visitor's time zone or in that of their card. */
export const chartReaderIn = (zone = timeZone): ChartReader => ({
  say: (text) => say(text, zone),
  digits,
  dates,
  timeZone: zone,
});
export const chartReader = chartReaderIn();
