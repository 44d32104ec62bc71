import type { z } from 'zod';
import { plainReader, say } from '../../language/say.ts';
import type { JsonObjectSchema } from '../../runtime/mcp.ts';
import { type Field, fieldsOf } from '../../shell/fields.ts';

const described = new WeakMap<z.ZodObject, JsonObjectSchema>();

export const schemaOf = (input: z.ZodObject): JsonObjectSchema =>
  described.getOrInsertComputed(input, describeInput);

function describeInput(input: z.ZodObject): JsonObjectSchema {
  const fields = fieldsOf({ input });
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
  input: z.ZodObject,
): Readonly<Record<string, unknown>> {
  const lists = new Set(fieldsOf({ input }).flatMap(({ key, list }) => (list ? [key] : [])));
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
