import type { Card } from '../../card/card.ts';
import type { NotifierPorts } from '../ports.ts';
import type { BotApi } from './bot-api.ts';
import type { InlineButton } from './content.ts';
import type { EphemeralTarget } from './ephemeral-sender.ts';
import { isMissing, isRejected, isUnchanged, takesNoMedia } from './failure.ts';
import { message, type Reference, referenceOf } from './reference.ts';
import { type Rendering, replyMarkup } from './render-for-server.ts';
import { pictureId } from './render-rich.ts';
import type { createUploads } from './uploads.ts';

interface RichSending {
  readonly method: 'sendRichMessage' | 'editMessageText';
  /** The place to send to, or the message to edit. */
  readonly payload: object;
  readonly keyboard: readonly (readonly InlineButton[])[] | undefined;
  readonly ephemeralFor?: EphemeralTarget | undefined;
  readonly signal: AbortSignal;
}

/**
 * Creates a function that sends a card as a rich message, with its picture in it, and returns the message's reference. It
 * returns undefined if the card must be sent as a plain message: the chat has not chosen rich messages, the card has a file,
 * only one person is to see it (servers older than 10.3 would show it to everyone), or the server has refused the rich
 * message. An edit may turn a text into a rich message and the other way round (td, edit_message_text), so it need not be
 * remembered which of the two a message is.
 */
export function createRich({
  api,
  rendering: { rich, refuseRich },
  pictureOf,
  upload,
  log,
}: {
  readonly api: Pick<BotApi, 'call'>;
  readonly rendering: Pick<Rendering, 'rich' | 'refuseRich'>;
  readonly pictureOf: (card: Card<string>) => Promise<Uint8Array | undefined>;
  readonly upload: ReturnType<typeof createUploads>;
  readonly log: NotifierPorts['log'];
}) {
  return async (
    card: Card<string>,
    { method, payload, keyboard, ephemeralFor, signal }: RichSending,
  ): Promise<Reference | undefined> => {
    if (ephemeralFor !== undefined || card.file !== undefined) return undefined;
    // This is checked before the picture is drawn, so that no picture is drawn for nothing.
    if (rich(card, { picture: false }) === undefined) return undefined;
    const picture = await pictureOf(card);
    const rendered = rich(card, { picture: picture !== undefined });
    if (rendered === undefined) return undefined;
    const payloadWith = (media: object) => ({
      ...payload,
      rich_message: { html: rendered.html, ...media },
      ...replyMarkup(rendered, keyboard),
    });
    try {
      if (picture === undefined) {
        return referenceOf(await api.call(method, { payload: payloadWith({}), result: message, signal }));
      }
      return await upload(picture, {
        method,
        signal,
        payload: (media) => payloadWith({ media: [{ id: pictureId, media: { type: 'photo', media } }] }),
      });
    } catch (error) {
      // If the edit changes nothing or its message is missing, a plain edit would be refused for the same reason.
      if (!isRejected(error) || isUnchanged(error) || isMissing(error)) throw error;
      // That this chat takes no photos says nothing about the card, which others get too.
      if (!takesNoMedia(error)) refuseRich(card, error);
      log.warn({ err: error }, 'Telegram has not taken a rich message; it is sent as a plain one');
      return undefined;
    }
  };
}
