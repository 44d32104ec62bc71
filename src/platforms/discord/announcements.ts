import { ChannelType, type Client, Events, type Guild } from 'discord.js';
import type { Places } from '../ports.ts';
import { announcementsOf } from './publishing.ts';

/**
 * Stores which channels are announcement channels, for the notifier: it receives no events about channels and may run in
 * another process.
 */
export function followAnnouncements(
  to: Client,
  {
    places,
    inBackground,
  }: {
    readonly places: Pick<Places, 'recall' | 'remember'>;
    readonly inBackground: (what: string, work: () => Promise<unknown>) => void;
  },
): void {
  const storeFor = (guilds: Iterable<Guild>): void =>
    inBackground('a look at announcement channels', () => storeAnnouncements(guilds, places));
  to.once(Events.ClientReady, ({ guilds }) => storeFor(guilds.cache.values()));
  to.on(Events.GuildCreate, (guild) => storeFor([guild]));
  to.on(Events.ChannelCreate, ({ guild }) => storeFor([guild]));
  to.on(Events.ChannelUpdate, (_, channel) => {
    if (!channel.isDMBased()) storeFor([channel.guild]);
  });
  to.on(Events.ChannelDelete, (channel) => {
    if (!channel.isDMBased()) storeFor([channel.guild]);
  });
}

async function storeAnnouncements(
  guilds: Iterable<Guild>,
  places: Pick<Places, 'recall' | 'remember'>,
): Promise<void> {
  for (const { id, channels } of guilds) {
    const name = announcementsOf(id);
    const channelIds = [...channels.cache.values()]
      .filter(({ type }) => type === ChannelType.GuildAnnouncement)
      .map((channel) => channel.id)
      .sort()
      .join(' ');
    if (((await places.recall(name)) ?? '') !== channelIds) await places.remember(name, channelIds);
  }
}
