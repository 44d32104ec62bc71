import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onLoopback } from '../loopback.ts';
import { isWellFormed } from '../well-formed.ts';
import { BadRequest, Refusal, unauthorized } from './answers.ts';
import { type Chat, type ChatType, chatJson, type Message, type Standing } from './chats.ts';
import { createFaults, type Fault, misbehave } from './faults.ts';
import { createLimiter, type Limits, realLimits } from './limits.ts';
import { messageJson, methods, since, type World } from './methods.ts';
import { readPayload } from './payload.ts';
import { createUpdates } from './updates.ts';

export interface DoubleOptions {
  /** Rate limits; null: none. Telegram's real ones if omitted. */
  readonly limits?: Limits | null;
  /** Whether every chat id exists as a chat, for broadcasts. */
  readonly openDoor?: boolean;
  /** The version of the Bot API; the latest if omitted. */
  readonly botApi?: number;
}

export interface Press {
  /** Whether the press is so old that a response is refused. */
  readonly late?: boolean;
  /** Whether the message is deleted or too old for the bot to see. */
  readonly inaccessible?: boolean;
}

export interface Call {
  readonly method: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Status of the response; 0: the connection failed. */
  readonly code: number;
  /** When the request arrived, by performance.now(). */
  readonly at: number;
}

export const token = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawX';
export const me = { id: 110_201_543, username: 'tocsin_bot' };
export const ada = { id: 5_001, is_bot: false, first_name: 'Ada', username: 'ada' };
export const bob = { id: 5_002, is_bot: false, first_name: 'Bob' };

export type TelegramDouble = Awaited<ReturnType<typeof startTelegramDouble>>;

/** Starts a double of Telegram's Bot API on loopback that is as strict as the real one. */
export async function startTelegramDouble({
  limits = realLimits,
  openDoor = false,
  botApi = 10.3,
}: DoubleOptions = {}) {
  const chats = new Map<string, Chat>();
  const messages: Message[] = [];
  const index = new Map<string, Message>();
  const calls: Call[] = [];
  const faults = createFaults();
  const limiter = createLimiter(limits, () => performance.now());
  let revoked = false;
  let queries = 0;
  const updates = createUpdates(() => !revoked);

  const chat = (given: {
    id: number;
    type?: ChatType;
    title?: string;
    username?: string;
    topics?: readonly number[];
    members?: Readonly<Record<number, string>>;
    standing?: Standing;
    takesPhotos?: boolean;
  }): Chat => {
    const made: Chat = {
      id: given.id,
      type: given.type ?? (given.id > 0 ? 'private' : 'supergroup'),
      title: given.title ?? `Chat ${given.id}`,
      ...(given.username !== undefined && { username: given.username }),
      topics: new Set(given.topics ?? []),
      closedTopics: new Set(),
      members: new Map(Object.entries(given.members ?? {}).map(([id, status]) => [Number(id), status])),
      standing: given.standing ?? 'member',
      takesPhotos: given.takesPhotos ?? true,
      migratedTo: null,
    };
    chats.set(String(made.id), made);
    return made;
  };

  const presses = new Map<string, { userId: number; chatId: number; at: number }>();
  const world: World = {
    me,
    presses,
    chat: (id) =>
      id.startsWith('@')
        ? [...chats.values()].find(({ username }) => username === id.slice(1))
        : (chats.get(id) ?? (openDoor ? chat({ id: Number(id) }) : undefined)),
    messages,
    files: new Map(),
    menus: new Map(),
    menuButtons: [],
    queries: new Map(),
    updates,
    botApi,
    take: limiter.take,
    messageOf: (chatId, messageId) => index.get(`${chatId}/${messageId}`),
    keep(message) {
      messages.push(message);
      if (message.aside === undefined) index.set(`${message.chat.id}/${message.message_id}`, message);
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = performance.now();
    const [, key, fileId = ''] = /^\/file\/bot([^/]+)\/documents\/([\w-]+)$/.exec(request.url ?? '') ?? [];
    const file = key === token && !revoked ? world.files.get(fileId) : undefined;
    if (file !== undefined) return void response.end(file);
    const [, given, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url?.split('?')[0] ?? '') ?? [];
    const payload = await readPayload(request);
    const done = (code: number) => void calls.push({ method, fields: payload.fields, code, at });
    const how = faults.take(method, payload.fields.chat_id);
    if (typeof how === 'string' && how !== 'reset after') {
      done(0);
      return misbehave(how, response);
    }
    try {
      if (given !== token || revoked) throw unauthorized();
      if (how !== undefined && typeof how !== 'string') {
        throw new Refusal(how.answer.code, how.answer.description, how.answer.parameters);
      }
      if (!isWellFormed(payload.fields)) throw new BadRequest('strings must be encoded in UTF-8');
      const run = botApi < (since[method] ?? 0) ? undefined : methods[method];
      if (run === undefined) throw new Refusal(404, 'Not Found: method not found');
      const result = await run(payload, world);
      if (how === 'reset after') {
        done(0);
        return misbehave(how, response);
      }
      done(200);
      send(response, 200, { ok: true, result });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      done(error.code);
      send(response, error.code, {
        ok: false,
        error_code: error.code,
        description: error.description,
        ...(error.parameters !== undefined && { parameters: error.parameters }),
      });
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      if (!response.headersSent) {
        send(response, 500, { ok: false, error_code: 500, description: `Internal Server Error: ${error}` });
      }
    });
  });
  server.keepAliveTimeout = 60_000;
  const { url, close } = await onLoopback(server);

  const from = (chatOf: Chat) => ({ chat: chatJson(chatOf), date: Math.floor(Date.now() / 1_000) });
  const known = (chatId: number): Chat => world.chat(String(chatId)) ?? chat({ id: chatId });
  let incoming = 1_000_000;

  return {
    url,
    token,
    chat,
    chats,
    messages,
    /** Uploaded files by id. */
    files: world.files,
    calls,
    menus: world.menus,
    menuButtons: world.menuButtons,
    queries: world.queries,
    updates,
    /** Texts of a chat as a person reads them, oldest first. */
    texts: (chatId: number) => messages.filter((each) => each.chat.id === chatId).map(({ text }) => text),
    refusals: (code: number) => calls.filter((call) => call.code === code).length,
    inject: (fault: Fault) => faults.inject(fault),
    clearFaults: faults.clear,
    /** Refuses the token from then on. */
    revoke() {
      revoked = true;
      updates.wakePollers();
    },
    migrate(fromId: number, toId: number) {
      const old = known(fromId);
      chat({ id: toId, members: Object.fromEntries(old.members) });
      old.migratedTo = toId;
    },
    /** A person writes a message. */
    say(
      text: string,
      given: { chatId?: number; user?: object; thread?: number; extra?: object } = {},
    ): number {
      const { chatId = ada.id, user = ada, thread, extra = {} } = given;
      const of = known(chatId);
      incoming += 1;
      const message = {
        message_id: incoming,
        ...from(of),
        text,
        ...(thread !== undefined && { message_thread_id: thread, is_topic_message: true }),
        ...extra,
      };
      return updates.push(
        of.type === 'channel' ? { channel_post: message } : { message: { ...message, from: user } },
      );
    },
    /** A person sends a file with a caption. */
    attach(
      text: string,
      { caption, ...given }: { caption?: string; chatId?: number; user?: object; size?: number } = {},
    ): number {
      const bytes = Buffer.from(text);
      const file_id = createHash('sha256').update(bytes).digest('base64url');
      world.files.set(file_id, bytes);
      const document = {
        file_id,
        file_unique_id: file_id,
        file_name: 'tocsin.json',
        file_size: given.size ?? bytes.length,
      };
      const extra = { text: undefined, document, ...(caption !== undefined && { caption }) };
      return this.say('', { ...given, extra });
    },
    /**
     * A person presses a button of a message, or a client claims so: Telegram passes on any data. Returns the id of the query.
     */
    press(message: Message, data: string, user: object = ada, given: Press = {}): string {
      queries += 1;
      const id = `query-${queries}`;
      if (given.late !== true) world.queries.set(id, null);
      const { message_id, chat } = message;
      const { id: userId } = user as { id: number };
      presses.set(id, { userId, chatId: chat.id, at: given.late === true ? -Infinity : performance.now() });
      const shown =
        given.inaccessible === true ? { message_id, date: 0, chat: chatJson(chat) } : messageJson(message);
      updates.push({ callback_query: { id, from: user, chat_instance: 'x', data, message: shown } });
      return id;
    },
    /** A person types `@bot text`. Returns the id of the query. */
    type(query: string, user: object = ada): string {
      queries += 1;
      const id = `query-${queries}`;
      world.queries.set(id, null);
      updates.push({ inline_query: { id, from: user, query, offset: '' } });
      return id;
    },
    /** The bot's own membership changes. */
    membership(chatId: number, before: string, after: string | object, user: object = ada) {
      const bot = { id: me.id, is_bot: true, first_name: 'Tocsin', username: me.username };
      return updates.push({
        my_chat_member: {
          ...from(known(chatId)),
          from: user,
          old_chat_member: { user: bot, status: before },
          new_chat_member: { user: bot, ...(typeof after === 'string' ? { status: after } : after) },
        },
      });
    },
    async close() {
      await updates.close();
      await close();
    },
  };
}

function send(response: ServerResponse, code: number, body: object): void {
  const { parameters } = body as { parameters?: { retry_after?: number } };
  response.writeHead(code, {
    'content-type': 'application/json',
    ...(parameters?.retry_after !== undefined && { 'retry-after': String(parameters.retry_after) }),
  });
  response.end(JSON.stringify(body));
}
