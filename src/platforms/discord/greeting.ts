import {
  ChannelType,
  type Guild,
  PermissionFlagsBits,
  type SendableChannels,
  SystemChannelFlagsBitField,
  type TextChannel,
} from 'discord.js';
import type { Card } from '../../card/card.ts';
import { lines, msg, type Text, typed } from '../../language/text.ts';
import { mayPost } from './may-post.ts';

/**
 * The message posted once in each guild (a Discord server) that the bot is in: the three things to do first. Where it is
 * posted says nothing about where alerts should go, so that is asked.
 */
export const welcomeCard: Card = {
  title: msg('Tocsin is here'),
  summary: lines(
    msg('It watches the crypto-derivatives market and tells you when it turns. Three things to do first:'),
    msg(
      '1. {setup} leads through it: which channel, how many alerts a day, which role, a sample. {subscribe} takes kinds and markets.',
      { setup: typed('setup'), subscribe: typed('subscribe') },
    ),
    msg('2. Ask something: {market}, or {coin} with any market.', {
      market: typed('market'),
      coin: typed('coin'),
    }),
    msg('3. When it is too much, {silence}; when you wonder, {why}. {help} explains everything.', {
      silence: typed('silence'),
      why: typed('why'),
      help: typed('help'),
    }),
    msg('Settings are for members who may manage the server. {settings} chooses the language.', {
      settings: typed('settings'),
    }),
  ),
  actions: [
    { label: msg('Set up alerts'), command: 'setup', weight: 'main' },
    { label: msg('The market now'), command: 'market' },
    { label: msg('All commands'), command: 'help' },
  ],
};

/** Returns the notice that the bot can no longer post in a channel. It is posted in another place. */
export const lossCard = (
  where: string,
  { reason, forGood }: { readonly reason: Text; readonly forGood: boolean },
): Card => ({
  title: forGood ? msg('Alerts of a channel have ended') : msg('Alerts of a channel are on hold'),
  summary: forGood
    ? lines(
        msg('Nothing can be posted in {where} any more, so its subscriptions ended.', { where }),
        msg('{reason}.', { reason }),
      )
    : lines(
        msg('Nothing can be posted in {where}, so its subscriptions and own alerts are on hold.', { where }),
        msg('{reason}.', { reason }),
        msg('They resume by themselves once that is fixed.'),
      ),
});

/** What servers call the channels that tell people something and are not for talk. */
const namesOfNotices = /rules|announce/i;

/**
 * Whether a channel is one for talk: not that of the rules, of announcements or of notices to moderators, none in which
 * members may only read, and no system channel that the server has closed to greetings.
 */
function isForTalk(channel: TextChannel, guild: Guild): boolean {
  const special = [guild.rulesChannelId, guild.publicUpdatesChannelId, guild.safetyAlertsChannelId];
  const isClosed =
    channel.id === guild.systemChannelId &&
    guild.systemChannelFlags.has(SystemChannelFlagsBitField.Flags.SuppressJoinNotifications);
  const ofAll = channel.permissionsFor(guild.roles.everyone);
  const isReadOnly =
    ofAll.has(PermissionFlagsBits.ViewChannel) && !ofAll.has(PermissionFlagsBits.SendMessages);
  return !special.includes(channel.id) && !isClosed && !isReadOnly && !namesOfNotices.test(channel.name);
}

/** Returns a channel for talk where the bot may post, none of `except`: the system channel, else the first text channel. */
export function openChannel(guild: Guild, except: ReadonlySet<string>): SendableChannels | undefined {
  const { me } = guild.members;
  const isSystem = ({ id }: TextChannel) => Number(id === guild.systemChannelId);
  return [...guild.channels.cache.values()]
    .filter((channel) => channel.type === ChannelType.GuildText)
    .sort((a, b) => isSystem(b) - isSystem(a) || a.rawPosition - b.rawPosition)
    .find(
      (channel) =>
        !except.has(channel.id) &&
        isForTalk(channel, guild) &&
        me !== null &&
        mayPost(channel.permissionsFor(me)),
    );
}
