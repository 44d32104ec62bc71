import { z } from 'zod';
import { DeliveryError } from '../../language/errors.ts';
import { minute, second } from '../../runtime/units.ts';
import type { Ports } from '../ports.ts';
import type { BotApi } from './bot-api.ts';
import { isConflict, isTokenRefused } from './failure.ts';
import type { Intake } from './intake.ts';
import { allowedUpdates, updateSchema } from './updates.ts';

/** Seconds for which Telegram holds a request open while there are no updates; at most 50. */
const longPoll = 50;
const firstPause = second;
const longestPause = minute;

const result = z.array(updateSchema);

/**
 * Fetches updates until stopped. The offset comes from the intake, which stores updates, so that none is lost or comes twice.
 * telegraf's own loop is not used: it loses its offset with the process, ends at a 409, and its fetch waits for the rest of
 * a response whose connection is gone.
 */
export async function poll(
  { holdsRole, wall, log }: Ports,
  {
    api,
    intake,
    stopping,
  }: { readonly api: BotApi; readonly intake: Intake; readonly stopping: AbortSignal },
): Promise<void> {
  let pause = firstPause;
  let lastProblem = '';
  while (!stopping.aborted) {
    // Telegram keeps the updates for whoever talks.
    if (!holdsRole()) {
      await wall.sleep(firstPause, stopping).catch(() => {});
      continue;
    }
    try {
      const payload = { offset: intake.next(), timeout: longPoll, allowed_updates: allowedUpdates };
      const timeout = (longPoll + 15) * second;
      await intake.accept(await api.call('getUpdates', { payload, result, signal: stopping, timeout }));
      if (lastProblem !== '') log.info('Telegram updates are back');
      pause = firstPause;
      lastProblem = '';
    } catch (error) {
      if (stopping.aborted) return;
      const problem = isConflict(error)
        ? 'another process fetches the updates of this TELEGRAM_TOKEN, or a webhook is set for it. Only one of them receives commands: stop the other, or give each its own token'
        : 'cannot fetch updates from Telegram; retrying';
      if (problem !== lastProblem && !isTokenRefused(error)) log.warn({ err: error }, problem);
      lastProblem = problem;
      await wall.sleep(retryAfter(error) ?? pause, stopping).catch(() => {});
      pause = Math.min(pause * 2, longestPause);
    }
  }
}

const retryAfter = (error: unknown): number | undefined =>
  error instanceof DeliveryError && error.outcome.kind === 'rate_limited'
    ? error.outcome.retryAfter
    : undefined;
