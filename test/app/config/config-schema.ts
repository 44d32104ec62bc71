import { isMap, isScalar, LineCounter, parseDocument, type YAMLMap } from 'yaml';
import { z } from 'zod';
import type { configSchema } from '#src/app/config/config.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/**
 * Returns the JSON schema of configuration files for editors: each setting's type and bounds and, from the text of
 * config/default.yaml, its default and description with the unit. No setting is required: a file gives only what differs.
 */
export function configJsonSchema(settings: ReturnType<typeof configSchema>, defaults: string): Schema {
  const schema = z.toJSONSchema(settings, { io: 'input' }) as Schema;
  const lines = new LineCounter();
  const { contents } = parseDocument(defaults, { lineCounter: lines });
  const commentAt = commentsOf(defaults);
  optional(schema);
  if (isMap(contents))
    describe(schema, { given: contents, commentAt: (offset) => commentAt(lines.linePos(offset).line) });
  return schema;
}

/** Makes all properties optional, except within lists: an item of a list must be complete. */
function optional(schema: Schema): void {
  delete schema.required;
  for (const property of Object.values(schema.properties ?? {})) optional(property as Schema);
}

function describe(
  schema: Schema,
  { given, commentAt }: { readonly given: YAMLMap; readonly commentAt: (offset: number) => string },
): void {
  for (const { key, value } of given.items) {
    if (!isScalar(key) || !key.range) continue;
    const property = schema.properties?.[String(key.value)] as Schema | undefined;
    if (property === undefined) continue;
    const description = commentAt(key.range[0]);
    if (description !== '') property.description = description;
    if (isMap(value)) describe(property, { given: value, commentAt });
    else property.default = (value as { toJSON(): Schema['default'] }).toJSON();
  }
}

/** Returns a function from a line's number (from 1) to the comment behind it, including its continuation lines below. */
function commentsOf(text: string): (line: number) => string {
  const lines = text.split('\n');
  return (line) => {
    const parts = [/\s#\s(.*)$/.exec(lines[line - 1] ?? '')?.[1] ?? ''];
    for (let next = line; parts[0] !== ''; next += 1) {
      const more = /^\s{20,}#\s(.*)$/.exec(lines[next] ?? '')?.[1];
      if (more === undefined) break;
      parts.push(more);
    }
    return parts.join(' ').replaceAll(/\s+/g, ' ').trim();
  };
}
