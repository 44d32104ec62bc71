import { z } from 'zod';
import type { Detector } from '#src/detectors/detector.ts';
import type { Platform } from '#src/platforms/platform.ts';

type Schema = z.core.JSONSchema.BaseSchema;
type Described = Pick<Detector, 'name' | 'schedule' | 'cost' | 'off' | 'options'>;

/** The column in which comments begin and the maximum width of a line, as in the rest of config/default.yaml. */
const column = 35;
const width = 128;

const byName = (a: { readonly name: string }, b: { readonly name: string }) => (a.name < b.name ? -1 : 1);
const schemaOf = (options: z.ZodType) => z.toJSONSchema(options, { io: 'input' }) as Schema;

/** Writes the settings of detectors for config/default.yaml: each with its default and the description in its schema. */
export const detectorSettings = (detectors: readonly Described[]): string =>
  detectors
    .toSorted(byName)
    .flatMap(({ name, schedule, cost, off, options }) => [
      `  ${name}:`,
      ...line(`    enabled: ${off === undefined}`, off),
      ...line(`    schedule: ${schedule}`, cost),
      ...settings('options', schemaOf(options), '    '),
    ])
    .join('\n')
    .concat('\n');

/**
 * Writes the settings of platforms for config/default.yaml. Those that need something of the operator (a token, a server) stand
 * in comments, because options turn a platform on.
 */
export function platformSettings(platforms: readonly Pick<Platform, 'name' | 'options' | 'env'>[]): string {
  const written = platforms.toSorted(byName).map(({ name, options, env }) => {
    const schema = named(schemaOf(options), env ?? {});
    const on = env === undefined && (schema.required ?? []).length === 0;
    const lines = settings(name, schema, '  ');
    return { on, text: (on ? lines : lines.map((text) => `  # ${text.slice(2)}`)).join('\n') };
  });
  return [...written.filter(({ on }) => on), ...written.filter(({ on }) => !on)]
    .map(({ text }) => `${text}\n`)
    .join('');
}

/** Adds the environment variables that set options, which are given by the option's path, to the descriptions. */
function named(schema: Schema, env: Readonly<Record<string, string>>, path = ''): Schema {
  const variable = env[path.slice(1)];
  const said = [schema.description, variable && `(${variable})`].filter(Boolean).join('  ');
  const properties =
    schema.properties &&
    Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [
        name,
        named(property as Schema, env, `${path}.${name}`),
      ]),
    );
  return { ...schema, ...(said !== '' && { description: said }), ...(properties && { properties }) };
}

function settings(key: string, schema: Schema, indent: string): string[] {
  const { description, properties } = schema;
  if (properties === undefined) return valued(`${indent}${key}:`, schema, indent);
  if (Object.keys(properties).length === 0) return line(`${indent}${key}: {}`, description);
  return [
    ...line(`${indent}${key}:`, description),
    ...Object.entries(properties).flatMap(([name, property]) =>
      settings(name, property as Schema, `${indent}  `),
    ),
  ];
}

/** Writes a setting with its value. A map with free keys goes on the lines below the name, any other value beside it. */
function valued(
  start: string,
  { default: value, examples = ['…'], description }: Schema,
  indent: string,
): string[] {
  const map = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!map) return line(`${start} ${scalar(value === undefined ? examples[0] : value)}`, description);
  const below = Object.entries(value).map(([key, each]) => `${indent}  ${key}: ${scalar(each)}`);
  return [...line(start, description), ...below];
}

/** Writes a value as people do: without an exponent, and lists on one line. */
function scalar(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(scalar).join(', ')}]`;
  if (typeof value !== 'number') return String(value);
  const text = String(value);
  return text.includes('e') ? value.toFixed(20).replace(/0+$/, '') : text;
}

/** Writes a setting with its comment behind it; what does not fit goes on the lines below. */
function line(setting: string, comment = ''): string[] {
  if (comment === '') return [setting];
  const lines = [''];
  for (const word of comment.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`;
    if (column + 2 + longer.length <= width + 1) lines[lines.length - 1] = longer;
    else lines.push(` ${word}`);
  }
  return lines.map((text, index) => `${(index === 0 ? setting : '').padEnd(column - 1)} #${text.trimEnd()}`);
}
