import { span, time } from '../language/format.ts';
import { plainReader, say } from '../language/say.ts';
import { msg } from '../language/text.ts';
import type { Card } from './card.ts';

/**
 * Returns what every card ends with, in its reader's language and time zone: the time of its data, the data's age if
 * `now` (market ms) is given, and the data's source.
 */
export function footerParts(
  { dataTime, source, lasting, reader = plainReader }: Card<string>,
  now?: number,
): string[] {
  const age = dataTime === undefined || now === undefined || lasting === true ? Number.NaN : now - dataTime;
  return [
    ...(dataTime === undefined ? [] : [say(msg('as of {time}', { time: time(dataTime) }), reader)]),
    ...(age >= 0 ? [say(msg('{age} old', { age: span(age) }), reader)] : []),
    ...(source === undefined ? [] : [source]),
  ];
}
