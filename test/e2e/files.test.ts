import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { checkPlaces } from '#src/app/cli/check-places.ts';
import { loadConfig } from '#src/app/config/config.ts';
import { openToRead } from '#src/database/open.ts';
import { heldIn } from '#src/store/places/files.ts';
import type { Tables } from '#src/store/tables.ts';
import { begin, run } from '#test/support/command-line.ts';
import { ownFolder } from '#test/support/folder.ts';
import { startHosted } from '#test/support/hosted.ts';
import { shipped } from '#test/support/settings.ts';

it('a check shows what files of places change, start and SIGHUP apply them, and wrong files are ignored', async () => {
  const folder = await ownFolder();
  const market = await startHosted(1);
  onTestFinished(() => market.shut());
  const places = join(folder, 'places');
  mkdirSync(places);
  const write = (name: string, text: string) => writeFileSync(join(places, name), text);
  const database = `file:${folder}/bot.db`;
  const env = {
    TOCSIN_PLACES: places,
    TOCSIN_DATABASE_URL: database,
    TOCSIN_API_URL: market.url,
    TOCSIN_HTTP_PORT: '0',
    TOCSIN_WEBHOOK_SECRET: 'signing-key-0123456789',
    TOCSIN_PLACE_ROOM: 'https://example.com/hooks/a-secret-path',
  };
  const check = async () => checkPlaces(await loadConfig({ ...shipped, env }));
  const held = async () => {
    const reading = await openToRead<Tables>(database);
    const { subscriptions, rules } = await heldIn(reading.db, []);
    await reading.close();
    return [
      ...subscriptions.map(({ minSeverity }) => minSeverity),
      ...rules.map(({ condition }) => condition),
    ];
  };

  const address = `$\{TOCSIN_PLACE_ROOM}`;
  const team = (severity: string) =>
    `- at: ${address}\n  subscriptions:\n    - { kinds: [funding-extreme], symbols: [BTCUSDT], severity: ${severity} }\n`;
  write('team.yaml', team('warning'));
  write('desk.yaml', '- at: web:desk\n  alerts: [BTCUSDT > 100000]\n');
  const planned = [
    'to be applied: +1 subscription, +1 alert',
    '+ team.yaml:3  webhook https://example.com/…  subscription Extreme funding for BTC, warning and above, at once',
    '+ desk.yaml:2  web desk  alert price.last > 100000, BTCUSDT, warning',
  ];
  expect(await check()).toMatchObject([{ problem: null, lines: planned }]);

  const bot = await begin(folder, ['start'], env, /"done":"\+1 subscription, \+1 alert"/);
  const hangUp = () => process.kill(bot.pid, 'SIGHUP');
  expect(await held()).toEqual(['warning', 'price.last > 100000']);
  expect(await check()).toMatchObject([{ problem: null, lines: ['places have what they say'] }]);

  // From here on markets have been loaded, so short names are resolved.
  write('team.yaml', team('critical').replace('BTCUSDT', 'btc'));
  rmSync(join(places, 'desk.yaml'));
  expect((await check())[0]?.lines?.[0]).toBe('to be applied: ~1 subscription, −1 alert');
  hangUp();
  await bot.until(/"placeFiles\.texts\.team\.yaml"(?:.|\n)*"done":"~1 subscription, −1 alert"/);
  expect(await held()).toEqual(['critical']);

  write('team.yaml', team('loud'));
  hangUp();
  await bot.until(
    /"problem":"team\.yaml:3:55: severity: give one of [^"]*","more":0,"msg":"a file of places is wrong/,
  );
  expect(await held()).toEqual(['critical']);
  const { code, out } = await run(folder, ['check', 'places'], env);
  expect({ code, out: out.split('\n').slice(1) }).toEqual({
    code: 78,
    out: [
      expect.stringMatching(
        /^PROBLEM {2}the files of places \(.*\): team\.yaml:3:55: severity: give one of /,
      ),
      '',
    ],
  });

  await bot.kill('SIGTERM');
  expect(bot.written()).not.toMatch(/a-secret-path/);
});
