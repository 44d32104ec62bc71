import type { Answer } from '../../card/card.ts';
import { plainLine, plainLines } from '../../card/plain.ts';
import { plainReader, say } from '../../language/say.ts';
import type { JsonObjectSchema } from '../../runtime/mcp.ts';
import type { Command } from '../../shell/command.ts';
import { type Field, fieldsOf } from '../../shell/fields.ts';

/** Returns what was wrong and what helps, if nothing was done or answered; else undefined. */
export const refusalIn = ({ failure, title, summary = '' }: Answer<string>): string | undefined =>
  failure === undefined ? undefined : [plainLine(title), ...plainLines(summary)].join('\n');

const schemaByCommand = new WeakMap<Command, JsonObjectSchema>();

export const inputOf = (command: Command): JsonObjectSchema =>
  schemaByCommand.getOrInsertComputed(command, describeInput);

function describeInput(command: Command): JsonObjectSchema {
  const fields = fieldsOf(command);
  const required = fields.filter((field) => field.required).map(({ key }) => key);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.key, propertyOf(field)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

const propertyOf = ({
  description,
  type,
  choices,
  defaultValue,
  offers,
  minimum,
  maximum,
}: Field): object => ({
  type,
  description: say(description, plainReader),
  ...(choices.length > 0 && { enum: choices }),
  ...(defaultValue !== undefined && { default: type === 'string' ? defaultValue : JSON.parse(defaultValue) }),
  ...(offers.length > 0 && { examples: offers }),
  minimum,
  maximum,
});

/**
 * Converts values to what a person would have typed: programs send numbers where a level such as 100k is allowed,
 * lists where several values are, and true for yes.
 */
export function toTypedInputs(
  given: Readonly<Record<string, unknown>>,
  command: Command,
): Readonly<Record<string, unknown>> {
  const lists = new Set(fieldsOf(command).flatMap(({ key, list }) => (list ? [key] : [])));
  const typed = Object.entries(given).map(([key, value]) => {
    const isList = lists.has(key) && Array.isArray(value) && value.every(isName);
    return [key, isList ? value.join(',') : toTypedValue(value)];
  });
  return Object.fromEntries(typed);
}
const isName = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
const toTypedValue = (value: unknown): unknown => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'number' ? String(value) : value;
};
