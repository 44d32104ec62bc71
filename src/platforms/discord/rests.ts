import type { Guild } from 'discord.js';
import { msg } from '../../language/text.ts';
import type { Ports } from '../ports.ts';
import { mayPost } from './greeting.ts';

/** What becomes of a place's subscriptions when Discord says that its channel, or the bot's rights there, changed. */
export const createRests = (places: Ports['places']) => ({
  async end(field: string, id: string): Promise<void> {
    for (const receiver of await places.find({ notifier: 'discord', field, value: id }))
      await places.end(receiver, msg('Discord: the channel no longer exists'));
  },

  /** The bot may post there, as an interaction says. */
  async wake(channelId: string): Promise<void> {
    for (const field of ['channelId', 'threadId'])
      await places.wake(await places.resting({ notifier: 'discord', field, value: channelId }));
  },

  /** A right came back, perhaps: what rests wakes where the bot may post again. */
  async look(field: string, { id, guild }: { readonly id: string; readonly guild: Guild }): Promise<void> {
    const {
      channels,
      members: { me },
    } = guild;
    const resting = await places.resting({ notifier: 'discord', field, value: id });
    const open = resting.filter(({ address }) => {
      const channel = channels.cache.get(String(address.channelId));
      return channel !== undefined && me !== null && mayPost(channel.permissionsFor(me));
    });
    await places.wake(open);
  },
});
