import { type Context, type MiddlewareFn, Telegraf } from 'telegraf';
import type { UserFromGetMe } from 'telegraf/types';
import { z } from 'zod';
import { DeliveryError } from '../../language/errors.ts';
import { createTurns } from '../../runtime/turns.ts';
import { minute, second } from '../../runtime/units.ts';
import type { Conversation } from '../platform.ts';
import type { Ports } from '../ports.ts';
import { createAnswers } from './answers.ts';
import { createBotApi } from './bot-api.ts';
import { registerHandlers } from './conversation.ts';
import { isTokenRefused } from './failure.ts';
import { createIntake } from './intake.ts';
import { createKnownChats } from './known-chats.ts';
import { createMembers } from './members.ts';
import { publishMenuButton, publishMenus } from './menu.ts';
import { createMessages } from './messages.ts';
import type { TelegramOptions } from './options.ts';
import { poll } from './polling.ts';
import { allowedUpdates } from './updates.ts';
import { listen, webhookSecret } from './webhook.ts';

interface TelegramConversation extends Required<Pick<Conversation, 'whereabouts'>> {
  /** The port on which the bot listens for the webhook; undefined if the bot fetches updates. */
  readonly webhookPort: number | undefined;
  /** Resolves when all updates received are answered or left to the next start. */
  close(): Promise<void>;
}

const namedUser = z.looseObject({ id: z.int(), username: z.string() });
const me = z.custom<UserFromGetMe>((value) => namedUser.safeParse(value).success, 'no bot');

/** Starts the conversation on Telegram, without waiting until Telegram can be reached. @throws ConfigError */
export async function startTelegram(options: TelegramOptions, ports: Ports): Promise<TelegramConversation> {
  const { token, apiRoot, webhook } = options;
  const { places, wall, log, holdsRole } = ports;
  const stop = new AbortController();
  const stopping = stop.signal;
  let silentSince: number | undefined;
  const api = createBotApi(options, {
    ...ports,
    reportAnswered(answered) {
      silentSince = answered ? undefined : (silentSince ?? wall.now());
    },
  });
  const botId = token.reveal().split(':', 1)[0] ?? '';
  const bot = new Telegraf(token.reveal(), {
    telegram: { apiRoot },
    // Commands have their own time limit.
    handlerTimeout: Number.POSITIVE_INFINITY,
  });
  bot.catch((error) => {
    throw error;
  });
  const chats = createKnownChats(places, botId);
  bot.use(inTurn());
  bot.use(async (ctx, next) => {
    await chats.follow(ctx.update);
    return next();
  });

  const introduced = Promise.withResolvers<void>();
  introduced.promise.catch(() => {});
  stopping.addEventListener('abort', () => introduced.reject(stopping.reason));
  const intake = await createIntake({
    name: `telegram updates of ${botId}`,
    places,
    holdsRole,
    wall,
    stopping,
    log,
    async handle(update) {
      await introduced.promise;
      await bot.handleUpdate(update);
    },
  });
  const hook =
    webhook === undefined
      ? undefined
      : await listen({ ...webhook, secret: webhookSecret(token), accept: intake.accept, log });

  /** Reads the bot's own name, publishes its menus, tells Telegram how to deliver updates and begins to answer them. */
  const introduce = async (): Promise<void> => {
    bot.botInfo = await api.call('getMe', { payload: {}, result: me, signal: stopping });
    const { id, username } = bot.botInfo;
    const answers = createAnswers(createMessages(api, ports), ports, stopping);
    const members = createMembers(api, { wall, botId: id, stopping });
    await publishMenus(api, ports, { botId, signal: stopping });
    await publishMenuButton(api, ports, { botId, signal: stopping });
    const [method, payload] = updatesMethod(options);
    await api.call(method, { payload, result: z.unknown(), signal: stopping });
    registerHandlers(bot, { ports, api, answers, members, username, stopping });
    log.info({ bot: `@${username}`, updates: webhook === undefined ? 'fetched' : 'brought' }, 'on Telegram');
    introduced.resolve();
  };

  const run = async (): Promise<void> => {
    for (let pause = second; !stopping.aborted; pause = Math.min(pause * 2, minute)) {
      try {
        await introduce();
        break;
      } catch (error) {
        if (stopping.aborted) return;
        if (!(error instanceof DeliveryError))
          log.error({ err: error }, 'error while starting Telegram; retrying');
        else if (!isTokenRefused(error)) log.warn({ err: error }, 'Telegram does not answer yet; retrying');
        await wall.sleep(pause, stopping).catch(() => {});
      }
    }
    if (!stopping.aborted && webhook === undefined) {
      await poll(ports, { api, intake, stopping });
    }
  };
  const running = run();

  return {
    webhookPort: hook?.port,
    async whereabouts() {
      const { username } = bot.botInfo ?? {};
      return {
        bot: username === undefined ? undefined : { name: `@${username}`, link: `https://t.me/${username}` },
        silentSince,
        ...(await chats.read()),
      };
    },
    async close() {
      await hook?.close();
      stop.abort(new Error('the bot is stopping'));
      await running;
      await intake.close();
      await api.close();
    },
  };
}

function updatesMethod({ token, webhook }: TelegramOptions): [string, Record<string, unknown>] {
  if (webhook === undefined) return ['deleteWebhook', {}];
  const { url } = webhook;
  // One at a time: if an update cannot be stored, the intake goes back to what it knew before that update.
  const rest = { allowed_updates: allowedUpdates, max_connections: 1 };
  return ['setWebhook', { url, secret_token: webhookSecret(token), ...rest }];
}

/** Maximum number of messages and presses that one person may have waiting in one chat: more would be answered too late. */
const maxWaiting = 5;

/**
 * Returns middleware that handles the updates of each chat in order; no chat waits for another. If a person asks faster than
 * the chat accepts answers, further requests of that person are ignored, so that nobody else has to wait for them.
 */
export function inTurn(): MiddlewareFn<Context> {
  const runInTurn = createTurns<number>();
  const waitingByPerson = new Map<string, number>();
  return async (ctx, next) => {
    // Inline queries belong to no chat and have a pace of their own.
    if (ctx.inlineQuery !== undefined) return next();
    const key = ctx.chat?.id ?? 0;
    const hasFile = ctx.message !== undefined && 'document' in ctx.message;
    const isRequest = ctx.updateType === 'callback_query' || ctx.text !== undefined || hasFile;
    const person = `${key}/${ctx.from?.id}`;
    const alreadyWaiting = waitingByPerson.get(person) ?? 0;
    if (isRequest && alreadyWaiting >= maxWaiting) return;
    waitingByPerson.set(person, alreadyWaiting + 1);
    try {
      await runInTurn(key, next);
    } finally {
      const stillWaiting = (waitingByPerson.get(person) ?? 1) - 1;
      if (stillWaiting > 0) waitingByPerson.set(person, stillWaiting);
      else waitingByPerson.delete(person);
    }
  };
}
