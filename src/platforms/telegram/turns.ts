import type { Context, MiddlewareFn } from 'telegraf';

/** Maximum number of messages and presses that one person may have waiting in one chat: more would be answered too late. */
const mostWaiting = 5;

/**
 * Returns middleware that handles the updates of each chat in order; no chat waits for another. If a person asks faster than
 * the chat accepts answers, further requests of that person are ignored, so that nobody else has to wait for them.
 */
export function inTurn(): MiddlewareFn<Context> {
  const last = new Map<number, Promise<unknown>>();
  const waiting = new Map<string, number>();
  return async (ctx, next) => {
    // Inline queries belong to no chat and have a pace of their own.
    if (ctx.inlineQuery !== undefined) return next();
    const key = ctx.chat?.id ?? 0;
    const sent = ctx.message !== undefined && 'document' in ctx.message;
    const asks = ctx.updateType === 'callback_query' || ctx.text !== undefined || sent;
    const who = `${key}/${ctx.from?.id}`;
    const before = waiting.get(who) ?? 0;
    if (asks && before >= mostWaiting) return;
    waiting.set(who, before + 1);
    const turn = (last.get(key) ?? Promise.resolve()).catch(() => {}).then(next);
    last.set(key, turn);
    try {
      await turn;
    } finally {
      if (last.get(key) === turn) last.delete(key);
      const left = (waiting.get(who) ?? 1) - 1;
      if (left > 0) waiting.set(who, left);
      else waiting.delete(who);
    }
  };
}
