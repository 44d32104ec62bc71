import type { Guild } from 'discord.js';
import type { Card } from '../../card/card.ts';
import type { Loss } from '../ports.ts';
import { lossCard, openChannel } from './greeting.ts';

/** A card, and the guild in whose language it is said. */
export interface Notice {
  readonly card: Card;
  readonly guild: Guild;
}

interface ChannelLoss extends Pick<Loss, 'reason' | 'forGood'> {
  readonly channelId: string;
}

/** Tells someone of a guild that one of its channels is lost: in another channel, or else its owner. */
export function createLossNotices(post: (channel: { readonly id: string }, notice: Notice) => Promise<void>) {
  /** Channels a notice is on its way to. */
  const noticing = new Set<string>();
  return async (guild: Guild, { channelId, reason, forGood }: ChannelLoss): Promise<void> => {
    // The notice itself may be refused: nobody is told of that in turn.
    if (noticing.has(channelId)) return;
    const card = lossCard(`#${guild.channels.cache.get(channelId)?.name ?? channelId}`, { reason, forGood });
    const { id } = openChannel(guild, channelId) ?? (await guild.client.users.createDM(guild.ownerId));
    noticing.add(id);
    await post({ id }, { card, guild }).finally(() => noticing.delete(id));
  };
}
