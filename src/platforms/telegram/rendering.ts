import type { Card } from '../../card/card.ts';
import type { Clock } from '../../runtime/clock.ts';
import { day } from '../../runtime/units.ts';
import { knowsNoTimes } from './failure.ts';
import { type maxCaption, type maxText, renderTelegram, type TelegramMessage } from './render.ts';

/** Cards as this Bot API server understands them, each rendered once. */
export interface Rendering {
  render(card: Card<string>, limit: typeof maxCaption | typeof maxText): TelegramMessage;
  /** Sends what was rendered; again, rendered as an older server has it, where it turns out to be one. */
  understood<Result>(send: () => Promise<Result>): Promise<Result>;
}

/** Telegram takes times of the next 1,098 days; a simulated market may be further than that. */
const farthestTime = 1_000 * day;

export function createRendering(wall: Pick<Clock, 'now'>): Rendering {
  let rendered = new Map<number, WeakMap<object, TelegramMessage>>();
  /** Whether the server knows times that each reader sees in a zone of their own: until it says that it does not. */
  let times = true;

  return {
    render(card, limit) {
      const of = rendered.get(limit) ?? new WeakMap<object, TelegramMessage>();
      rendered.set(limit, of);
      const known = of.get(card);
      if (known !== undefined) return known;
      const { chart: _, ...said } = card;
      const timesUntil = times ? wall.now() + farthestTime : undefined;
      const made = renderTelegram(said, { limit, timesUntil });
      of.set(card, made);
      return made;
    },
    async understood(send) {
      const tried = times;
      try {
        return await send();
      } catch (error) {
        if (!tried || !knowsNoTimes(error)) throw error;
        times = false;
        rendered = new Map();
        return await send();
      }
    },
  };
}
