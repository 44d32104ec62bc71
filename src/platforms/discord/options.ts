import { z } from 'zod';
import { secret } from '../../runtime/secret.ts';
import { timeLimit } from '../../runtime/units.ts';
import { snowflake } from './post-body.ts';
import { shards } from './shards.ts';

export const options = z.strictObject({
  token: secret.refine(
    (token) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token.reveal()),
    'give the bot token as the developer portal shows it: three parts with dots between',
  ),
  apiUrl: z.url({ protocol: /^https?$/ }).default('https://discord.com/api'),
  /** Timeout of one request. */
  timeout: timeLimit.prefault('15s'),
  /** Whether text that does not fit into a post goes into a thread under the post, instead of into messages below it. */
  threads: z.boolean().default(true),
  /** Whether alerts in announcement channels are published to the channels that follow them. */
  publish: z.boolean().default(true),
  /** The shards that this process runs. Absent: all shards, as many as Discord recommends. */
  shards: shards.optional(),
  /** For development: commands are registered in this guild only, where a change shows at once. */
  developmentGuild: z
    .string()
    .regex(/^\d{5,20}$/, 'give the id of a guild')
    .optional(),
});
export type DiscordOptions = z.output<typeof options>;

export const address = z.strictObject({
  channelId: snowflake,
  guildId: snowflake.optional(),
  /** A thread of the channel, or a post of the forum. */
  threadId: snowflake.optional(),
});
