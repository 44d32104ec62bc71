import type { BotStatus } from '../shell/command.ts';
import { age } from './time.ts';
import { msg } from './words.ts';

/** Says why no data arrives, and for how long where the service has said it. */
export function awayText({ pause }: NonNullable<BotStatus['away']>): string {
  if (pause === undefined) return msg('Data service not answering');
  const left = age(pause.left);
  if (pause.reason === 'budget_spent') return msg('Request budget used up: next request in {left}', { left });
  return pause.reason === 'rate_limited'
    ? msg('Data service pauses for {left}: too many requests', { left })
    : msg('Data service pauses for {left}: it is not ready', { left });
}
