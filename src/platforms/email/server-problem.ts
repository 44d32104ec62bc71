import type { Text } from '../../language/text.ts';
import { toError } from './failure.ts';
import { transportOf } from './notifier.ts';
import type { EmailOptions } from './options.ts';

/**
 * Logs in to the server and disconnects. Returns what is wrong with the server or the password, and the remedy; null if
 * nothing is.
 */
export async function serverProblem(options: EmailOptions): Promise<Text | null> {
  const transport = await transportOf(options);
  try {
    await transport.verify();
    return null;
  } catch (error) {
    return toError(error, { host: options.host, isEnded: false }).text;
  } finally {
    transport.close();
  }
}
