import { expect, it, onTestFinished } from 'vitest';
import { containLibraries } from '#test/support/contain-libraries.ts';
import { startDiscord } from '#test/support/discord/discord.ts';
import { startHosted } from '#test/support/hosted.ts';
import { configured } from '#test/support/settings.ts';
import { startBot } from '#test/support/start-bot.ts';
import { startTelegramDouble } from '#test/support/telegram/double.ts';

it('a platform that refuses its token is reported at each endpoint, and the other platform goes on', async () => {
  containLibraries();
  const written: string[] = [];
  const hosted = await startHosted(200);
  const discord = await startDiscord();
  const telegram = await startTelegramDouble();
  const config = configured({
    TOCSIN_API_URL: hosted.url,
    TOCSIN_DATABASE_URL: 'file::memory:',
    TOCSIN_HTTP_PORT: '0',
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.url,
    TELEGRAM_TOKEN: '424242:a-token-that-was-revoked-long-ago-0',
    TELEGRAM_API_URL: telegram.url,
  });
  const bot = await startBot({ config: { ...config, detectors: [] }, written });
  onTestFinished(async () => {
    await bot.close();
    await Promise.all([hosted.shut(), discord.close(), telegram.close()]);
  });
  const read = async (path: string) => {
    const answer = await fetch(`${bot.url}${path}`);
    return { status: answer.status, text: await answer.text() };
  };
  await expect.poll(() => discord.commands.of.has('global')).toBe(true);
  await expect.poll(async () => (await read('/readyz')).text).toContain('telegram');
  expect((await read('/readyz')).status).toBe(503);
  const { refused } = JSON.parse((await read('/api/status')).text);
  expect(refused).toEqual([
    {
      platform: 'telegram',
      reason: expect.objectContaining({ message: expect.stringContaining('TELEGRAM_TOKEN') }),
    },
  ]);
  expect((await read('/metrics')).text).toMatch(/^tocsin_platforms_refused 1$/m);
  expect(written.join('')).not.toContain('a-token-that-was-revoked');
});
