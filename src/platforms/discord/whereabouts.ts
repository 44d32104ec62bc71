import { ChannelType, type Client, type Guild } from 'discord.js';
import { msg } from '../../language/text.ts';
import type { Whereabouts } from '../platform.ts';
import { openChannel } from './greeting.ts';
import { mayPostTo } from './may-post.ts';

/** Exactly the permissions that posting needs (API docs, "Permissions"). */
const permissions =
  (1n << 10n) | // View Channel
  (1n << 11n) | // Send Messages
  (1n << 14n) | // Embed Links
  (1n << 15n) | // Attach Files: charts
  (1n << 16n) | // Read Message History: to look for a post that may have arrived
  (1n << 35n) | // Create Public Threads: details, posts of a forum
  (1n << 38n); // Send Messages in Threads

/** Returns the link by which a person who manages a server adds the bot to it. */
export const inviteLink = (applicationId: string): string => {
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: 'bot applications.commands',
    permissions: String(permissions),
  });
  return `https://discord.com/oauth2/authorize?${query}`;
};

/** How many channels are offered: those of the servers that the bot joined last. */
const most = 50;

/** Returns the text channels in which the bot may post: of each server first the one in which it would greet. */
export function whereaboutsOf(client: Client | undefined): Whereabouts {
  if (client?.isReady() !== true) return { places: [] };
  const { user, application, guilds } = client;
  const joinedLast = [...guilds.cache.values()]
    .filter(({ available }) => available)
    .sort((a, b) => b.joinedTimestamp - a.joinedTimestamp)
    .slice(0, most);
  const placesOf = (guild: Guild) => {
    const first = openChannel(guild, new Set())?.id;
    return [...guild.channels.cache.values()]
      .filter(({ type }) => type === ChannelType.GuildText || type === ChannelType.GuildAnnouncement)
      .filter(({ id }) => mayPostTo({ channelId: id }, guild))
      .sort((a, b) => Number(b.id === first) - Number(a.id === first))
      .map(({ id, name }) => ({
        name: `${guild.name} · #${name}`,
        address: { guildId: guild.id, channelId: id },
      }));
  };
  const found = joinedLast.map((guild) => ({ guild, places: placesOf(guild) }));
  return {
    bot: { name: user.tag, link: inviteLink(application.id) },
    places: found.flatMap(({ places }) => places).slice(0, most),
    barred: found
      .filter(({ places }) => places.length === 0)
      .map(({ guild: { name } }) =>
        msg(
          'In {name} the bot may not post: give it "View Channel", "Send Messages" and "Embed Links" in a channel.',
          { name },
        ),
      ),
  };
}
