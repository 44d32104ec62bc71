import type { Context, MiddlewareFn } from 'telegraf';

/** What is said in one chat is answered in its order; one chat never waits for another. */
export function inTurn(): MiddlewareFn<Context> {
  const last = new Map<number, Promise<unknown>>();
  return async (ctx, next) => {
    const key = ctx.chat?.id ?? ctx.from?.id ?? 0;
    const turn = (last.get(key) ?? Promise.resolve()).catch(() => {}).then(next);
    last.set(key, turn);
    try {
      await turn;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
}
