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
  refuseRich(card: Card<string>, error: unknown): void;
  /** Calls `send`. If the server turns out to be too old for times in readers' own zones, calls it again without these. */
  retryWithoutTimes<Result>(send: () => Promise<Result>): Promise<Result>;
}

/** How far ahead times are marked up. Telegram accepts times of the next 1,098 days; a simulated market may be later. */
const farthestTime = 1_000 * day;

export function createRendering(wall: Pick<Clock, 'now'>): Rendering {
  let cacheByLimit = new Map<number, WeakMap<object, TelegramMessage>>();
  /** Whether the server can show times in each reader's own zone: assumed until it says that it cannot. */
  let supportsTimes = true;
  /** The same for rich messages, and for times in them. */
  let supportsRich = true;
  let supportsRichTimes = true;
  const plainCards = new WeakSet<object>();
  const timesUntil = (isSupported: boolean) => (isSupported ? wall.now() + farthestTime : undefined);

  return {
    render(card, limit) {
      const cache = cacheByLimit.getOrInsertComputed(limit, () => new WeakMap());
      return cache.getOrInsertComputed(card, () => {
        const { chart: _, ...text } = card;
        return renderTelegram(text, { limit, timesUntil: timesUntil(supportsTimes) });
      });
    },
    rich(card, { picture }) {
      if (!supportsRich || card.plain === true || card.reader?.messages !== 'rich' || plainCards.has(card))
        return undefined;
      return renderRich(card, { timesUntil: timesUntil(supportsRichTimes), picture });
    },
    refuseRich(card, error) {
      plainCards.add(card);
      if (knowsNoRich(error)) supportsRich = false;
      if (takesNoRichTimes(error)) supportsRichTimes = false;
    },
    async retryWithoutTimes(send) {
      const hadTimes = supportsTimes;
      try {
        return await send();
      } catch (error) {
        if (!hadTimes || !knowsNoTimes(error)) throw error;
        supportsTimes = false;
        cacheByLimit = new Map();
        return await send();
      }
    },
  };
}

/** Returns the buttons of a message. They are sent even if there are none: without them an edit would leave the old buttons. */
export const replyMarkup = (
  { keyboard }: Pick<TelegramMessage, 'keyboard'>,
  replacement: TelegramMessage['keyboard'] | undefined,
) => ({ reply_markup: { inline_keyboard: replacement ?? keyboard } });
