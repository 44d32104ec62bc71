import type { Guild } from 'discord.js';
import { msg } from '../../language/text.ts';
import type { Ports } from '../ports.ts';
import { mayPostTo } from './may-post.ts';

/** Ends or resumes what places have when Discord reports that their channel, or the bot's permissions there, changed. */
export const createPlaceUpdates = (places: Ports['places']) => ({
  async endPlaces(field: string, id: string): Promise<void> {
    for (const receiver of await places.find({ notifier: 'discord', field, value: id }))
      await places.end(receiver, msg('Discord: the channel no longer exists'));
  },

  /** Resumes the channel or thread where, according to an interaction, the bot may post; of a channel, not its threads. */
  async resumeChannel(id: string): Promise<void> {
    for (const field of ['channelId', 'threadId']) {
      const resting = await places.suspended({ notifier: 'discord', field, value: id });
      await places.wake(
        resting.filter(({ address: { channelId, threadId = channelId } }) => threadId === id),
      );
    }
  },

  /** Resumes the places on hold where the bot may post again. Called when permissions may have changed. */
  async resumeAllowed(
    field: string,
    { id, guild }: { readonly id: string; readonly guild: Guild },
  ): Promise<void> {
    const resting = await places.suspended({ notifier: 'discord', field, value: id });
    await places.wake(resting.filter(({ address }) => mayPostTo(address, guild)));
  },
});
