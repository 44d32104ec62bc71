import { readFileSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { layersOf, loadConfig } from '#src/app/config/config.ts';
import type { Tree } from '#src/app/config/config-problem.ts';
import { createSettingsDesk } from '#src/app/console/settings-desk.ts';
import { commandContext } from '#test/support/commands.ts';
import { ownFolder } from '#test/support/folder.ts';
import { shipped } from '#test/support/settings.ts';

const root = join(import.meta.dirname, '../../..');
const schema = JSON.parse(readFileSync(join(root, 'config/schema.json'), 'utf8'));

/** A desk over the settings of a bot of its own; `again` reads them as the next start does. */
async function desk(env: Readonly<Record<string, string>> = {}) {
  const home = await ownFolder();
  const database = join(home, 'tocsin.db');
  const given = { TOCSIN_DATABASE_URL: `file:${database}`, ...env };
  const sources = (own?: Tree) => ({ ...shipped, env: given, own });
  const read = (own?: Tree) => loadConfig(sources(own));
  const previewed: string[] = [];
  const again = async () =>
    createSettingsDesk({
      config: await read(),
      layers: layersOf(sources()),
      schema,
      read,
      preview: async (detector) => {
        previewed.push(detector);
        return { days: 30, posts: 3, before: 9 };
      },
    });
  return { home, database, file: `${database}.settings`, again, previewed, read };
}
const { caller } = commandContext();

it('every setting is listed with its value, its source and its meaning, and no secret', async () => {
  const { again, home } = await desk({
    TOCSIN_HTTP_TOKEN: 'a-token-nobody-may-see',
    DISCORD_TOKEN: 'abc.def.ghijklmnop',
    TOCSIN_LOG_LEVEL: 'debug',
  });
  const rows = (await again()).list();
  const of = (path: string) => rows.find((row) => row.path === path);
  expect(of('log.level')).toMatchObject({ shown: 'debug', source: 'environment', may: undefined });
  expect(of('delivery.budget')).toMatchObject({
    shown: '8',
    source: 'default',
    meaning: expect.stringContaining('posts that may interrupt a chat'),
    may: { kind: 'number', nullable: true },
  });
  expect(of('detectors.funding-extreme.options.enter')).toMatchObject({
    shown: 'HIGH',
    may: { kind: 'text', choices: ['ELEVATED', 'HIGH', 'EXTREME'] },
  });
  expect(of('http.token')).toMatchObject({ shown: '…', source: 'environment' });
  expect(of('platforms.discord.token')).toMatchObject({ shown: '…' });
  expect(of('platforms.telegram.token')).toBeUndefined();
  expect(JSON.stringify(rows)).not.toMatch(/a-token-nobody-may-see|abc\.def/);
  expect(JSON.stringify(rows)).not.toContain(home);
  expect(rows.length).toBeGreaterThan(100);
});

it('what may be changed safely is changed, applies at the next reading, and can be taken back', async () => {
  const { again, file, read } = await desk();
  const first = await again();
  await first.change('detectors.fear-greed.enabled', false);
  await first.change('detectors.funding-extreme.options.enter', 'EXTREME');
  await first.change('delivery.budget', null);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { detectors: now, delivery } = await read();
  const of = (name: string) => now.find(({ detector }) => detector.name === name);
  expect([of('fear-greed')?.enabled, of('funding-extreme')?.options, delivery.budget]).toMatchObject([
    false,
    { enter: 'EXTREME' },
    null,
  ]);
  const second = await again();
  expect(second.list().find(({ path }) => path === 'delivery.budget')).toMatchObject({
    shown: '',
    source: 'here',
  });
  await second.change('detectors.funding-extreme.options.enter', undefined);
  await second.change('detectors.fear-greed.enabled', undefined);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ delivery: { budget: null } });
});

it.each([
  ['database', 'file:/tmp/other.db', /change it there/],
  ['http.token', 'a-new-token-for-everyone', /file or the environment only/],
  ['http.host', '0.0.0.0', /file or the environment only/],
  ['operators', 'telegram:1', /file or the environment only/],
  ['platforms.discord.token', 'a.b.c', /no setting/],
  ['__proto__.polluted', true, /no setting/],
  ['delivery.budget', 5_000, /delivery\.budget/],
  ['detectors.funding-extreme.options.enter', 'SOMETIMES', /enter/],
  ['detectors.funding-extreme.enabled', 'perhaps', /enabled/],
  ['data.embedded.market', 'recorded', /market/],
])('%s is not set to %s, and nothing is written', async (path, value, says) => {
  const { again, file } = await desk();
  await expect((await again()).change(path, value)).rejects.toThrow(says);
  await expect(stat(file)).rejects.toThrow('ENOENT');
});

it('what the environment or a file sets is changed there alone, whatever the page had set', async () => {
  const { again, home, read, file } = await desk();
  await (await again()).change('delivery.budget', 3);
  const config = join(home, 'config.yaml');
  await writeFile(config, 'delivery: { budget: 5 }\n');
  const own = JSON.parse(await readFile(file, 'utf8'));
  const database = `file:${file.replace(/\.settings$/, '')}`;
  const env = { TOCSIN_DATABASE_URL: database, TOCSIN_CONFIG: config };
  const over = await loadConfig({ ...shipped, env });
  expect([own.delivery.budget, over.delivery.budget, (await read()).delivery.budget]).toEqual([3, 5, 3]);
  const other = createSettingsDesk({
    config: over,
    layers: layersOf({ ...shipped, env }),
    schema,
    read,
    preview: async () => undefined,
  });
  await expect(other.change('delivery.budget', 7)).rejects.toThrow(/change it there/);
});

it('a preview is of the changed detector, and changes nothing', async () => {
  const { again, previewed, file } = await desk();
  const one = await again();
  const path = 'detectors.funding-extreme.options.enter';
  expect(await one.preview(path, { value: 'EXTREME', caller })).toEqual({ days: 30, posts: 3, before: 9 });
  expect(await one.preview('delivery.budget', { value: 5, caller })).toBeUndefined();
  await expect(one.preview(path, { value: 'NEVER', caller })).rejects.toThrow(/enter/);
  expect(previewed).toEqual(['funding-extreme']);
  await expect(stat(file)).rejects.toThrow('ENOENT');
});

it('processes that share a database have no settings of a page', async () => {
  const { again } = await desk({ TOCSIN_DATABASE_URL: 'postgres://example.org/tocsin' });
  await expect((await again()).change('delivery.budget', 3)).rejects.toThrow(/file or the environment only/);
});
