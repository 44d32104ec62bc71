import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Card } from '../card/card.ts';
import { maxCaption, maxText, renderTelegram, type TelegramMessage } from '../card/render-telegram.ts';
import { DeliveryError } from '../runtime/errors.ts';
import { secret } from '../runtime/secret.ts';
import { duration, minute, second } from '../runtime/units.ts';
import { createBotApi } from '../telegram/bot-api.ts';
import { isMissing, isUnchanged } from '../telegram/failure.ts';
import { defineNotifier, type Notification } from './notifier.ts';

export interface TelegramPorts {
  /** A card's chart as a PNG; undefined where it has none or it could not be drawn. */
  readonly image?: (card: Card) => Promise<Uint8Array | undefined>;
  readonly log: { error(context: object, message: string): void };
}

const options = z.strictObject({
  token: secret.refine(
    (token) => /^\d+:[\w-]{30,}$/.test(token.reveal()),
    'a token as @BotFather gives it is expected, such as 110201543:AAHd…',
  ),
  /** Another one for a Bot API server of one's own. */
  apiRoot: z
    .url({ protocol: /^https?$/, error: 'an http or https URL is expected' })
    .default('https://api.telegram.org')
    .transform((url) => url.replace(/\/+$/, '')),
  timeout: duration.prefault('20s'),
  /** Read by the platform: where updates are brought instead of being fetched. */
  webhook: z
    .strictObject({
      /** As Telegram reaches it. */
      url: z.url({ protocol: /^https?$/, error: 'an https URL is expected' }),
      /** Where the bot listens for it, behind a proxy that ends TLS. */
      host: z.string().min(1).default('127.0.0.1'),
      port: z.int().min(0).max(65_535).default(8_443),
    })
    .optional(),
});
export type TelegramOptions = z.output<typeof options>;

const address = z.strictObject({
  chatId: z.string().regex(/^-?\d{1,20}$/, 'the id of a chat'),
  threadId: z.int().positive().optional(),
});
export type TelegramAddress = z.output<typeof address>;

const message = z.object({
  message_id: z.int(),
  photo: z.array(z.object({ file_id: z.string() })).optional(),
});

/** `p` before the id of a photo: it has a caption to edit, and no text. */
const reference = ({ message_id, photo }: z.output<typeof message>): string =>
  `${photo === undefined ? '' : 'p'}${message_id}`;
const readReference = (text: string) => ({
  isPhoto: text.startsWith('p'),
  messageId: Number(text.replace(/^p/, '')),
});

/** Pictures remembered by what they show: one upload serves every chat of a broadcast. */
const filesKept = 200;

/**
 * Sends to Telegram chats, by their ids, and topics in them. Exactly once is not to be had: the Bot API knows no
 * idempotency key, so what got no answer is sent again.
 */
export default defineNotifier({
  name: 'telegram',
  options,
  address,
  limits: {
    // 30 a second, in tenths so that an answer waits for 0.1 s and not for a whole window; and 2 % less, because
    // Telegram counts arrivals, which the network brings closer together than they were sent.
    total: { per: 0.102 * second, max: 3 },
    perAddress: [
      { per: 1.05 * second, max: 1 },
      { per: 1.01 * minute, max: 20, only: (chatId) => chatId.startsWith('-') },
    ],
    // The limits are a chat's, whatever the topic; its edits count too.
    sharedBy: ({ chatId }) => String(chatId),
    concurrency: 64,
  },
  connect({ token, apiRoot, timeout }, { image, log }: TelegramPorts) {
    const api = createBotApi({
      token,
      apiRoot,
      timeout,
      onRefused: (reason) => log.error({ notifier: 'telegram' }, reason),
    });
    const files = new Map<string, string>();

    const post = async (to: TelegramAddress, notification: Notification, signal: AbortSignal) => {
      const { card, urgent, replyTo } = notification;
      const common = {
        chat_id: to.chatId,
        ...(to.threadId !== undefined && { message_thread_id: to.threadId }),
        parse_mode: 'HTML',
        disable_notification: !urgent,
        ...(replyTo !== undefined && {
          reply_parameters: {
            message_id: readReference(replyTo).messageId,
            allow_sending_without_reply: true,
          },
        }),
      };
      const picture = await pictureOf(card);
      const caption = render(card, maxCaption);
      if (picture !== undefined && !caption.cut) {
        try {
          return await upload(picture, 'sendPhoto', signal, (photo) => ({
            ...common,
            photo,
            caption: caption.html,
            ...markup(caption),
          }));
        } catch (error) {
          // A picture that is not taken must not cost the alert.
          if (!isRejected(error)) throw error;
        }
      }
      const text = render(card, maxText);
      const payload = { ...common, text: text.html, ...withoutPreview, ...markup(text) };
      return reference(await api.call('sendMessage', payload, { result: message, signal }));
    };

    async function rewrite(
      to: TelegramAddress,
      { isPhoto, messageId }: ReturnType<typeof readReference>,
      { card }: Notification,
      signal: AbortSignal,
    ): Promise<void> {
      const rendered = render(card, isPhoto ? maxCaption : maxText);
      const { html } = rendered;
      const common = { chat_id: to.chatId, message_id: messageId, ...markup(rendered) };
      const edit = (method: string, payload: object) =>
        api.call(method, { ...common, ...payload }, { result: z.unknown(), signal });
      const picture = isPhoto ? await pictureOf(card) : undefined;
      if (picture !== undefined) {
        await upload(picture, 'editMessageMedia', signal, (media) => ({
          ...common,
          media: { type: 'photo', media, caption: html, parse_mode: 'HTML' },
        }));
      } else if (isPhoto) await edit('editMessageCaption', { caption: html, parse_mode: 'HTML' });
      else await edit('editMessageText', { text: html, parse_mode: 'HTML', ...withoutPreview });
    }

    /** Sends the picture, or the name Telegram gave it the first time. */
    async function upload(
      picture: Uint8Array,
      method: string,
      signal: AbortSignal,
      payload: (photo: string) => Record<string, unknown>,
    ): Promise<string> {
      const hash = createHash('sha256').update(picture).digest('base64url');
      const known = files.get(hash);
      const posted = await api
        .call(method, payload(known ?? 'attach://file'), {
          result: message,
          signal,
          ...(known === undefined && { file: picture }),
        })
        .catch((error: unknown) => {
          files.delete(hash);
          throw error;
        });
      const name = posted.photo?.at(-1)?.file_id;
      if (name !== undefined) files.set(hash, name);
      if (files.size > filesKept) files.delete(files.keys().next().value ?? '');
      return reference(posted);
    }

    async function pictureOf(card: Card): Promise<Uint8Array | undefined> {
      return card.chart === undefined ? undefined : await image?.(card);
    }

    return {
      send: (notification, to, signal) => post(address.parse(to), notification, signal),
      async edit(old, notification, to, signal) {
        const place = address.parse(to);
        try {
          await rewrite(place, readReference(old), notification, signal);
        } catch (error) {
          if (isUnchanged(error)) return old;
          if (!isMissing(error)) throw error;
          return await post(place, { ...notification, urgent: false, replyTo: old }, signal);
        }
        return old;
      },
      close: api.close,
    };
  },
});

const isRejected = (error: unknown): boolean =>
  error instanceof DeliveryError && error.outcome.kind === 'rejected';

const render = (card: Card, limit: number): TelegramMessage =>
  // A chat has no time zone that a bot could know.
  renderTelegram(card, { timeZone: 'UTC', limit });
/** Always given: without it an edit would leave the old buttons. */
const markup = ({ keyboard }: TelegramMessage) => ({ reply_markup: { inline_keyboard: keyboard } });
const withoutPreview = { link_preview_options: { is_disabled: true } };
