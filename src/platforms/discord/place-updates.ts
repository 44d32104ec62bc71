import {
  type Channel,
  type Client,
  Events,
  GatewayDispatchEvents,
  type GatewayThreadUpdateDispatchData,
  type Guild,
} from 'discord.js';
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

/** Ends or resumes places with the events about channels, threads, and the bot's permissions. */
export function followPlaces(
  to: Client,
  {
    updates,
    inBackground,
  }: {
    readonly updates: ReturnType<typeof createPlaceUpdates>;
    readonly inBackground: (what: string, work: () => Promise<unknown>) => void;
  },
): void {
  const resumeAllowed = (field: string, place: { readonly id: string; readonly guild: Guild }): void =>
    inBackground('resuming a channel', () => updates.resumeAllowed(field, place));
  const endPlaces = (field: string, { id }: Pick<Channel, 'id'>): void =>
    inBackground('removing a channel', () => updates.endPlaces(field, id));
  to.on(Events.ChannelUpdate, (_, channel) => {
    if (!channel.isDMBased()) resumeAllowed('channelId', channel);
  });
  // The client's own event leaves out threads that are not in its cache, such as one archived before the start.
  to.ws.on(
    GatewayDispatchEvents.ThreadUpdate,
    ({
      id,
      guild_id: guildId,
      parent_id: parent,
      thread_metadata: state,
    }: GatewayThreadUpdateDispatchData) => {
      const guild = to.guilds.cache.get(guildId ?? '');
      if (guild === undefined) return;
      resumeAllowed('threadId', { id, guild });
      // There is room for one more active thread.
      if (parent && state?.archived) resumeAllowed('channelId', { id: parent, guild });
    },
  );
  to.on(Events.GuildRoleUpdate, (_, { guild }) => resumeAllowed('guildId', { id: guild.id, guild }));
  to.on(Events.GuildMemberUpdate, (_, { id, guild }) => {
    if (id === to.user?.id) resumeAllowed('guildId', { id: guild.id, guild });
  });
  to.on(Events.ChannelDelete, (channel) => endPlaces('channelId', channel));
  to.on(Events.ThreadDelete, (thread) => endPlaces('threadId', thread));
}
