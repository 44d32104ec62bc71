import type { Card } from '../../card/card.ts';
import type { Aside } from './aside.ts';
import type { BotApi } from './bot-api.ts';
import type { InlineButton } from './content.ts';
import { isMissing, isRejected, isUnchanged } from './failure.ts';
import { message, type Reference, referenceOf } from './reference.ts';
import { pictureId } from './render-rich.ts';
import { type Rendering, replyMarkup } from './rendering.ts';
import type { createUploads } from './uploads.ts';

export interface RichSending {
  readonly method: 'sendRichMessage' | 'editMessageText';
  /** Where it goes, or which message it becomes. */
  readonly payload: object;
  readonly keyboard: readonly (readonly InlineButton[])[] | undefined;
  readonly aside?: Aside | undefined;
  readonly signal: AbortSignal;
}

/**
 * Sends cards as rich messages, each with its picture in it, and gives undefined where a card is to be a plain one: its
 * chat has not chosen otherwise, a file comes with it, one person alone is shown it (which servers older than 10.3 would
 * show to all), or the server has not taken it so. An edit may make a rich message of a text and a text of a rich
 * message (td, edit_message_text), so that nobody has to remember what a message was posted as.
 */
export function createRich({
  api,
  rendering: { rich, refused },
  pictureOf,
  upload,
  log,
}: {
  readonly api: Pick<BotApi, 'call'>;
  readonly rendering: Pick<Rendering, 'rich' | 'refused'>;
  readonly pictureOf: (card: Card<string>) => Promise<Uint8Array | undefined>;
  readonly upload: ReturnType<typeof createUploads>;
  readonly log: { warn(context: object, message: string): void };
}) {
  return async (
    card: Card<string>,
    { method, payload, keyboard, aside, signal }: RichSending,
  ): Promise<Reference | undefined> => {
    if (aside !== undefined || card.file !== undefined) return undefined;
    // Before the picture, which is not drawn for nothing.
    if (rich(card, { picture: false }) === undefined) return undefined;
    const picture = await pictureOf(card);
    const said = rich(card, { picture: picture !== undefined });
    if (said === undefined) return undefined;
    const whole = (media: object) => ({
      ...payload,
      rich_message: { html: said.html, ...media },
      ...replyMarkup(said, keyboard),
    });
    try {
      if (picture === undefined) {
        return referenceOf(await api.call(method, { payload: whole({}), result: message, signal }));
      }
      return await upload(picture, {
        method,
        signal,
        payload: (media) => whole({ media: [{ id: pictureId, media: { type: 'photo', media } }] }),
      });
    } catch (error) {
      // An edit that is done already, or can be none, is so as a plain one too.
      if (!isRejected(error) || isUnchanged(error) || isMissing(error)) throw error;
      refused(card, error);
      log.warn({ err: error }, 'Telegram has not taken a rich message; it is sent as a plain one');
      return undefined;
    }
  };
}
