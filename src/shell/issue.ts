import type { z } from 'zod';
import { quoted } from '../language/closest.ts';
import { listOf, msg, type Text } from '../language/text.ts';
import type { Field } from './fields.ts';

/** Returns what is wrong with a value, to be put into `key: ….` */
export function issueText(issue: z.core.$ZodIssue, field?: Field): Text {
  if (issue.code === 'custom') return (issue.params?.text as Text | undefined) ?? issue.message;
  if (field?.type === 'integer' || field?.type === 'number') return numberExpected(field);
  switch (issue.code) {
    case 'unrecognized_keys':
      return msg('unknown: {keys}', { keys: listOf(issue.keys.slice(0, 5).map(quoted)) });
    case 'invalid_value':
      return msg('give one of {values}', { values: listOf(issue.values.map(String)) });
    case 'too_big':
      return msg('give at most {most, number}', { most: Number(issue.maximum) });
    case 'too_small':
      return msg('give a value');
    case 'invalid_type':
      return msg(
        'give {type, select, string {a text} number {a number} array {a list} boolean {yes or no} other {another form}}',
        { type: issue.expected },
      );
    default:
      return msg('give it in another form');
  }
}

function numberExpected({ type, minimum, maximum }: Field): Text {
  if (minimum === undefined || maximum === undefined) return msg('give a number');
  const bounds = { min: minimum, max: maximum };
  return type === 'integer'
    ? msg('give a whole number from {min, number} to {max, number}', bounds)
    : msg('give a number from {min, number} to {max, number}', bounds);
}
