import { join, resolve } from 'node:path';
import { pino } from 'pino';
import { z } from 'zod';
import { type Detector, defineDetector } from '#src/detectors/detector.ts';
import type { Preferences } from '#src/language/preferences.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { loadPlugins } from '#src/runtime/plugins.ts';
import type { Command } from '#src/shell/command.ts';
import { openStore } from '#src/store/open.ts';
import { change, subscription } from '#test/support/alerts.ts';
import { configured } from '#test/support/settings.ts';
import { startBot } from '#test/support/start-bot.ts';
import { token } from '#test/support/telegram/double.ts';
import type { Opened } from '../discord/double.ts';

const root = resolve(import.meta.dirname, '../../..');
const kind = 'broadcast';

export interface BotOptions {
  /** Folder of the databases. */
  readonly folder: string;
  readonly telegram: string;
  /** Chats that get the broadcasts, and no other alerts. */
  readonly audience: readonly number[];
  /** Preferences of other chats, by id. */
  readonly chosen?: ReadonlyMap<number, Preferences>;
  /** A Discord whose channels get the broadcasts as well. */
  readonly discord?: Opened;
}

/** Starts the whole bot as `npm start` runs it, with its data service of 30 simulated symbols at 1 ×. */
export async function startWholeBot({ folder, telegram, audience, chosen, discord }: BotOptions) {
  const database = `file:${join(folder, 'tocsin.db')}`;
  const store = await openStore(database);
  const receiver = (chat: number) => ({ notifier: 'telegram', address: { chatId: String(chat) } });
  const channelOf = (channelId: string, { guildId }: Opened) => ({
    notifier: 'discord',
    address: { channelId, guildId },
  });
  const channels = discord === undefined ? [] : discord.channelIds.map((id) => channelOf(id, discord));
  for (const told of [...audience.map(receiver), ...channels])
    await store.subscriptions.add(subscription({ receiver: told, kinds: [kind] }));
  for (const [chat, preferences] of chosen ?? []) await store.preferences.set(receiver(chat), preferences);
  await store.close();

  const config = configured({
    TOCSIN_DATABASE_URL: database,
    TOCSIN_ARCHIVE_URL: `file:${join(folder, 'archive.db')}`,
    TOCSIN_HTTP_PORT: '0',
    TELEGRAM_TOKEN: token,
    TELEGRAM_API_URL: telegram,
    ...(discord !== undefined && { DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.url }),
  });
  const { data } = config;
  let wanted = 0;
  const begun: number[] = [];
  const broadcasts = defineDetector({
    name: kind,
    description: 'Whenever the bench wishes',
    preset: 'everything',
    prediction: null,
    schedule: '* * * * * *',
    options: z.object({}),
    state: z.number(),
    observe: async () => wanted,
    step(past, observed) {
      if (observed <= (past ?? observed)) return { state: observed, changes: [] };
      begun.push(performance.timeOrigin + performance.now());
      const title = `A broadcast ${observed}`;
      return { state: observed, changes: [change({ kind, symbol: `S${observed}USDT`, title })] };
    },
  });
  const { schedule } = broadcasts;
  const bot = await startBot({
    config: {
      ...config,
      data: { ...data, embedded: { ...data.embedded, speed: 1 } },
      detectors: [
        ...config.detectors,
        // The collection holds detectors without their types.
        { detector: broadcasts as unknown as Detector, enabled: true, schedule, options: {} },
      ],
    },
    commands: await loadPlugins<Command>(join(root, 'src/commands'), 'command.ts'),
    terminal: { columns: 100, color: false, timeZone: 'UTC', write: async () => {} },
    wall: wallClock,
    random: Math.random,
    log: pino({ level: 'warn' }, pino.destination(2)),
  });
  return {
    page: bot.url ?? '',
    /** Sends one alert to the whole audience within a second; its title is `A broadcast 1`, and so on. */
    broadcast: () => void wanted++,
    /** Times at which the detector found each broadcast, ms since the epoch. */
    begun: begun as readonly number[],
    close: () => bot.close(),
  };
}
