import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { layersOf, loadConfig, readConfig } from '#src/app/config/config.ts';
import type { Detector } from '#src/detectors/detector.ts';
import type { Platform } from '#src/platforms/platform.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { createLog } from '#src/runtime/log.ts';
import { loadPluginFolders, loadPlugins } from '#src/runtime/plugins.ts';
import { commands } from './commands.ts';
import { startDiscord } from './discord/discord.ts';
import { ownFolder } from './folder.ts';
import { startHosted } from './hosted.ts';
import { startBot } from './start-bot.ts';
import { startTelegramDouble } from './telegram/double.ts';

const folder = (name: string) => new URL(`../../src/${name}`, import.meta.url).pathname;
const detectors = await loadPlugins<Detector>(folder('detectors'), 'detector.ts');
const platforms = await loadPluginFolders<Platform>(folder('platforms'), 'platform.ts');
const defaults = readFileSync(new URL('../../config/default.yaml', import.meta.url), 'utf8');

/** Where Discord leads a browser back to. */
export const signInReturn = 'https://tocsin.example/sign-in/discord';

/** Starts the whole bot with no platform but its page; `start` starts it again on the same database. */
export async function newcomer(env: Readonly<Record<string, string>> = {}) {
  const home = await ownFolder();
  const written: string[] = [];
  const hosted = await startHosted(200);
  const discord = await startDiscord({ redirects: [signInReturn] });
  const telegram = await startTelegramDouble();
  const start = async () => {
    const sources = {
      defaults,
      env: {
        TOCSIN_API_URL: hosted.url,
        TOCSIN_DATABASE_URL: `file:${join(home, 'tocsin.db')}`,
        TOCSIN_HTTP_PORT: '0',
        DISCORD_API_URL: discord.url,
        TELEGRAM_API_URL: telegram.url,
        ...env,
      },
      detectors,
      platforms,
    };
    const config = readConfig(sources);
    const one = config.detectors.filter(({ detector }) => detector.name === 'funding-extreme');
    const write = async (text: string) => void written.push(text);
    return startBot({
      config: { ...config, detectors: one },
      settings: { layers: layersOf(sources), read: (own) => loadConfig({ ...sources, own }) },
      commands,
      terminal: { columns: 100, color: false, timeZone: 'UTC', write },
      wall: wallClock,
      random: () => 0,
      log: createLog({
        level: 'trace',
        pretty: false,
        destination: new Writable({
          write(chunk, _encoding, done) {
            written.push(String(chunk));
            done();
          },
        }),
      }),
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
