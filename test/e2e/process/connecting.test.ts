import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startDiscord } from '#test/support/discord/discord.ts';
import { ownFolder } from '#test/support/folder.ts';
import { startHosted } from '#test/support/hosted.ts';
import { jsonRequest } from '#test/support/json-request.ts';
import { configured } from '#test/support/settings.ts';
import { startBot } from '#test/support/start-bot.ts';
import { startTelegramDouble } from '#test/support/telegram/double.ts';
import { runScript } from './program.ts';

const put = (options: object) => jsonRequest('PUT', { options });
const post = (place: unknown) => jsonRequest('POST', { place });

it('a bot killed at any step of connecting has what was answered, nothing half done, and goes on', async () => {
  const folder = await ownFolder();
  const [hosted, discord, telegram] = await Promise.all([
    startHosted(200),
    startDiscord(),
    startTelegramDouble(),
  ]);
  onTestFinished(async () => void (await Promise.all([hosted.shut(), discord.close(), telegram.close()])));
  const environment = {
    TOCSIN_API_URL: hosted.url,
    TOCSIN_DATABASE_URL: `file:${join(folder, 'tocsin.db')}`,
    TOCSIN_HTTP_PORT: '0',
    DISCORD_API_URL: discord.url,
    TELEGRAM_API_URL: telegram.url,
  };
  const life = async () => {
    const program = runScript('start', { environment });
    onTestFinished(() => program[Symbol.asyncDispose]());
    const [, url = ''] = await program.says(/Tocsin is on (\S+)/);
    return { ...lookAt(url), kill: () => program.kill() };
  };
  const lookAt = (url: string) => {
    const read = async () => (await fetch(`${url}/api/connecting`)).json();
    const state = async (name: string) =>
      ((await read()) as { name: string; source: string | null; places: { address: object }[] }[]).find(
        (each) => each.name === name,
      );
    return { url, state };
  };
  const kept = () => readFile(join(folder, 'tocsin.db.connections'), 'utf8').catch(() => '{}');

  // While Telegram is being asked about the token.
  const first = await life();
  telegram.inject({ method: 'getMe', how: 'hang' });
  const unanswered = fetch(`${first.url}/api/connecting/telegram`, put({ token: telegram.token })).then(
    () => 'answered',
    () => 'broken off',
  );
  await expect.poll(() => telegram.calls.some(({ method }) => method === 'getMe')).toBe(true);
  await first.kill();
  expect(await unanswered).toBe('broken off');
  expect(await kept()).toBe('{}');

  // Right after both tokens were taken.
  const second = await life();
  expect((await second.state('telegram'))?.source).toBeNull();
  expect((await fetch(`${second.url}/api/connecting/telegram`, put({ token: telegram.token }))).status).toBe(
    200,
  );
  expect((await fetch(`${second.url}/api/connecting/discord`, put({ token: discord.token }))).status).toBe(
    200,
  );
  await second.kill();

  // After the bot has seen a place, which Telegram tells once only.
  const third = await life();
  telegram.chat({ id: 5_001, title: 'Ada' });
  telegram.say('/start', { chatId: 5_001 });
  await expect.poll(async () => (await third.state('telegram'))?.places).toHaveLength(1);
  const { guild } = discord.addGuild('Mine');
  discord.gateway.dispatch('GUILD_CREATE', guild);
  await expect.poll(async () => (await third.state('discord'))?.places).toHaveLength(1);
  await third.kill();

  // While a sample is on its way, which is not sent by itself later.
  const fourth = await life();
  await expect.poll(async () => (await fourth.state('discord'))?.places).toHaveLength(1);
  const place = (await fourth.state('telegram'))?.places[0]?.address;
  const sample = ({ url }: typeof fourth) => fetch(`${url}/api/connecting/telegram/sample`, post(place));
  const isSample = (each: unknown) => JSON.stringify(each).includes('TEST: ');
  telegram.inject({ chatId: 5_001, how: 'hang' });
  const unsent = sample(fourth).then(
    () => 'answered',
    () => 'broken off',
  );
  await expect.poll(() => telegram.calls.some(isSample)).toBe(true);
  await fourth.kill();
  expect([await unsent, telegram.messages.filter(isSample)]).toEqual(['broken off', []]);

  // After the sample, and after the first subscription.
  const fifth = await life();
  await expect.poll(async () => (await fifth.state('telegram'))?.places).toHaveLength(1);
  expect((await sample(fifth)).status).toBe(200);
  const begun = await fetch(`${fifth.url}/api/connecting/telegram/subscription`, post(place));
  expect(begun.status).toBe(200);
  await fifth.kill();

  const bot = await startBot({ config: configured(environment) });
  onTestFinished(() => bot.close());
  const last = lookAt(String(bot.url));
  expect((await last.state('telegram'))?.source).toBe('here');
  expect(JSON.parse(await kept())).toEqual({
    telegram: { token: telegram.token },
    discord: { token: discord.token },
  });
  expect(telegram.messages.filter(isSample)).toHaveLength(1);
});
