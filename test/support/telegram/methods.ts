import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { BadRequest, Refusal, tooMany } from './answers.ts';
import { type Chat, chatJson, type Message, postable } from './chats.ts';
import { MarkupError, type Parsed, parseHtml } from './html.ts';
import * as payloads from './payload.ts';
import { parseRichHtml } from './rich-html.ts';
import type { createUpdates } from './updates.ts';

export interface World {
  readonly me: { readonly id: number; readonly username: string };
  /** Finds a chat by its id or @username. */
  chat(id: string): Chat | undefined;
  readonly messages: Message[];
  /** Uploaded files by id. */
  readonly files: Map<string, Uint8Array>;
  /** Command menus by scope and language: `default`, `all_private_chats es`. */
  readonly menus: Map<string, readonly { readonly command: string; readonly description: string }[]>;
  /** The menu buttons of private chats that were set, the latest last. */
  readonly menuButtons: { readonly type: string }[];
  /** Pressed buttons by the id of their query. */
  readonly presses: ReadonlyMap<
    string,
    { readonly userId: number; readonly chatId: number; readonly at: number }
  >;
  /** Callback and inline queries: null while unanswered, then the response. */
  readonly queries: Map<string, unknown>;
  readonly updates: ReturnType<typeof createUpdates>;
  /** The version of the Bot API. */
  readonly botApi: number;
  take(chatId: string): number;
  messageOf(chatId: number, messageId: number): Message | undefined;
  keep(message: Message): void;
}

const maxText = 4_096;
const maxCaption = 1_024;
const maxPhoto = 10_000_000;
const maxDocument = 50_000_000;
/** Maximum size of a file that a bot may fetch, bytes. */
const maxFetched = 20_000_000;

type Method = (payload: payloads.Payload, world: World) => unknown;

/** The Bot API version that introduced a method. Methods not listed are older than every version the double supports. */
export const since: Readonly<Record<string, number>> = { sendRichMessage: 10.1 };

export const methods: Readonly<Record<string, Method>> = {
  getMe: (_, { me }) => ({
    id: me.id,
    is_bot: true,
    first_name: 'Tocsin',
    username: me.username,
    can_join_groups: true,
    can_read_all_group_messages: false,
    supports_inline_queries: true,
  }),
  getUpdates: ({ fields }, { updates }) => updates.poll(read(payloads.getUpdates, fields)),
  setWebhook({ fields }, { updates }) {
    const { url, secret_token } = read(payloads.setWebhook, fields);
    updates.setWebhook(url, secret_token);
    return true;
  },
  deleteWebhook(_, { updates }) {
    updates.setWebhook('', undefined);
    return true;
  },
  setMyCommands({ fields }, { menus }) {
    const { commands, scope, language_code } = read(payloads.commandMenu, fields);
    menus.set(`${scope.type} ${language_code}`.trim(), commands);
    return true;
  },
  sendMessage({ fields }, world) {
    const { text, ...rest } = read(payloads.sendMessage, fields);
    return post(world, rest, textOf(text, rest.parse_mode, world), undefined);
  },
  sendRichMessage({ fields, files }, world) {
    const { rich_message, ...rest } = read(payloads.sendRich, fields);
    const { photo, ...body } = richly(rich_message, { files, world });
    // Since version 10.3 a rich message can be shown to one person alone; earlier versions ignore the field.
    const seen = world.botApi >= 10.3 ? rest : { ...rest, receiver_user_id: undefined };
    return post(world, seen, body, photo);
  },
  sendPhoto({ fields, files }, world) {
    const { caption, photo, ...rest } = read(payloads.sendPhoto, fields);
    const body = captionOf(caption, rest.parse_mode, world);
    return post(world, rest, body, photoOf(photo, files, world));
  },
  sendDocument({ fields, files }, world) {
    const { caption, document, ...rest } = read(payloads.sendDocument, fields);
    const bytes = document.startsWith('attach://') ? files.get(document.slice(9)) : undefined;
    if (bytes === undefined) throw new BadRequest('wrong file identifier/HTTP URL specified');
    if (bytes.length > maxDocument) throw new Refusal(413, 'Request Entity Too Large');
    const body = captionOf(caption, rest.parse_mode, world);
    return post(world, rest, body, undefined, kept(bytes, world));
  },
  getFile({ fields }, { files }) {
    const { file_id } = read(payloads.file, fields);
    const bytes = files.get(file_id);
    if (bytes === undefined) throw new BadRequest('wrong file_id or the file is temporarily unavailable');
    if (bytes.length > maxFetched) throw new BadRequest('file is too big');
    return { file_id, file_unique_id: file_id, file_size: bytes.length, file_path: `documents/${file_id}` };
  },
  editMessageText({ fields, files }, world) {
    const { rich_message: given, ...known } = fields;
    const { text, rich_message, ...rest } = read(payloads.editText, world.botApi >= 10.1 ? fields : known);
    const message = editable(world, rest);
    if ((message.photo !== undefined && message.rich === undefined) || message.document !== undefined)
      throw new BadRequest('there is no text in the message to edit');
    if (rich_message !== undefined) {
      const { photo, ...body } = richly(rich_message, { files, world });
      return edit(message, body, { keyboard: rest.reply_markup, photo });
    }
    return edit(message, textOf(text, rest.parse_mode, world), {
      keyboard: rest.reply_markup,
      photo: undefined,
    });
  },
  editMessageCaption({ fields }, world) {
    const { caption, ...rest } = read(payloads.editCaption, fields);
    const message = editable(world, rest);
    if (message.photo === undefined) throw new BadRequest('there is no caption in the message to edit');
    return edit(message, captionOf(caption, rest.parse_mode, world), {
      keyboard: rest.reply_markup,
      photo: message.photo,
    });
  },
  editMessageMedia({ fields, files }, world) {
    const { media, ...rest } = read(payloads.editMedia, fields);
    const message = editable(world, rest);
    requirePhotos(message.chat);
    const photo = photoOf(media.media, files, world);
    const body = captionOf(media.caption, media.parse_mode, world);
    return edit(message, body, { keyboard: rest.reply_markup, photo });
  },
  answerCallbackQuery({ fields }, { queries }) {
    const { callback_query_id: id, text } = read(payloads.callbackAnswer, fields);
    if ([...text].length > 200) throw new BadRequest('MESSAGE_TOO_LONG');
    if (queries.get(id) !== null) {
      throw new BadRequest('query is too old and response timeout expired or query ID is invalid');
    }
    queries.set(id, text);
    return true;
  },
  answerInlineQuery({ fields }, world) {
    const { queries } = world;
    const { inline_query_id: id, results } = read(payloads.inlineAnswer, fields);
    if (queries.get(id) !== null) {
      throw new BadRequest('query is too old and response timeout expired or query ID is invalid');
    }
    for (const { input_message_content: content } of results) {
      textOf(content.message_text, String(content.parse_mode), world);
    }
    queries.set(id, results);
    return true;
  },
  setChatMenuButton({ fields }, world) {
    const { menu_button } = read(payloads.menuButton, fields);
    world.menuButtons.push(menu_button);
    return true;
  },
  getChat({ fields }, world) {
    const chat = world.chat(payloads.chatId.parse(fields.chat_id));
    if (chat === undefined) throw new BadRequest('chat not found');
    return chatJson(chat);
  },
  getChatMember({ fields }, world) {
    const { chat_id, user_id } = read(payloads.member, fields);
    const chat = postable(world.chat(chat_id));
    // Only administrators of a channel may see its members.
    if (chat.type === 'channel' && user_id !== world.me.id && !isAdministrator(chat, world.me.id)) {
      throw new BadRequest('member list is inaccessible');
    }
    const status = chat.members.get(user_id) ?? 'left';
    return {
      user: { id: user_id, is_bot: user_id === world.me.id, first_name: 'x' },
      status,
      ...(status === 'administrator' && { can_post_messages: true }),
      ...(status === 'restricted' && { is_member: true, can_send_messages: false }),
    };
  },
};

const isAdministrator = ({ members }: Chat, userId: number): boolean =>
  ['creator', 'administrator'].includes(members.get(userId) ?? '');

function read<Schema extends z.ZodType>(schema: Schema, fields: unknown): z.output<Schema> {
  const result = schema.safeParse(fields);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue?.path[0] === 'chat_id') throw new BadRequest('chat_id is empty');
  throw new BadRequest(
    /^[A-Z_]+$/.test(issue?.message ?? '')
      ? (issue?.message ?? '')
      : `${issue?.path.join('.')}: ${issue?.message}`,
  );
}

type Body = Pick<Message, 'text' | 'html' | 'entities' | 'rich'>;

const textOf = (html: string, mode: string | undefined, world: World): Body => {
  const body = parsed(html, mode, { max: maxText, what: 'message', ...world });
  if (body.text === '') throw new BadRequest('message text is empty');
  return body;
};
const captionOf = (html: string, mode: string | undefined, world: World): Body =>
  parsed(html, mode, { max: maxCaption, what: 'message caption', ...world });

function parsed(
  html: string,
  mode: string | undefined,
  { max, what, botApi }: Pick<World, 'botApi'> & { readonly max: number; readonly what: string },
): Body {
  let body: Parsed;
  try {
    body = mode === 'HTML' ? parseHtml(html, botApi >= 9.5) : { text: html.trim(), entities: [] };
  } catch (error) {
    if (error instanceof MarkupError) throw new BadRequest(error.message);
    throw error;
  }
  if ([...body.text].length > max) throw new BadRequest(`${what} is too long`);
  return { ...body, html };
}

/** Parses a rich message and the picture in it. */
function richly(
  { html, media }: payloads.RichMessage,
  { files, world }: { readonly files: payloads.Payload['files']; readonly world: World },
): Body & Pick<Message, 'photo'> {
  if (html === undefined) throw new BadRequest('the double reads rich messages as HTML alone');
  const known = world.botApi >= 10.2 ? media : [];
  try {
    const { text, entities, blocks } = parseRichHtml(html, new Set(known.map(({ id }) => id)));
    const [picture] = known.map((each) => photoOf(each.media.media, files, world));
    return { text, entities, html, rich: blocks, photo: picture };
  } catch (error) {
    if (error instanceof MarkupError) throw new BadRequest(error.message);
    throw error;
  }
}

function photoOf(
  given: string | undefined,
  files: payloads.Payload['files'],
  world: World,
): NonNullable<Message['photo']> {
  const bytes = given?.startsWith('attach://') ? files.get(given.slice(9)) : files.get('photo');
  if (bytes === undefined) {
    const known = world.messages.find(({ photo }) => photo?.fileId === given)?.photo;
    if (known === undefined) throw new BadRequest('wrong file identifier/HTTP URL specified');
    return known;
  }
  if (bytes.length > maxPhoto) throw new Refusal(413, 'Request Entity Too Large');
  const png = Buffer.from(bytes.subarray(0, 4)).toString('latin1') === '\x89PNG';
  if (!png) throw new BadRequest('IMAGE_PROCESS_FAILED');
  return kept(bytes, world);
}

/** Stores a file and returns its id. */
function kept(bytes: Uint8Array, { files }: World): { readonly fileId: string; readonly bytes: number } {
  const fileId = createHash('sha256').update(bytes).digest('base64url');
  files.set(fileId, bytes);
  return { fileId, bytes: bytes.length };
}

type Posted = Omit<z.output<typeof payloads.sendMessage>, 'text'>;

function requirePhotos({ takesPhotos }: Chat): void {
  if (!takesPhotos) throw new BadRequest('not enough rights to send photos to the chat');
}

function post(
  world: World,
  request: Posted,
  body: Body,
  photo: Message['photo'],
  document?: Message['document'],
): unknown {
  const chat = postable(world.chat(request.chat_id));
  if (chat.type === 'channel' && !isAdministrator(chat, world.me.id)) {
    throw new BadRequest('need administrator rights in the channel chat');
  }
  if (photo !== undefined) requirePhotos(chat);
  const { message_thread_id: thread, reply_parameters: reply } = request;
  if (thread !== undefined && !chat.topics.has(thread)) throw new BadRequest('message thread not found');
  if (thread !== undefined && chat.closedTopics.has(thread) && !isAdministrator(chat, world.me.id))
    throw new BadRequest('TOPIC_CLOSED');
  const answered = reply === undefined ? undefined : world.messageOf(chat.id, reply.message_id);
  if (reply !== undefined && answered === undefined && !reply.allow_sending_without_reply) {
    throw new BadRequest('message to be replied not found');
  }
  const wait = world.take(String(chat.id));
  if (wait > 0) throw tooMany(wait);
  const aside = asideOf(request, { chat, world });
  const message: Message = {
    message_id: aside === undefined ? world.messages.length + 1 : 0,
    ...(aside !== undefined && { aside }),
    date: Math.floor(Date.now() / 1_000),
    chat,
    thread,
    silent: request.disable_notification,
    replyTo: answered?.message_id,
    photo,
    document,
    ...body,
    keyboard: request.reply_markup,
    edits: 0,
  };
  world.keep(message);
  return messageJson(message);
}

/** For this long after a button was pressed, a bot that is no administrator may send an ephemeral message, ms. */
const pressed = 15_000;

/** The one person who sees the message; undefined: everyone. A server without such messages ignores the field. */
function asideOf(
  { receiver_user_id, callback_query_id, ephemeral_message_parameters: newer }: Posted,
  { chat, world }: { readonly chat: Chat; readonly world: World },
): Message['aside'] {
  const userId = (world.botApi >= 10.3 ? newer?.receiver_user_id : undefined) ?? receiver_user_id;
  if (userId === undefined || world.botApi < 10.2) return undefined;
  const queryId = (world.botApi >= 10.3 ? newer?.callback_query_id : undefined) ?? callback_query_id;
  const press = world.presses.get(queryId ?? '');
  const mayAnswer =
    press !== undefined &&
    press.userId === userId &&
    press.chatId === chat.id &&
    performance.now() - press.at < pressed;
  const group = chat.type === 'group' || chat.type === 'supergroup';
  if (!group || !(mayAnswer || isAdministrator(chat, world.me.id))) throw new BadRequest('BOT_NOT_ADMIN');
  return { userId, id: world.messages.length + 1 };
}

function editable(
  world: World,
  { chat_id, message_id }: { readonly chat_id: string; readonly message_id: number },
): Message {
  const chat = postable(world.chat(chat_id));
  const message = world.messageOf(chat.id, message_id);
  if (message === undefined) throw new BadRequest('message to edit not found');
  const wait = world.take(String(chat.id));
  if (wait > 0) throw tooMany(wait);
  return message;
}

function edit(
  message: Message,
  body: Body,
  { keyboard, photo }: Pick<Message, 'keyboard' | 'photo'>,
): unknown {
  const before = [message.html, message.photo?.fileId, message.keyboard];
  if (JSON.stringify(before) === JSON.stringify([body.html, photo?.fileId, keyboard])) {
    throw new BadRequest(
      'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    );
  }
  const { text, html, entities, rich } = body;
  Object.assign(message, { text, html, entities, rich, keyboard, photo });
  message.edits += 1;
  return messageJson(message);
}

const sizesOf = (photo: NonNullable<Message['photo']>) => [{ file_id: photo.fileId, width: 90, height: 51 }];

function contentJson({ rich, photo, document, text }: Message) {
  if (rich !== undefined) {
    const shown = photo === undefined ? [] : [{ type: 'photo', photo: sizesOf(photo) }];
    return { rich_message: { blocks: [...rich.filter(({ type }) => type !== 'img'), ...shown] } };
  }
  if (photo !== undefined) return { caption: text, photo: sizesOf(photo) };
  return document === undefined ? { text } : {};
}

export const messageJson = (message: Message) => ({
  message_id: message.message_id,
  ...(message.aside !== undefined && {
    ephemeral_message_id: message.aside.id,
    receiver_user: { id: message.aside.userId, is_bot: false, first_name: 'x' },
  }),
  date: message.date,
  chat: chatJson(message.chat),
  ...(message.thread !== undefined && { message_thread_id: message.thread, is_topic_message: true }),
  ...(message.document !== undefined && {
    caption: message.text,
    document: { file_id: message.document.fileId },
  }),
  ...contentJson(message),
  ...(message.keyboard.length > 0 && { reply_markup: { inline_keyboard: message.keyboard } }),
});
