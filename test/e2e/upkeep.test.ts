import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { begin } from '#test/support/command-line.ts';
import { ownFolder } from '#test/support/folder.ts';

it('SIGHUP has the bot take over what is written now, keep what is wrong away, and go on', async () => {
  const folder = await ownFolder();
  const settings = join(folder, 'own.yaml');
  // No market to wait for: a data service that is not there.
  const yaml = (text: string) =>
    writeFileSync(settings, `${text}\nhttp: { port: 0 }\ndata: { url: 'http://127.0.0.1:1/api/v1' }\n`);
  yaml('log: { level: info }');
  const env = { TOCSIN_CONFIG: settings, TOCSIN_DATABASE_URL: `file:${folder}/bot.db` };
  const bot = await begin(folder, ['start'], env, /"watching the market"/);
  const hangUp = () => process.kill(bot.pid, 'SIGHUP');

  yaml('log: { level: loud }');
  hangUp();
  await bot.until(
    /"problem":"log\.level .*","msg":"the new configuration is wrong; the old one stays in use"/,
  );
  yaml('log: { level: info }\noperators: [terminal, discord:1]');
  hangUp();
  await bot.until(/"changed":\["operators"\],"msg":"the new configuration is in use"/);
  yaml('watch: false');
  hangUp();
  await bot.until(/"changed":\["watch"\],"msg":"starting anew(?:.|\n)*"watching the market"/);
  // The file of the database is its own again.
  await bot.kill('SIGTERM');
  expect(bot.written()).not.toMatch(/in use by process|"level":50(?!.*the new configuration is wrong)/);
});
