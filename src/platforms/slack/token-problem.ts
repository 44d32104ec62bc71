import { DeliveryError } from '../../language/errors.ts';
import { plainReader, say } from '../../language/say.ts';
import { createSlackApi } from './api.ts';
import { lacksScope } from './failure.ts';
import type { SlackOptions } from './options.ts';

/** Checks the token with auth.test, which posts nothing. Returns what is wrong and the remedy; null if nothing is. */
export async function tokenProblem(options: SlackOptions, now: () => number): Promise<string | null> {
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
    if (!answer.ok) return say(answer.refusal.reason, plainReader);
    const { scopes = [] } = answer;
    const lacks =
      scopes.length > 0 && !['chat:write', 'channels:history'].every((scope) => scopes.includes(scope));
    return lacks ? say(lacksScope, plainReader) : null;
  } catch (error) {
    if (error instanceof DeliveryError) return error.message;
    throw error;
  } finally {
    await api.close();
  }
}
