import type { Card } from '../../card/card.ts';
import type { Clock } from '../../runtime/clock.ts';
import { day } from '../../runtime/units.ts';
import { knowsNoRich, knowsNoTimes, takesNoRichTimes } from './failure.ts';
import { type maxCaption, type maxText, renderTelegram, type TelegramMessage } from './render.ts';
import { renderRich } from './render-rich.ts';

/** Renders cards as the Bot API server in use understands them. Plain renderings are cached. */
export interface Rendering {
  render(card: Card<string>, limit: typeof maxCaption | typeof maxText): TelegramMessage;
  /** Renders a card as a rich message; undefined if the chat has not chosen these or the card must be sent as a plain one. */
  rich(card: Card<string>, given: { readonly picture: boolean }): TelegramMessage | undefined;
  /**
   * Records that the server refused the card as a rich message. The card is plain from now on; all cards are, if the server
   * does not know rich messages.
   */
  refused(card: Card<string>, error: unknown): void;
  /** Calls `send`. If the server turns out to be too old for times in readers' own zones, calls it again without these. */
  understood<Result>(send: () => Promise<Result>): Promise<Result>;
}

/** How far ahead times are marked up. Telegram accepts times of the next 1,098 days; a simulated market may be later. */
const farthestTime = 1_000 * day;

export function createRendering(wall: Pick<Clock, 'now'>): Rendering {
  let rendered = new Map<number, WeakMap<object, TelegramMessage>>();
  /** Whether the server can show times in each reader's own zone: assumed until it says that it cannot. */
  let times = true;
  /** The same for rich messages, and for times in them. */
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

/** Returns the buttons of a message. They are sent even if there are none: without them an edit would leave the old buttons. */
export const replyMarkup = (
  { keyboard }: Pick<TelegramMessage, 'keyboard'>,
  instead: TelegramMessage['keyboard'] | undefined,
) => ({ reply_markup: { inline_keyboard: instead ?? keyboard } });
