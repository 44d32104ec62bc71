import type { z } from 'zod';
import { quoted } from '../language/closest.ts';
import { listOf, msg, type Text } from '../language/text.ts';
import type { Field } from './fields.ts';

/** How a check of our own says what it expects: `.refine(check, saying(msg('…')))`, or in `addIssue`. */
export const saying = (text: Text) => ({ params: { text } });

/** What is wrong with a value, as the middle of `key: ….` */
export function issueText(issue: z.core.$ZodIssue, field?: Field): Text {
  if (issue.code === 'custom') return (issue.params?.text as Text | undefined) ?? issue.message;
  if (field?.type === 'integer' || field?.type === 'number') return numberExpected(field);
  switch (issue.code) {
    case 'unrecognized_keys':
      return msg('{keys} is not known', { keys: listOf(issue.keys.slice(0, 5).map(quoted)) });
    case 'invalid_value':
      return msg('one of {values} is expected', { values: listOf(issue.values.map(String)) });
    case 'too_big':
      return msg('at most {most, number} are allowed', { most: Number(issue.maximum) });
    case 'too_small':
      return msg('a value is expected');
    case 'invalid_type':
      return msg(
        '{type, select, string {a text} number {a number} array {a list} boolean {yes or no} other {another form}} is expected',
        { type: issue.expected },
      );
    default:
      return msg('another form is expected');
  }
}

function numberExpected({ type, minimum, maximum }: Field): Text {
  if (minimum === undefined || maximum === undefined) return msg('a number is expected');
  const bounds = { min: minimum, max: maximum };
  return type === 'integer'
    ? msg('a whole number from {min, number} to {max, number} is expected', bounds)
    : msg('a number from {min, number} to {max, number} is expected', bounds);
}
