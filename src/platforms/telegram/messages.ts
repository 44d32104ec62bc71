import { z } from 'zod';
import type { Card } from '../../card/card.ts';
import type { NotifierPorts } from '../ports.ts';
import type { BotApi } from './bot-api.ts';
import type { InlineButton } from './content.ts';
import { createEphemeralSender, type EphemeralTarget, ephemeralParameters } from './ephemeral-sender.ts';
import { hasCaption, isRejected, takesNoMedia } from './failure.ts';
import { message, photoReference, type Reference, readReference, referenceOf } from './reference.ts';
import { maxCaption, maxText, renderTelegram } from './render.ts';
import { createRendering, type Rendering, replyMarkup } from './render-for-server.ts';
import { createRich } from './rich.ts';
import { createUploads } from './uploads.ts';

/** A chat by its id, or a topic in it. */
export interface TelegramPlace {
  readonly chatId: string;
  readonly threadId?: number | undefined;
}

export interface Posting {
  readonly silent: boolean;
  /** Id of the message to reply to. If that message no longer exists, the card is posted all the same. */
  readonly replyTo?: number | undefined;
  /** The only person who is to see the message, in a group with ephemeral messages. Such a message is never edited. */
  readonly ephemeralFor?: EphemeralTarget | undefined;
  /** Buttons in place of those for the card's own commands. */
  readonly keyboard?: readonly (readonly InlineButton[])[] | undefined;
  /** Rows of texts below the input field, each sent as it stands by whoever taps it; for a card of text alone. */
  readonly keys?: readonly (readonly string[])[] | undefined;
}

/**
 * Sends cards as messages. Each call is one attempt and throws DeliveryError. If the chat has chosen rich messages, cards are
 * sent as such where rich.ts can; a message that was posted as a photo stays a photo.
 */
export interface TelegramMessages {
  post(
    place: TelegramPlace,
    given: { readonly card: Card<string>; readonly posting: Posting; readonly signal: AbortSignal },
  ): Promise<Reference>;
  /** Edits a message. If the card has a picture, a text becomes a photo, and its reference changes. */
  rewrite(
    place: TelegramPlace,
    given: {
      readonly reference: Reference;
      readonly card: Card<string>;
      readonly keyboard: Posting['keyboard'];
      readonly signal: AbortSignal;
    },
  ): Promise<Reference>;
  /** Replies with all rows of a table to a message that had no room for all of them. Awaits `takeTurn` before each reply. */
  postOverflow(
    place: TelegramPlace,
    given: {
      readonly reference: Reference;
      readonly card: Card<string>;
      readonly takeTurn: () => Promise<unknown>;
      readonly signal: AbortSignal;
    },
  ): Promise<void>;
}

export function createMessages(
  api: BotApi,
  ports: Pick<NotifierPorts, 'image' | 'wall' | 'log'>,
): TelegramMessages {
  const rendering = createRendering(ports.wall);
  const sendEphemeral = createEphemeralSender(ports.wall);
  const messages = createAttempts(api, { ...ports, rendering });
  return {
    ...messages,
    post: (place, { posting, ...given }) =>
      rendering.retryWithoutTimes(() =>
        sendEphemeral(place.chatId, {
          target: posting.ephemeralFor,
          send: (target) => messages.post(place, { ...given, posting: { ...posting, ephemeralFor: target } }),
        }),
      ),
    rewrite: (place, given) =>
      rendering
        .retryWithoutTimes(() => messages.rewrite(place, given))
        .catch((error: unknown) => {
          // An edit whose response was lost has made a photo of the text.
          if (!hasCaption(error)) throw error;
          const reference = photoReference(readReference(given.reference).messageId);
          return messages.rewrite(place, { ...given, reference });
        }),
  };
}

const keysMarkup = (keys: NonNullable<Posting['keys']>) => ({
  keyboard: keys.map((row) => row.map((text) => ({ text }))),
  resize_keyboard: true,
  is_persistent: true,
});

/** Sends cards as the server is believed to understand them. */
function createAttempts(
  api: BotApi,
  { image, log, rendering }: Pick<NotifierPorts, 'image' | 'log'> & { readonly rendering: Rendering },
): TelegramMessages {
  const { render, rich } = rendering;
  const pictureOf = async (card: Card<string>) => (await (card.chart && image(card)))?.png;
  const upload = createUploads(api);
  const sendRich = createRich({ api, rendering, pictureOf, upload, log });

  return {
    async post(place, { card, posting: { keyboard, keys, ephemeralFor, ...posting }, signal }) {
      const to = sendParameters(place, posting);
      const sent = await sendRich(card, {
        method: 'sendRichMessage',
        payload: to,
        keyboard,
        ephemeralFor,
        signal,
      });
      if (sent !== undefined) return sent;
      const common = {
        ...to,
        parse_mode: 'HTML',
        ...(ephemeralFor !== undefined && ephemeralParameters(ephemeralFor)),
      };
      if (card.file !== undefined) {
        const fileCaption = render(card, maxCaption);
        const file = { name: card.file.name, type: 'application/json', bytes: Buffer.from(card.file.text) };
        const document = {
          ...common,
          document: 'attach://file',
          caption: fileCaption.html,
          ...replyMarkup(fileCaption, keyboard),
        };
        return referenceOf(
          await api.call('sendDocument', { payload: document, result: message, signal, file }),
        );
      }
      // The caption is rendered before the picture: if the caption would be cut, no picture is drawn.
      const caption = card.chart && render(card, maxCaption);
      const picture = caption?.cut === false ? await pictureOf(card) : undefined;
      if (picture !== undefined && caption !== undefined) {
        try {
          return await upload(picture, {
            method: 'sendPhoto',
            signal,
            payload: (photo) => ({
              ...common,
              photo,
              caption: caption.html,
              ...replyMarkup(caption, keyboard),
            }),
          });
        } catch (error) {
          // If Telegram refuses the picture, the message is sent without it.
          if (!isRejected(error)) throw error;
        }
      }
      const text = render(card, maxText);
      const markup = keys === undefined ? replyMarkup(text, keyboard) : { reply_markup: keysMarkup(keys) };
      const payload = { ...common, text: text.html, ...withoutPreview, ...markup };
      return referenceOf(await api.call('sendMessage', { payload, result: message, signal }));
    },

    async postOverflow(place, { reference, card, takeTurn, signal }) {
      if (card.table === undefined) return;
      if (!(rich(card, { picture: false }) ?? render(card, maxText)).cut) return;
      const { messageId: replyTo } = readReference(reference);
      for (const html of pagesOf(card.title, card.table)) {
        await takeTurn();
        const to = sendParameters(place, { silent: true, replyTo });
        const payload = { ...to, parse_mode: 'HTML', text: html, ...withoutPreview };
        await api.call('sendMessage', { payload, result: message, signal });
      }
    },

    async rewrite({ chatId }, { reference, card, keyboard, signal }) {
      const { isPhoto, messageId } = readReference(reference);
      const common = { chat_id: chatId, message_id: messageId };
      const edited = isPhoto
        ? undefined
        : await sendRich(card, { method: 'editMessageText', payload: common, keyboard, signal });
      if (edited !== undefined) return edited;
      const caption = render(card, maxCaption);
      const picture = isPhoto || !caption.cut ? await pictureOf(card) : undefined;
      if (picture !== undefined) {
        const media = { type: 'photo', caption: caption.html, parse_mode: 'HTML' };
        const payload = { ...common, ...replyMarkup(caption, keyboard) };
        try {
          return await upload(picture, {
            method: 'editMessageMedia',
            signal,
            payload: (photo) => ({
              ...payload,
              media: { ...media, media: photo },
            }),
          });
        } catch (error) {
          // If Telegram refuses the picture, a text stays a text, and a photo that may not be replaced gets a new caption.
          if (!isRejected(error) || (isPhoto && !takesNoMedia(error))) throw error;
        }
      }
      const rendered = isPhoto ? caption : render(card, maxText);
      const { html } = rendered;
      const [method, text] = isPhoto
        ? ['editMessageCaption', { caption: html }]
        : ['editMessageText', { text: html, ...withoutPreview }];
      const payload = { ...common, ...replyMarkup(rendered, keyboard), ...text, parse_mode: 'HTML' };
      await api.call(method, { payload, result: z.unknown(), signal });
      return reference;
    },
  };
}

/** Splits a table into messages that hold all of its rows. */
function* pagesOf(title: string, { columns, rows }: NonNullable<Card<string>['table']>): Generator<string> {
  for (let from = 0; from < rows.length; ) {
    let size = rows.length - from;
    const page = () =>
      renderTelegram({ title, table: { columns, rows: rows.slice(from, from + size) } }, { limit: maxText });
    let rendered = page();
    for (; rendered.cut && size > 1; rendered = page()) size = Math.ceil(size / 2);
    yield rendered.html;
    from += size;
  }
}

const sendParameters = (
  { chatId, threadId }: TelegramPlace,
  { silent, replyTo }: Pick<Posting, 'silent' | 'replyTo'>,
) => ({
  chat_id: chatId,
  message_thread_id: threadId,
  disable_notification: silent,
  ...(replyTo !== undefined && {
    reply_parameters: { message_id: replyTo, allow_sending_without_reply: true },
  }),
});
const withoutPreview = { link_preview_options: { is_disabled: true } };
