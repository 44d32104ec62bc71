import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { languages } from '#src/language/languages.ts';
import { containLibraries } from '#test/support/contain-libraries.ts';
import { startDiscord } from '#test/support/discord/discord.ts';
import { interaction } from '#test/support/discord/platform.ts';
import { startHosted } from '#test/support/hosted.ts';
import { patience } from '#test/support/patience.ts';
import { configured } from '#test/support/settings.ts';
import { startBot } from '#test/support/start-bot.ts';
import { ada, startTelegramDouble } from '#test/support/telegram/double.ts';

async function until(holds: () => boolean, what: string): Promise<void> {
  for (let waited = 0; waited < patience; waited += 25) {
    if (holds()) return;
    await delay(25);
  }
  throw new Error(`not in time: ${what}`);
}

/** Starts the whole bot with Discord, Telegram and one detector; only the platforms and the data service are doubles. */
async function everything({ telegramToken }: { readonly telegramToken?: string } = {}) {
  containLibraries();
  const written: string[] = [];
  const hosted = await startHosted(200);
  const discord = await startDiscord();
  const { guild, channel } = discord.addGuild();
  const telegram = await startTelegramDouble();
  const config = configured({
    TOCSIN_API_URL: hosted.url,
    TOCSIN_DATABASE_URL: 'file::memory:',
    TOCSIN_HTTP_PORT: '0',
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.url,
    TELEGRAM_TOKEN: telegramToken ?? telegram.token,
    TELEGRAM_API_URL: telegram.url,
  });
  const bot = await startBot({
    config: {
      ...config,
      // At this speed the others would look all the time, at a market in which nothing happens to them.
      detectors: config.detectors.filter(({ detector }) => detector.name === 'funding-extreme'),
    },
    written,
  });
  onTestFinished(async () => {
    await bot.close();
    await Promise.all([hosted.shut(), discord.close(), telegram.close()]);
  });
  const read = async (path: string) => {
    const answer = await fetch(`${bot.url}${path}`);
    return { status: answer.status, text: await answer.text() };
  };
  return { hosted, discord, guild, channel, telegram, written, read };
}

it('a platform that refuses its token is reported at each endpoint, and the other platform goes on', async () => {
  const telegramToken = '424242:a-token-that-was-revoked-long-ago-0';
  const { discord, written, read } = await everything({ telegramToken });
  await until(() => discord.commands.of.has('global'), 'Discord is talked to');
  await expect.poll(async () => (await read('/readyz')).text, { timeout: patience }).toContain('telegram');
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

it('an alert reaches a subscribed guild and chat, stays one message to its end, and shows no token', async () => {
  const { hosted, discord, guild, channel, telegram, written, read } = await everything();
  telegram.chat({ id: ada.id });

  await until(() => discord.commands.of.has('global'), 'slash commands are registered');
  expect(discord.commands.of.get('global')).toContainEqual(
    expect.objectContaining({
      description_localizations: expect.objectContaining({ 'zh-CN': expect.any(String) }),
    }),
  );
  const asking = interaction(
    2,
    {
      id: '999999999999999999',
      name: 'subscribe',
      type: 1,
      options: [{ name: 'kinds', type: 3, value: 'funding-extreme' }],
    },
    { guildId: guild.id, channelId: channel.id },
  );
  const answered = await discord.interact(asking);
  expect(JSON.stringify(answered.message)).toMatch(/Subscribed/);
  await until(
    () => telegram.menus.size === 3 * languages.length,
    'the menu is set in every language, for all, private chats and administrators',
  );
  telegram.say('/subscribe funding-extreme');
  await until(
    () => telegram.texts(ada.id).some((text) => text.includes('Subscribed')),
    'Telegram is subscribed',
  );

  const before = { discord: channel.messages.length, telegram: telegram.texts(ada.id).length };
  hosted.settle([{ symbol: 'BTCUSDT', severity: 'HIGH', zScore: 2.4 }]);
  await until(() => channel.messages.length > before.discord, 'the alert is in Discord');
  await until(() => telegram.texts(ada.id).length > before.telegram, 'the alert is in Telegram');
  const post = channel.messages.at(-1);
  expect(JSON.stringify(post)).toContain('BTC funding high');
  expect(telegram.texts(ada.id).at(-1)).toContain('BTC funding high');

  const count = { discord: channel.messages.length, telegram: telegram.texts(ada.id).length };
  const looked = async () =>
    Number(/last_success\S*detector="funding-extreme"\S* (\S+)/.exec((await read('/metrics')).text)?.[1]);
  const isResolved = () => JSON.stringify(channel.messages.at(-1)).includes('Resolved after');
  // Two later settlements of other markets show that bitcoin's funding is usual again; an empty answer would not. The look
  // that ends first after a settlement may have asked before it, the next one has not.
  for (const resolved of [false, true]) {
    hosted.settle([{ symbol: 'ETHUSDT', severity: 'ELEVATED', zScore: 1.6 }]);
    for (let looks = 0; looks < 2; looks += 1) {
      const before = await looked();
      await expect.poll(looked, { timeout: patience }).toBeGreaterThan(before);
    }
    await expect.poll(isResolved, { timeout: resolved ? patience : 0 }).toBe(resolved);
  }
  await until(
    () => telegram.texts(ada.id).at(-1)?.includes('Resolved after') === true,
    'Telegram’s is resolved',
  );
  expect({ discord: channel.messages.length, telegram: telegram.texts(ada.id).length }).toEqual(count);

  const everythingWritten = written.join('');
  expect(everythingWritten).not.toContain(discord.token);
  expect(everythingWritten).not.toContain(telegram.token);
});
