import type { Context, MiddlewareFn } from 'telegraf';

/** What one person may have waiting in one chat: more would only be answered when nobody waits for it any more. */
const mostWaiting = 5;

/**
 * What is said in one chat is answered in its order; one chat never waits for another. Who asks faster than a chat
 * takes answers is not heard while that lasts, so that neither the others of the chat nor other chats wait for it.
 */
export function inTurn(): MiddlewareFn<Context> {
  const last = new Map<number, Promise<unknown>>();
  const waiting = new Map<string, number>();
  return async (ctx, next) => {
    // Said in no chat, and at a pace of their own.
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
