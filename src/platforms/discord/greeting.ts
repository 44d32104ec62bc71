import { ChannelType, type Guild, type SendableChannels } from 'discord.js';
import type { Card } from '../../card/card.ts';
import { lines, msg, type Text } from '../../language/text.ts';
import { mayPost } from './may-post.ts';

/** The message posted when the bot joins a guild (a Discord server): the three things to do first. */
export const welcomeCard: Card = {
  title: msg('Tocsin is here'),
  summary: lines(
    msg('It watches the crypto-derivatives market and tells you when it turns. Three things to do first:'),
    msg(
      '1. In the channel that should get alerts, use /subscribe: alone it means the standard ones, about three a day. It takes kinds, markets, a severity and quiet hours.',
    ),
    msg('2. Ask something: /market, or /coin with any market.'),
    msg('3. When it is too much, /silence; when you wonder, /why. /help explains everything.'),
    msg('Settings are for members who may manage the server. /settings chooses the language.'),
  ),
  actions: [
    { label: msg('Get the standard alerts here'), command: 'subscribe', weight: 'main' },
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

/** Returns a channel, other than `except`, where the bot may post: the system channel, else the first text channel. */
export function openChannel(guild: Guild, except?: string): SendableChannels | undefined {
  const { me } = guild.members;
  const texts = [...guild.channels.cache.values()]
    .filter((channel) => channel.type === ChannelType.GuildText)
    .sort((a, b) => a.rawPosition - b.rawPosition);
  const candidates = [...(guild.systemChannel === null ? [] : [guild.systemChannel]), ...texts];
  return candidates.find(
    (channel) => channel.id !== except && me !== null && mayPost(channel.permissionsFor(me)),
  );
}
