import type { Guild } from 'discord.js';
import type { Card } from '../../card/card.ts';
import type { Loss } from '../ports.ts';
import { lossCard, openChannel } from './greeting.ts';

/** A card, and the guild whose language it is written in. */
export interface Notice {
  readonly card: Card;
  readonly guild: Guild;
  /** Identifies the post, if there may be several attempts at it. */
  readonly id?: string;
}

interface ChannelLoss extends Pick<Loss, 'reason' | 'forGood'> {
  readonly channelId: string;
}

/** Creates a function that reports a lost channel: in another channel of its guild, or else to the guild's owner. */
export function createLossNotices(post: (channel: { readonly id: string }, notice: Notice) => Promise<void>) {
  /** Channels to which a notice is being posted. */
  const noticing = new Set<string>();
  return async (guild: Guild, { channelId, reason, forGood }: ChannelLoss): Promise<void> => {
    // The notice itself may be refused. That must not cause another notice.
    if (noticing.has(channelId)) return;
    const card = lossCard(`#${guild.channels.cache.get(channelId)?.name ?? channelId}`, { reason, forGood });
    const { id } =
      openChannel(guild, new Set([channelId])) ?? (await guild.client.users.createDM(guild.ownerId));
    noticing.add(id);
    await post({ id }, { card, guild }).finally(() => noticing.delete(id));
  };
}
