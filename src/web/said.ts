import type { ChartReader } from '../chart/reader.ts';
import { inDigits } from '../language/digits.ts';
import type { Text } from '../language/text.ts';
import { momentOf, timeZone } from './time.ts';
import { dates, digits, label, language, title, translate } from './words.ts';

const list = new Intl.ListFormat(language, { type: 'conjunction', style: 'narrow' });

/** Returns a text that the page itself makes for charts and figures, in the page's language. */
export function say(text: Text): string {
  if (typeof text === 'string') return text;
  if ('number' in text) return inDigits(text, digits);
  if ('time' in text) return momentOf(text.time);
  if ('label' in text) return (text.capital ? title : label)(text.label);
  if ('list' in text) return list.format(text.list.map(say));
  if ('parts' in text) return text.parts.map(say).join(text.by);
  if (!('message' in text)) throw new Error('the page says no such text');
  const values = Object.entries(text.values).map(([name, value]) => [
    name,
    typeof value === 'number' ? value : say(value),
  ]);
  return translate(text.message, Object.fromEntries(values));
}

/** Reader for charts: they are the same as in pictures, but in the visitor's time zone. */
export const chartReader: ChartReader = { say, digits, dates, timeZone };
