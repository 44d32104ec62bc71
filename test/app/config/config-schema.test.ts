import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { configSchema } from '#src/app/config/config.ts';
import { configJsonSchema } from '#src/app/config/config-schema.ts';
import { detectorSettings } from '#src/app/config/detector-settings.ts';
import type { Detector } from '#src/detectors/detector.ts';
import type { Platform } from '#src/platforms/platform.ts';
import { loadPluginFolders, loadPlugins } from '#src/runtime/plugins.ts';

const root = join(import.meta.dirname, '../../..');
const defaults = readFileSync(join(root, 'config/default.yaml'), 'utf8');
const detectors = await loadPlugins<Detector>(join(root, 'src/detectors'), 'detector.ts');
const platforms = await loadPluginFolders<Platform>(join(root, 'src/platforms'), 'platform.ts');
const [before = '', after] = defaults.split(/(?<=^detectors:.*\n)(?:(?: .*)?\n)*?(?=\n?[a-z]+:)/m);
const whole = `${before}${detectorSettings(detectors)}${after}`;
const schema = configJsonSchema(configSchema(detectors, platforms), whole);

test('config/default.yaml describes the settings of every detector; `npm run generate` writes it', async () => {
  expect(after).toBeDefined();
  await expect(whole).toMatchFileSnapshot('../../../config/default.yaml');
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

test('config/schema.json matches the settings; `npm run generate` writes it', async () => {
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot('../../../config/schema.json');
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
