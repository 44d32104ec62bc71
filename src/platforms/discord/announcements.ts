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
    carefully,
  }: {
    readonly places: Pick<Places, 'recall' | 'remember'>;
    readonly carefully: (what: string, work: Promise<unknown>) => void;
  },
): void {
  const look = (guilds: Iterable<Guild>): void =>
    carefully('a look at announcement channels', lookAt(guilds, places));
  to.once(Events.ClientReady, ({ guilds }) => look(guilds.cache.values()));
  to.on(Events.GuildCreate, (guild) => look([guild]));
  to.on(Events.ChannelCreate, ({ guild }) => look([guild]));
  to.on(Events.ChannelUpdate, (_, channel) => {
    if (!channel.isDMBased()) look([channel.guild]);
  });
  to.on(Events.ChannelDelete, (channel) => {
    if (!channel.isDMBased()) look([channel.guild]);
  });
}

async function lookAt(guilds: Iterable<Guild>, places: Pick<Places, 'recall' | 'remember'>): Promise<void> {
  for (const { id, channels } of guilds) {
    const name = announcementsOf(id);
    const now = [...channels.cache.values()]
      .filter(({ type }) => type === ChannelType.GuildAnnouncement)
      .map((channel) => channel.id)
      .sort()
      .join(' ');
    if (((await places.recall(name)) ?? '') !== now) await places.remember(name, now);
  }
}
