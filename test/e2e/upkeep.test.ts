import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { begin } from '#test/support/command-line.ts';
import { ownFolder } from '#test/support/folder.ts';

it('a bot applies a changed configuration on SIGHUP, ignores a wrong one, and goes on', async () => {
  const folder = await ownFolder();
  const settings = join(folder, 'own.yaml');
  // The data service does not exist, so that the bot waits for no market.
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
  // The restart released the lock on the database file.
  await bot.kill('SIGTERM');
  expect(bot.exitCode()).toBe(0);
  expect(bot.written()).not.toMatch(/in use by process|"level":50(?!.*the new configuration is wrong)/);
});

// Process 1 of a container is not ended by a signal that it does not listen for, and a first start may take minutes.
it('a bot that still starts listens for SIGTERM and ends at once', async () => {
  const folder = await ownFolder();
  const env = {
    TOCSIN_HTTP_PORT: '0',
    TOCSIN_DATABASE_URL: `file:${folder}/bot.db`,
    TOCSIN_ARCHIVE_URL: `file:${folder}/archive.db`,
  };
  const bot = await begin(folder, ['start'], env, /Tocsin is on/);
  await bot.kill('SIGTERM');
  expect(bot.exitCode()).toBe(0);
  expect(bot.written()).not.toMatch(/watching the market|"level":[456]0/);
});
