import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { layersOf, loadConfig, readConfig } from '#src/app/config/config.ts';
import { containLibraries } from './contain-libraries.ts';
import { startDiscord } from './discord/discord.ts';
import { ownFolder } from './folder.ts';
import { startHosted } from './hosted.ts';
import { shipped } from './settings.ts';
import { startBot } from './start-bot.ts';
import { startTelegramDouble } from './telegram/double.ts';

/** Where Discord leads a browser back to. */
export const signInReturn = 'https://tocsin.example/sign-in/discord';

/** Starts the whole bot with no platform but its page; `start` starts it again on the same database. */
export async function newcomer(env: Readonly<Record<string, string>> = {}) {
  containLibraries();
  const home = await ownFolder();
  const written: string[] = [];
  const hosted = await startHosted(200);
  const discord = await startDiscord({ redirects: [signInReturn] });
  const telegram = await startTelegramDouble();
  const start = async () => {
    const sources = {
      ...shipped,
      env: {
        TOCSIN_API_URL: hosted.url,
        TOCSIN_DATABASE_URL: `file:${join(home, 'tocsin.db')}`,
        TOCSIN_HTTP_PORT: '0',
        DISCORD_API_URL: discord.url,
        TELEGRAM_API_URL: telegram.url,
        ...env,
      },
    };
    const config = readConfig(sources);
    const one = config.detectors.filter(({ detector }) => detector.name === 'funding-extreme');
    return startBot({
      config: { ...config, detectors: one },
      settings: { layers: layersOf(sources), read: (own) => loadConfig({ ...sources, own }) },
      written,
    });
  };
  const bots = [await start()];
  onTestFinished(async () => {
    await bots.at(-1)?.close();
    await Promise.all([hosted.shut(), discord.close(), telegram.close()]);
  });
  return {
    ...{ discord, telegram, written, home },
    url: bots[0]?.url ?? '',
    async restart() {
      await bots.at(-1)?.close();
      const again = await start();
      bots.push(again);
      return again.url ?? '';
    },
  };
}
