import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';

export interface Payload {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Uploaded files by the name of their form part. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Reads a body as JSON, a form or multipart data; the Bot API accepts all three. */
export async function readPayload(request: IncomingMessage): Promise<Payload> {
  const body = await buffer(request);
  const type = request.headers['content-type'] ?? '';
  if (body.length === 0) return { fields: {}, files: new Map() };
  if (type.startsWith('application/json')) return { fields: JSON.parse(body.toString()), files: new Map() };
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const fields: Record<string, unknown> = {};
  const files = new Map<string, Uint8Array>();
  for (const [name, value] of form) {
    if (typeof value === 'string') fields[name] = value;
    else files.set(name, new Uint8Array(await value.arrayBuffer()));
  }
  return { fields, files };
}

/** A value that JSON carries as it is and forms carry as JSON text. */
const written = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => {
    if (typeof value !== 'string') return value;
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  }, schema);

const whole = z.coerce.number().int();
export const chatId = z.union([z.string(), z.number()]).transform(String);
export const flag = written(z.boolean()).default(false);

/** A keyboard below the input field comes instead of buttons below the message. */
const replyKeyboard = {
  keyboard: z
    .array(z.array(z.strictObject({ text: z.string().min(1) })).min(1))
    .min(1)
    .optional(),
  resize_keyboard: z.boolean().optional(),
  is_persistent: z.boolean().optional(),
};
export const keyboard = written(
  z
    .object({
      ...replyKeyboard,
      inline_keyboard: z
        .array(
          z.array(
            z
              .looseObject({
                text: z.string().min(1),
                callback_data: z
                  .string()
                  .refine((data) => Buffer.byteLength(data) >= 1 && Buffer.byteLength(data) <= 64, {
                    error: 'BUTTON_DATA_INVALID',
                  })
                  .optional(),
                url: z.url({ protocol: /^(https?|tg)$/, error: 'BUTTON_URL_INVALID' }).optional(),
                style: z.enum(['danger', 'success', 'primary'], 'BUTTON_STYLE_INVALID').optional(),
              })
              .refine(
                ({ url, callback_data }) => url === undefined || callback_data === undefined,
                'BUTTON_TYPE_INVALID',
              ),
          ),
        )
        .default([]),
    })
    .default({ inline_keyboard: [] }),
).transform(({ inline_keyboard }) =>
  inline_keyboard.map((row) =>
    row.map(({ text, callback_data, url, style }) => ({
      text,
      ...(url !== undefined && { url }),
      ...(callback_data !== undefined && { callback_data }),
      ...(style !== undefined && { style }),
    })),
  ),
);

const aside = z.object({ receiver_user_id: whole, callback_query_id: z.string().optional() });

const posted = z.object({
  receiver_user_id: whole.optional(),
  callback_query_id: z.string().optional(),
  ephemeral_message_parameters: written(aside.optional()).optional(),
  chat_id: chatId,
  message_thread_id: whole.optional(),
  disable_notification: flag,
  parse_mode: z.string().optional(),
  reply_markup: keyboard.prefault({}),
  reply_parameters: written(
    z.object({ message_id: whole, allow_sending_without_reply: flag }).optional(),
  ).optional(),
});

export const sendMessage = posted.extend({ text: z.string() });
const richMessage = written(
  z
    .object({
      html: z.string().optional(),
      markdown: z.string().optional(),
      blocks: z.array(z.unknown()).optional(),
      media: z
        .array(
          z.object({
            id: z.string().regex(/^[\w-]{1,64}$/),
            media: z.object({ type: z.literal('photo'), media: z.string() }),
          }),
        )
        .default([]),
    })
    .refine(
      ({ html, markdown, blocks }) =>
        [html, markdown, blocks].filter((each) => each !== undefined).length === 1,
      'RICH_MESSAGE_CONTENT_REQUIRED',
    ),
);
export type RichMessage = z.output<typeof richMessage>;
export const sendRich = posted.omit({ parse_mode: true }).extend({ rich_message: richMessage });
export const sendDocument = posted.extend({ document: z.string(), caption: z.string().default('') });
export const sendPhoto = posted.extend({ photo: z.string().optional(), caption: z.string().default('') });

const edited = z.object({
  chat_id: chatId,
  message_id: whole,
  parse_mode: z.string().optional(),
  reply_markup: keyboard.prefault({}),
});
export const editText = edited.extend({ text: z.string().default(''), rich_message: richMessage.optional() });
export const editCaption = edited.extend({ caption: z.string().default('') });
export const editMedia = edited.extend({
  media: written(
    z.object({
      type: z.literal('photo'),
      media: z.string(),
      caption: z.string().default(''),
      parse_mode: z.string().optional(),
    }),
  ),
});
export const member = z.object({ chat_id: chatId, user_id: whole });
export const getUpdates = z.object({
  offset: whole.default(0),
  limit: whole.min(1).max(100).default(100),
  timeout: whole.min(0).default(0),
  allowed_updates: written(z.array(z.string()).nullish()),
});
export const setWebhook = z.object({
  url: z.string(),
  secret_token: z
    .string()
    .regex(/^[\w-]{1,256}$/)
    .optional(),
});
export const callbackAnswer = z.object({ callback_query_id: z.string(), text: z.string().default('') });
export const menuButton = z.object({
  menu_button: written(
    z.union([
      z.strictObject({ type: z.enum(['default', 'commands']) }),
      z.strictObject({
        type: z.literal('web_app'),
        text: z.string().min(1),
        web_app: z.strictObject({ url: z.url({ protocol: /^https$/, error: 'BUTTON_URL_INVALID' }) }),
      }),
    ]),
  ),
});

export const inlineAnswer = z.object({
  inline_query_id: z.string(),
  results: written(
    z
      .array(
        z.looseObject({
          type: z.literal('article'),
          id: z.string().min(1, 'RESULT_ID_INVALID').max(64, 'RESULT_ID_INVALID'),
          title: z.string().min(1, 'ARTICLE_TITLE_EMPTY'),
          input_message_content: z.looseObject({
            message_text: z.string(),
            link_preview_options: z
              .strictObject({
                is_disabled: z.boolean(),
                url: z.url({ protocol: /^https?$/, error: 'WEBPAGE_URL_INVALID' }),
                prefer_small_media: z.boolean(),
                prefer_large_media: z.boolean(),
                show_above_text: z.boolean(),
              })
              .partial()
              .optional(),
          }),
        }),
      )
      .max(50, 'RESULTS_TOO_MUCH'),
  ),
  cache_time: whole.min(0).default(300),
  is_personal: flag,
});
export const commandMenu = z.object({
  commands: written(
    z
      .array(
        z.object({
          command: z.string().regex(/^[a-z0-9_]{1,32}$/, 'BOT_COMMAND_INVALID'),
          description: z.string().min(1).max(256),
        }),
      )
      .max(100),
  ),
  scope: written(
    z.object({
      type: z.enum(['default', 'all_private_chats', 'all_group_chats', 'all_chat_administrators']),
    }),
  ).default({ type: 'default' }),
  language_code: z.string().default(''),
});

export const file = z.object({ file_id: z.string() });
