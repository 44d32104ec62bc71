import { definePlatform } from '../platform.ts';
import { openNotifier } from './notifier.ts';
import { address, options } from './options.ts';
import { paceOf } from './posts.ts';
import { publishLimit } from './publishing.ts';

/** As "Copy Link" gives it, or `discord:SERVER/CHANNEL`; a thread stands behind its channel. */
const written = /^(?:discord:|https:\/\/(?:\w+\.)?discord\.com\/channels\/)(?:(\d+)|@me)\/(\d+)(?:\/(\d+))?$/;

/** A bot in channels, threads and forums of guilds, by Discord's REST API and its gateway. */
export default definePlatform({
  name: 'discord',
  env: { token: 'DISCORD_TOKEN', apiUrl: 'DISCORD_API_URL', shards: 'DISCORD_SHARDS' },
  options,
  address,
  written: {
    example: 'https://discord.com/channels/SERVER/CHANNEL',
    read(text) {
      const [, guildId, channelId = '', threadId] = written.exec(text) ?? [];
      const place = { channelId, ...(guildId && { guildId }), ...(threadId && { threadId }) };
      return address.safeParse(place).success ? place : undefined;
    },
  },
  shown: (address) => address,
  account: ({ guildId }) => guildId,
  limits: {
    // Discord's 50 a second, kept to also where that second slides. One is left for the few requests of the gateway's
    // client. Spread, as many at once are the sooner delayed. What channels take is learned from headers.
    total: [
      { per: 1_015, max: 49 },
      { per: 100, max: 8 },
    ],
    perAddress: [publishLimit],
    sharedBy: paceOf,
    concurrency: 64,
  },
  notifier: openNotifier,
  async conversation(given, ports) {
    const { startDiscord } = await import('./discord.ts');
    const discord = startDiscord(given, ports);
    ports.onLost(discord.lost);
    ports.warm();
    return discord;
  },
});
