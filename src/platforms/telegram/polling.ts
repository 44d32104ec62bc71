import type { Logger } from 'pino';
import { type Telegraf, TelegramError } from 'telegraf';
import type { WallClock } from '../../runtime/clock.ts';
import { minute, second } from '../../runtime/units.ts';
import type { Intake } from './intake.ts';
import { allowedUpdates } from './updates.ts';

/** Seconds Telegram holds a request open while there is nothing; 50 at most. */
const longPoll = 50;
const firstPause = second;
const longestPause = minute;

export interface PollingOptions {
  readonly bot: Telegraf;
  readonly intake: Intake;
  readonly wall: WallClock;
  readonly stopping: AbortSignal;
  /** Told when Telegram does not accept the token. */
  readonly onRefused: () => void;
  readonly log: Logger;
}

/** Fetches updates until stopped. Its offset is what the intake has kept, so that none is lost or comes twice. */
export async function poll({ bot, intake, wall, stopping, onRefused, log }: PollingOptions): Promise<void> {
  let pause = firstPause;
  let told = '';
  while (!stopping.aborted) {
    try {
      const updates = await bot.telegram.callApi(
        'getUpdates',
        { offset: intake.next(), timeout: longPoll, allowed_updates: allowedUpdates },
        // Its types know only the shim that it came with; the fetch behind it takes any.
        { signal: AbortSignal.any([stopping, AbortSignal.timeout((longPoll + 15) * second)]) as never },
      );
      await intake.accept(updates);
      if (told !== '') log.info('Telegram brings updates again');
      pause = firstPause;
      told = '';
    } catch (error) {
      if (stopping.aborted) return;
      const { code, retryAfter, problem } = explain(error);
      if (code === 401 || code === 404) return onRefused();
      if (problem !== told) log.warn({ err: error }, problem);
      told = problem;
      await wall.sleep(retryAfter ?? pause, stopping).catch(() => {});
      pause = Math.min(pause * 2, longestPause);
    }
  }
}

function explain(error: unknown): { code?: number; retryAfter?: number; problem: string } {
  if (!(error instanceof TelegramError)) {
    return { problem: 'Telegram gives no updates: it cannot be reached; it is asked again' };
  }
  const { code, parameters } = error;
  const retryAfter = parameters?.retry_after;
  return {
    code,
    ...(retryAfter !== undefined && { retryAfter: retryAfter * second }),
    problem:
      code === 409
        ? 'another process fetches the updates of this TELEGRAM_TOKEN, or a webhook is set for it: commands are heard by only one; stop the other, or give each a token of its own'
        : `Telegram gives no updates: it answers ${code}; it is asked again`,
  };
}
