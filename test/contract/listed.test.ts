import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { contract, type EndpointName } from '#src/contract/index.ts';
import { parametersOf } from '#src/service/http/query.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/** Returns the paths of the optional fields of a response. */
function leftOut({ properties = {}, required = [], items }: Schema, path: readonly string[]): string[] {
  const ofRows =
    items === undefined || typeof items === 'boolean' || Array.isArray(items) ? [] : leftOut(items, path);
  const own = Object.entries(properties).flatMap(([name, schema]) => {
    const at = [...path, name];
    const below = typeof schema === 'object' ? leftOut(schema, at) : [];
    return required.includes(name) ? below : [at.join('.'), ...below];
  });
  return [...own, ...ofRows];
}

const inWords = (seconds: number): string =>
  seconds < 60 ? `${seconds} s` : seconds < 3_600 ? `${seconds / 60} min` : `${seconds / 3_600} h`;

const code = (text: string): string => `\`${text}\``;

/** Returns the line of an endpoint in the document's tables. */
function rowOf(name: EndpointName): string {
  const { path, summary, cadence, answer } = contract[name];
  const parameters = parametersOf(contract[name]).map(({ name: parameter, schema }) => {
    const bounds = schema.minimum === undefined || schema.minimum >= 0 ? '≤ ' : `${schema.minimum} to `;
    return [
      code(parameter),
      schema['x-extension'] === true ? '(extension)' : undefined,
      schema.enum?.join(' or ') ?? schema.default,
      schema.maximum === undefined ? undefined : `(${bounds}${schema.maximum})`,
    ]
      .filter((part) => part !== undefined)
      .join(' ');
  });
  const missing = leftOut(z.toJSONSchema(answer, { io: 'input', unrepresentable: 'any' }), []).map(code);
  const cells = [
    code(path),
    parameters.join(', '),
    summary.replaceAll('|', '\\|'),
    inWords(cadence),
    missing.join(', '),
  ];
  return `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`;
}

const page = join(import.meta.dirname, '../../docs/interface.md');

test('docs/interface.md lists every endpoint of the contract, extensions separately; `npm run generate` writes it', async () => {
  const rows = (extension: boolean) =>
    (Object.keys(contract) as EndpointName[])
      .filter((name) => (contract[name].extension ?? false) === extension)
      .map((name) => `${rowOf(name)}\n`)
      .join('');
  const tables = [rows(false), rows(true)];
  const text = readFileSync(page, 'utf8').replaceAll(
    /(?<=^\| endpoint \|.*\n\|[-|]*\n)(?:\|.*\n)*/gm,
    () => tables.shift() ?? '',
  );
  expect(tables).toEqual([]);
  await expect(text).toMatchFileSnapshot(page);
});
