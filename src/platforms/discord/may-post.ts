import {
  type BaseInteraction,
  ChannelFlags,
  type Guild,
  type GuildBasedChannel,
  InteractionContextType,
  PermissionFlagsBits,
  type PermissionsBitField,
} from 'discord.js';
import type { Receiver } from '../../alert/subscription.ts';

const { ViewChannel, SendMessages, SendMessagesInThreads, EmbedLinks } = PermissionFlagsBits;

/** Whether these permissions suffice to post an alert in a channel, or in a thread of it. */
export const mayPost = (rights: Readonly<PermissionsBitField> | null, inThread = false): boolean =>
  rights?.has([ViewChannel, inThread ? SendMessagesInThreads : SendMessages, EmbedLinks]) === true;

/**
 * Whether the channel takes no posts of the bot, whatever its permissions: a locked thread, a forum that requires tags, or a
 * category.
 */
const isClosed = (channel: GuildBasedChannel): boolean => {
  if (channel.isThread()) return channel.locked === true && !channel.manageable;
  if (channel.isThreadOnly()) return channel.flags.has(ChannelFlags.RequireTag);
  return !channel.isTextBased();
};

/**
 * Whether the bot may post where the interaction happened, as far as can be told: in a direct message with the bot, Discord
 * names neither of the rights to view and to send.
 */
export const mayPostIn = ({
  context,
  appPermissions,
  channel,
}: Pick<BaseInteraction, 'context' | 'appPermissions' | 'channel'>): boolean => {
  if (context === InteractionContextType.BotDM) return true;
  const place = channel === null || channel.isDMBased() ? undefined : channel;
  return mayPost(appPermissions, place?.isThread()) && (place === undefined || !isClosed(place));
};

/** Whether the bot may post at an address, as far as can be told: Discord lists no archived threads, which may be locked. */
export function mayPostTo(
  { channelId, threadId }: Receiver['address'],
  { channels: { cache }, members: { me } }: Guild,
): boolean {
  const channel = cache.get(String(channelId));
  const place = threadId === undefined ? channel : cache.get(String(threadId));
  if (channel === undefined || me === null) return false;
  return mayPost(channel.permissionsFor(me), threadId !== undefined) && !(place && isClosed(place));
}
