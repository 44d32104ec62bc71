import { z } from 'zod';
import { secret } from '../../runtime/secret.ts';
import { timeLimit } from '../../runtime/units.ts';
import { snowflake } from './post-body.ts';

const maxShards = 16_384;

/** Reads `"0-3/16"` as shards 0 to 3 of 16, and `"5/16"` as shard 5 of 16. */
const shards = z.string().transform((text, context) => {
  const [, first, last = first, of] = /^(\d{1,5})(?:-(\d{1,5}))?\/(\d{1,5})$/.exec(text.trim()) ?? [];
  const [from, to, count] = [Number(first), Number(last), Number(of)];
  if (from <= to && to < count && count <= maxShards) {
    return { ids: Array.from({ length: to - from + 1 }, (_, index) => from + index), count };
  }
  context.addIssue({
    code: 'custom',
    message: 'give shards such as "0-3/16": the first, the last, and of how many',
  });
  return z.NEVER;
});

export const options = z.strictObject({
  token: secret
    .refine(
      (token) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token.reveal()),
      'give the bot token as the developer portal shows it: three parts with dots between',
    )
    .describe('turns Discord on: a bot token from https://discord.com/developers/applications'),
  clientSecret: secret
    .optional()
    .describe(
      'members sign in on the page by Discord: the secret under OAuth2, where http.url with /sign-in/discord is to be a redirect',
    ),
  apiUrl: z
    .url({ protocol: /^https?$/ })
    .default('https://discord.com/api')
    .describe('address of its API'),
  timeout: timeLimit.prefault('15s').describe('for one request'),
  threads: z
    .boolean()
    .default(true)
    .describe('the rest of a long post goes into a thread; false: into the channel, right below it'),
  publish: z
    .boolean()
    .default(true)
    .describe('alerts in announcement channels are published to the channels that follow them'),
  shards: shards
    .optional()
    .describe('with several processes: the shards of this one, and how many there are, such as 0-3/16'),
  presence: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('a question whose answer is the bot’s activity, such as ticker btc eth'),
  developmentGuild: z
    .string()
    .regex(/^\d{5,20}$/, 'give the id of a guild')
    .optional()
    .describe('for development: commands are registered in this guild only, where changes show at once'),
});
export type DiscordOptions = z.output<typeof options>;

export const address = z.strictObject({
  channelId: snowflake,
  guildId: snowflake.optional(),
  /** A thread of the channel, or a post of the forum. */
  threadId: snowflake.optional(),
});
