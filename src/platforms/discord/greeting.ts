import { ChannelType, type Guild, PermissionFlagsBits, type SendableChannels } from 'discord.js';
import type { Card } from '../../card/card.ts';

/** Said when the bot comes to a guild: the three things to do first. */
export const welcomeCard: Card<string> = {
  title: 'Tocsin is here',
  summary:
    'It watches the crypto-derivatives market and tells you when it turns. Three things to do first:\n' +
    '1. In the channel that shall get alerts, use /subscribe. It takes kinds, markets, a severity and quiet hours.\n' +
    '2. Ask something: /market, or /coin with any market.\n' +
    '3. When it is too much, /silence; when you wonder, /why. /help explains everything.\n' +
    'Settings are for members who may manage the server.',
  actions: [
    { label: 'Send all alerts here', command: 'subscribe all' },
    { label: 'The market now', command: 'market' },
    { label: 'All commands', command: 'help' },
  ],
};

/** Said elsewhere when a place cannot be reached any more. */
export const lossCard = (where: string, reason: string): Card<string> => ({
  title: 'Alerts of a channel have ended',
  summary: `Nothing can be posted in ${where} any more, so its subscriptions ended.\n${reason}.\nOnce that is mended, use /subscribe there again.`,
});

const needed = [
  PermissionFlagsBits.ViewChannel,
  PermissionFlagsBits.SendMessages,
  PermissionFlagsBits.EmbedLinks,
];

/** Where the bot may speak to all: the system channel, else the first text channel. */
export function openChannel(guild: Guild, except?: string): SendableChannels | undefined {
  const { me } = guild.members;
  const texts = [...guild.channels.cache.values()]
    .filter((channel) => channel.type === ChannelType.GuildText)
    .sort((a, b) => a.rawPosition - b.rawPosition);
  const candidates = [...(guild.systemChannel === null ? [] : [guild.systemChannel]), ...texts];
  return candidates.find(
    (channel) => channel.id !== except && me !== null && channel.permissionsFor(me).has(needed),
  );
}
