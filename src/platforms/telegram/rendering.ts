import type { Card } from '../../card/card.ts';
import type { Clock } from '../../runtime/clock.ts';
import { day } from '../../runtime/units.ts';
import { knowsNoRich, knowsNoTimes, takesNoRichTimes } from './failure.ts';
import { type maxCaption, type maxText, renderTelegram, type TelegramMessage } from './render.ts';
import { renderRich } from './render-rich.ts';

/** Cards as this Bot API server understands them, each rendered once. */
export interface Rendering {
  render(card: Card<string>, limit: typeof maxCaption | typeof maxText): TelegramMessage;
  /** As a rich message, where its chat has chosen those and nothing is known to be against it. */
  rich(card: Card<string>, given: { readonly picture: boolean }): TelegramMessage | undefined;
  /** The server has not taken this card as a rich message: it is a plain one from now on, and so are all where it knows none. */
  refused(card: Card<string>, error: unknown): void;
  /** Sends what was rendered; again, rendered as an older server has it, where it turns out to be one. */
  understood<Result>(send: () => Promise<Result>): Promise<Result>;
}

/** Telegram takes times of the next 1,098 days; a simulated market may be further than that. */
const farthestTime = 1_000 * day;

export function createRendering(wall: Pick<Clock, 'now'>): Rendering {
  let rendered = new Map<number, WeakMap<object, TelegramMessage>>();
  /** Whether the server knows times that each reader sees in a zone of their own: until it says that it does not. */
  let times = true;
  /** Likewise rich messages, and times in them. */
  let rich = true;
  let richTimes = true;
  const plain = new WeakSet<object>();
  const until = (known: boolean) => (known ? wall.now() + farthestTime : undefined);

  return {
    render(card, limit) {
      const of = rendered.get(limit) ?? new WeakMap<object, TelegramMessage>();
      rendered.set(limit, of);
      const known = of.get(card);
      if (known !== undefined) return known;
      const { chart: _, ...said } = card;
      const made = renderTelegram(said, { limit, timesUntil: until(times) });
      of.set(card, made);
      return made;
    },
    rich(card, { picture }) {
      if (!rich || card.plain === true || card.reader?.messages !== 'rich' || plain.has(card))
        return undefined;
      return renderRich(card, { timesUntil: until(richTimes), picture });
    },
    refused(card, error) {
      plain.add(card);
      if (knowsNoRich(error)) rich = false;
      if (takesNoRichTimes(error)) richTimes = false;
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

/** Always given: without it an edit would leave the old buttons. */
export const replyMarkup = (
  { keyboard }: Pick<TelegramMessage, 'keyboard'>,
  instead: TelegramMessage['keyboard'] | undefined,
) => ({ reply_markup: { inline_keyboard: instead ?? keyboard } });
