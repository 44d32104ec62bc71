import { z } from 'zod';
import type { Detector } from '../detectors/detector.ts';

type Schema = z.core.JSONSchema.BaseSchema;
type Described = Pick<Detector, 'name' | 'schedule' | 'cost' | 'off' | 'options'>;

/** Where comments begin, and how wide a line may be: as in the rest of config/default.yaml. */
const column = 35;
const width = 128;

/** The settings of detectors as config/default.yaml has them: each with its default and what its schema says of it. */
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

/** A map whose keys anyone chooses stands below its name, anything else beside it. */
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

/** As people write it: no exponent, lists on one line. */
function scalar(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(scalar).join(', ')}]`;
  if (typeof value !== 'number') return String(value);
  const text = String(value);
  return text.includes('e') ? value.toFixed(20).replace(/0+$/, '') : text;
}

/** A setting with its comment behind it, and what does not fit below that. */
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
