import { z } from 'zod';
import type { Text } from '../../language/text.ts';
import { serverProblem } from '../server-problem.ts';
import { notAccepted, refusal, refusesToken } from './failure.ts';
import type { TelegramOptions } from './options.ts';

/** The bot of the token (Bot API, "getMe"). */
const answer = z.object({ ok: z.literal(true), result: z.object({ id: z.int(), username: z.string() }) });

/** Checks the token by reading the bot's own name, which disturbs no process that fetches the bot's updates. */
export const tokenProblem = ({ token, apiRoot, timeout }: TelegramOptions): Promise<Text | null> =>
  serverProblem(`${apiRoot}/bot${token.reveal()}/getMe`, {
    headers: {},
    timeout,
    isExpected: (status, json) => status === 200 && answer.safeParse(json).success,
    isUnauthorized(_, json) {
      const { data } = refusal.safeParse(json);
      return data !== undefined && refusesToken(data);
    },
    unauthorizedProblem: notAccepted,
    remedy: 'is TELEGRAM_API_URL right? If it is, try again later',
  });
