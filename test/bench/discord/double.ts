/** The double of Discord in its own process, so that it takes no processor time from what is measured. */

import { startDiscord } from '#test/support/discord/discord.ts';
import { limited } from '#test/support/discord/faults.ts';
import { noLimits, realLimits } from '#test/support/discord/limits.ts';
import { interaction } from '#test/support/discord/platform.ts';

export interface Stage {
  readonly channels: number;
  readonly limited: boolean;
}

export interface Opened {
  readonly url: string;
  readonly token: string;
  readonly guildId: string;
  readonly channelIds: readonly string[];
}

export interface Counted {
  readonly messages: number;
  /** Requests by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Wall ms of the last message in each channel, by the double's clock, in the order of `channelIds`. */
  readonly last: readonly number[];
  /** Titles in the order of arrival, of channels with more than one. */
  readonly titles: readonly (readonly string[])[];
  /** Every message, with its title and wall ms. */
  readonly posts: readonly { readonly title: string; readonly at: number }[];
}

export type Order =
  | { readonly count: true }
  /** Responds to the first post into each of the channels with 429, retry_after 5. */
  | { readonly hold: readonly string[] }
  | { readonly ask: string }
  /** Lets one person ask in each of the channels; nobody waits for the answers. */
  | { readonly insist: string };

const stage = JSON.parse(process.argv[2] ?? '') as Stage;
const discord = await startDiscord({ limits: stage.limited ? realLimits : noLimits });
const { guild } = discord.addGuild();
const channels = Array.from({ length: stage.channels }, () => discord.addChannel({ guild_id: guild.id }));
const tell = (message: unknown) => process.send?.(message);

const asked = (name: string) => ({ id: '1', name, type: 1, options: [] });

process.on('message', async (order: Order) => {
  if ('hold' in order) {
    const held = new Set(order.hold);
    const only = ({ path }: { path: string }) => held.delete(path.split('/')[2] ?? '');
    return discord.inject({ answer: limited(5), only, times: order.hold.length });
  }
  if ('ask' in order) {
    const { after } = await discord.interact(
      interaction(2, asked(order.ask), { channelId: channels[0]?.id ?? '', guildId: guild.id }),
    );
    return tell({ after });
  }
  if ('insist' in order) {
    for (const [index, { id }] of channels.entries()) {
      const userId = String(800_000_000_000_000_000n + BigInt(index));
      void discord
        .interact(interaction(2, asked(order.insist), { channelId: id, guildId: guild.id, userId }))
        .catch(() => {});
    }
    return;
  }
  const statuses: Record<string, number> = {};
  for (const { status } of discord.requests) statuses[status] = (statuses[status] ?? 0) + 1;
  return tell({
    messages: channels.reduce((sum, { messages }) => sum + messages.length, 0),
    statuses,
    last: channels.map(({ messages }) => Date.parse(messages.at(-1)?.timestamp ?? '')),
    titles: channels
      .filter(({ messages }) => messages.length > 1)
      .map(({ messages }) => messages.map(({ embeds }) => String(embeds[0]?.title))),
    posts: channels.flatMap(({ messages }) =>
      messages.map(({ embeds, timestamp }) => ({
        title: String(embeds[0]?.title),
        at: Date.parse(timestamp),
      })),
    ),
  } satisfies Counted);
});
process.on('disconnect', () => process.exit());
tell({
  url: discord.url,
  token: discord.token,
  guildId: guild.id,
  channelIds: channels.map(({ id }) => id),
} satisfies Opened);
