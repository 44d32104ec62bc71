import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { configSchema } from '#src/app/config/config.ts';
import { variablesOf } from '#src/app/config/environment.ts';
import { detectors } from '#test/support/detectors.ts';
import { defaults, platforms } from '#test/support/settings.ts';
import { configJsonSchema } from './config-schema.ts';
import { envExample } from './env-example.ts';
import { detectorSettings, platformSettings } from './plugin-settings.ts';

const root = join(import.meta.dirname, '../../..');
/** Replaces the lines of a section of config/default.yaml. */
const withSection = (text: string, name: string, lines: string): string => {
  const section = new RegExp(`(?<=^${name}:.*\\n)(?: .*\\n)+`, 'm');
  expect(text).toMatch(section);
  return text.replace(section, () => lines);
};
const whole = withSection(
  withSection(defaults, 'detectors', detectorSettings(detectors)),
  'platforms',
  platformSettings(platforms),
);
const schema = configJsonSchema(configSchema(detectors, platforms), whole);

test('config/default.yaml describes the settings of every detector and platform; `npm run generate` writes it', async () => {
  await expect(whole).toMatchFileSnapshot(join(root, 'config/default.yaml'));
});

test('config/schema.json matches the settings; `npm run generate` writes it', async () => {
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(join(root, 'config/schema.json'));
});

test('config/env.example lists every variable with its default; `npm run generate` writes it', async () => {
  const example = envExample(variablesOf(platforms), schema);
  await expect(example).toMatchFileSnapshot(join(root, 'config/env.example'));
});

test.each(detectors)('$name: every option has a description with its unit, and a default', ({ options }) => {
  const unsaid = (schema: z.core.JSONSchema.BaseSchema, path: string): string[] =>
    schema.properties === undefined
      ? [schema.description, schema.default].includes(undefined)
        ? [path]
        : []
      : Object.entries(schema.properties).flatMap(([name, each]) =>
          unsaid(each as z.core.JSONSchema.BaseSchema, `${path}.${name}`),
        );
  expect(unsaid(z.toJSONSchema(options, { io: 'input' }) as z.core.JSONSchema.BaseSchema, 'options')).toEqual(
    [],
  );
});

test('a setting has its type, its default and a description with its unit', () => {
  expect(schema).toMatchObject({
    properties: {
      detectors: {
        properties: {
          'oi-momentum': {
            properties: {
              options: {
                properties: {
                  exit: {
                    type: 'number',
                    default: 0.5,
                    description: 'percent per snapshot; it begins above 1',
                  },
                },
                additionalProperties: false,
              },
            },
          },
        },
      },
      operators: {
        description: 'people who may pause all sending: terminal, discord:USER_ID, telegram:USER_ID',
      },
    },
  });
});

test('no setting is required, except within list entries', () => {
  const { required, properties = {} } = schema;
  expect(required).toBeUndefined();
  expect(properties.data).not.toHaveProperty('required');
  expect(properties.inhibit).toHaveProperty('items.required');
});
