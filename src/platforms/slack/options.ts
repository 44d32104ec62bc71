import { z } from 'zod';
import { secret } from '../../runtime/secret.ts';
import { timeLimit } from '../../runtime/units.ts';
import { httpUrl, withoutEndSlash } from '../ask-http.ts';

export const options = z.strictObject({
  token: secret
    .refine(
      (token) => /^xoxb-[\w-]{10,}$/.test(token.reveal()),
      'give the "Bot User OAuth Token" of the app, which begins with xoxb-',
    )
    .describe('turns Slack on: the "Bot User OAuth Token" of an app from https://api.slack.com/apps'),
  apiUrl: httpUrl.default('https://slack.com/api').transform(withoutEndSlash).describe('address of its API'),
  timeout: timeLimit.prefault('15s').describe('for one request'),
});
export type SlackOptions = z.output<typeof options>;

/** A channel, public or private, or a conversation, by the id that Slack shows in its details. */
export const address = z.strictObject({ channelId: z.string().regex(/^[CGD][A-Z0-9]{6,20}$/) });
