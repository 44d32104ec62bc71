import { z } from 'zod';
import type { Detector } from '../../detectors/detector.ts';

type Schema = z.core.JSONSchema.BaseSchema;
type Described = Pick<Detector, 'name' | 'schedule' | 'cost' | 'off' | 'options'>;

/** The column in which comments begin and the maximum width of a line, as in the rest of config/default.yaml. */
const column = 35;
const width = 128;

/** Writes the settings of detectors for config/default.yaml: each with its default and the description in its schema. */
export const detectorSettings = (detectors: readonly Described[]): string =>
  detectors
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name, schedule, cost, off, options }) => [
      `  ${name}:`,
      ...line(`    enabled: ${off === undefined}`, off),
      ...line(`    schedule: ${schedule}`, cost),
      ...settings('options', { schema: z.toJSONSchema(options, { io: 'input' }) as Schema, indent: 4 }),
    ])
    .join('\n')
    .concat('\n');

function settings(
  key: string,
  { schema, indent }: { readonly schema: Schema; readonly indent: number },
): string[] {
  const at = ' '.repeat(indent);
  const { description, properties } = schema;
  if (properties === undefined) return valued(`${at}${key}:`, { ...schema, indent });
  if (Object.keys(properties).length === 0) return line(`${at}${key}: {}`, description);
  return [
    ...line(`${at}${key}:`, description),
    ...Object.entries(properties).flatMap(([name, property]) =>
      settings(name, { schema: property as Schema, indent: indent + 2 }),
    ),
  ];
}

/** Writes a setting with its value. A map with free keys goes on the lines below the name, any other value beside it. */
function valued(
  start: string,
  { default: value, description, indent }: { readonly indent: number } & Schema,
): string[] {
  const map = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!map) return line(`${start} ${scalar(value)}`, description);
  const below = Object.entries(value).map(
    ([key, each]) => `${' '.repeat(indent + 2)}${key}: ${scalar(each)}`,
  );
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
  return lines.map((text, index) => `${(index === 0 ? setting : '').padEnd(column - 1)} #${text}`);
}
