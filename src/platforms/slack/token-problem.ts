import { DeliveryError } from '../../language/errors.ts';
import type { Text } from '../../language/text.ts';
import { createSlackApi } from './api.ts';
import { lacksScope } from './failure.ts';
import type { SlackOptions } from './options.ts';

/** Checks the token with auth.test, which posts nothing. Returns what is wrong and the remedy; null if nothing is. */
export async function tokenProblem(options: SlackOptions, now: () => number): Promise<Text | null> {
  const api = createSlackApi(options, {
    wall: { now },
    steady: { now },
    reportTokenRefused: () => {},
    reportTokenAccepted: () => {},
  });
  try {
    const answer = await api.ask({
      method: 'auth.test',
      body: {},
      signal: AbortSignal.timeout(options.timeout),
    });
    if (!answer.ok) return answer.refusal.reason;
    const { scopes = [] } = answer;
    const lacks =
      scopes.length > 0 && !['chat:write', 'channels:history'].every((scope) => scopes.includes(scope));
    return lacks ? lacksScope : null;
  } catch (error) {
    if (error instanceof DeliveryError) return error.text;
    throw error;
  } finally {
    await api.close();
  }
}
