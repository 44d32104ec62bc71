import type { Guild } from 'discord.js';
import type { Card } from '../../card/card.ts';
import type { Text } from '../../language/text.ts';
import { lossCard, openChannel } from './greeting.ts';

/** Tells someone of a guild that one of its channels is lost: in another channel, or else its owner. */
export function createLossNotices(
  post: (channel: { readonly id: string }, card: Card, guild: Guild) => Promise<void>,
) {
  /** Channels a notice is on its way to. */
  const noticing = new Set<string>();
  return async (guild: Guild, channelId: string, reason: Text, forGood: boolean): Promise<void> => {
    // The notice itself may be refused: nobody is told of that in turn.
    if (noticing.has(channelId)) return;
    const card = lossCard(`#${guild.channels.cache.get(channelId)?.name ?? channelId}`, reason, forGood);
    const { id } = openChannel(guild, channelId) ?? (await guild.client.users.createDM(guild.ownerId));
    noticing.add(id);
    await post({ id }, card, guild).finally(() => noticing.delete(id));
  };
}
