import { z } from 'zod';
import type { Text } from '../../language/text.ts';
import { serverProblem } from '../server-problem.ts';
import { authorizationHeader, notAccepted, remedies } from './notifier.ts';
import type { NtfyOptions } from './options.ts';

/** The account of the token; without a token, the anonymous one (github.com/binwiederhier/ntfy, handleAccountGet). */
const account = z.object({ username: z.string(), role: z.string() });

/**
 * Checks the token by reading its account. Whether it may write to a topic is only known after something is posted
 * there.
 */
export const tokenProblem = (options: NtfyOptions): Promise<Text | null> =>
  serverProblem(`${options.url.replace(/\/+$/, '')}/v1/account`, {
    headers: authorizationHeader(options),
    timeout: options.timeout,
    isExpected: (status, json) => status === 200 && account.safeParse(json).success,
    unauthorizedProblem: notAccepted(new URL(options.url).host),
    remedy: remedies.rejected,
  });
