import { span, time } from '../language/format.ts';
import { plainReader, say } from '../language/say.ts';
import { msg } from '../language/text.ts';
import type { Card } from './card.ts';

/**
 * What every card ends with, in its reader's language and time zone: of when its data is, how old where `now` (market
 * ms) is given, and where it comes from.
 */
export function footerParts(
  { dataTime, source, reader = plainReader }: Card<string>,
  now?: number,
): string[] {
  const age = dataTime === undefined || now === undefined ? Number.NaN : now - dataTime;
  return [
    ...(dataTime === undefined ? [] : [say(msg('as of {time}', { time: time(dataTime) }), reader)]),
    ...(age >= 0 ? [say(msg('{age} old', { age: span(age) }), reader)] : []),
    ...(source === undefined ? [] : [source]),
  ];
}
