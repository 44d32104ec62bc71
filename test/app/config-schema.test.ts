import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configSchema } from '#src/app/config.ts';
import { configJsonSchema } from '#src/app/config-schema.ts';
import type { Detector } from '#src/detectors/detector.ts';
import type { Platform } from '#src/platforms/platform.ts';
import { loadPluginFolders, loadPlugins } from '#src/runtime/plugins.ts';

const root = join(import.meta.dirname, '../..');
const defaults = readFileSync(join(root, 'config/default.yaml'), 'utf8');
const detectors = await loadPlugins<Detector>(join(root, 'src/detectors'), 'detector.ts');
const platforms = await loadPluginFolders<Platform>(join(root, 'src/platforms'), 'platform.ts');
const schema = configJsonSchema(configSchema(detectors, platforms), defaults);

test('config/schema.json is what the settings are; `npm run schema` writes it anew', async () => {
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot('../../config/schema.json');
});

test('a setting has its type, its default and, with its unit, what it is about', () => {
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
      operators: { description: 'who may pause all sending: terminal, discord:USER_ID, telegram:USER_ID' },
    },
  });
});

test('nothing is required, but in lists', () => {
  const { required, properties = {} } = schema;
  expect(required).toBeUndefined();
  expect(properties.data).not.toHaveProperty('required');
  expect(properties.inhibit).toHaveProperty('items.required');
});
