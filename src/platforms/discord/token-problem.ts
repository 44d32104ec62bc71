import { z } from 'zod';
import type { Text } from '../../language/text.ts';
import { serverProblem } from '../server-problem.ts';
import type { DiscordOptions } from './options.ts';
import { snowflake } from './post-body.ts';
import { notAccepted, tokenHeaders } from './rest.ts';

/** The user of the token (Discord API docs, "Get Current User"). */
const user = z.object({ id: snowflake });

/** Checks the token by reading its user, for which a bot needs no permission. */
export const tokenProblem = ({ token, apiUrl, timeout }: DiscordOptions): Promise<Text | null> =>
  serverProblem(`${apiUrl}/v10/users/@me`, {
    headers: tokenHeaders(token),
    timeout,
    isExpected: (status, json) => status === 200 && user.safeParse(json).success,
    // A 403 does not concern the token: the proxy in front of Discord sends it to addresses that it blocks.
    isUnauthorized: (status) => status === 401,
    unauthorizedProblem: notAccepted,
    remedy: 'is DISCORD_API_URL right? If it is, try again later',
  });
