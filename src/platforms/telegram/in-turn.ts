import type { Context, MiddlewareFn } from 'telegraf';
import { createTurns } from '../../runtime/turns.ts';

/** Maximum number of messages and presses that one person may have waiting in one chat: more would be answered too late. */
const maxWaiting = 5;

/**
 * Returns middleware that handles the updates of each chat in order; no chat waits for another. If a person asks faster than
 * the chat accepts answers, further requests of that person are ignored, so that nobody else has to wait for them.
 */
export function inTurn(): MiddlewareFn<Context> {
  const runInTurn = createTurns<number>();
  const waitingByPerson = new Map<string, number>();
  return async (ctx, next) => {
    // Inline queries belong to no chat and have a pace of their own.
    if (ctx.inlineQuery !== undefined) return next();
    const key = ctx.chat?.id ?? 0;
    const hasFile = ctx.message !== undefined && 'document' in ctx.message;
    const isRequest = ctx.updateType === 'callback_query' || ctx.text !== undefined || hasFile;
    const person = `${key}/${ctx.from?.id}`;
    const alreadyWaiting = waitingByPerson.get(person) ?? 0;
    if (isRequest && alreadyWaiting >= maxWaiting) return;
    waitingByPerson.set(person, alreadyWaiting + 1);
    try {
      await runInTurn(key, next);
    } finally {
      const stillWaiting = (waitingByPerson.get(person) ?? 1) - 1;
      if (stillWaiting > 0) waitingByPerson.set(person, stillWaiting);
      else waitingByPerson.delete(person);
    }
  };
}
