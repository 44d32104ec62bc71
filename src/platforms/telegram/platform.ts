import { z } from 'zod';
import { msg } from '../../language/text.ts';
import { minute, second } from '../../runtime/units.ts';
import { definePlatform } from '../platform.ts';
import { serverProblem } from '../server-problem.ts';
import { notAccepted, refusal, refusesToken } from './failure.ts';
import { openNotifier } from './notifier.ts';
import { address, options } from './options.ts';

/** Whether the chat is a group or a channel: only the ids of private chats are positive. */
const isGroup = (chatId: string): boolean => chatId.startsWith('-');

/** `telegram:CHAT`, or `telegram:CHAT/TOPIC`. */
const addressPattern = /^telegram:(-?\d+)(?:\/(\d+))?$/;

/** The bot of the token (Bot API, "getMe"). */
const me = z.object({ ok: z.literal(true), result: z.object({ id: z.int(), username: z.string() }) });

/** Telegram: a bot in private chats, groups, topics and channels, connected by Telegram's Bot API. */
export default definePlatform({
  name: 'telegram',
  slash: true,
  env: {
    token: 'TELEGRAM_TOKEN',
    apiRoot: 'TELEGRAM_API_URL',
    'webhook.url': 'TELEGRAM_WEBHOOK_URL',
  },
  options,
  address,
  addressFormat: {
    example: 'telegram:-1001234567890',
    read(text) {
      const [, chatId = '', topic] = addressPattern.exec(text) ?? [];
      const place = { chatId, ...(topic !== undefined && { threadId: Number(topic) }) };
      return address.safeParse(place).data;
    },
    write: ({ chatId, threadId }) => ['telegram:', chatId, threadId && `/${threadId}`].join(''),
  },
  person: { example: 'telegram:USER_ID', pattern: /^telegram:\d+$/ },
  shown: (address) => address,
  account: ({ chatId }) => chatId,
  // Telegram does not tell a bot which apps the people in a chat use.
  rich: msg(
    'Rich messages have headings and real tables, but Telegram Web, Telegram for macOS and older apps may show nothing of them.',
  ),
  limits: {
    // Telegram allows 30 messages a second, and 1 a second to a chat. The limits here are slightly slower, because Telegram
    // counts arrivals, and a message that is delayed on its way arrives closer to the next one. They are spread over the second,
    // so that an answer waits for a tenth of a second and not for a whole one.
    total: { per: 1.02 * second, max: 30 },
    spread: { per: 0.1 * second, max: 3 },
    perAddress: [
      // A private chat accepts three messages at once before it is limited to one a second.
      { per: 3.3 * second, max: 3, appliesTo: (chatId) => !isGroup(chatId) },
      { per: 1.1 * second, max: 1, appliesTo: isGroup },
      // Answers may use half of this limit: the other half is left to alerts, however much people ask.
      { per: 1.01 * minute, max: 20, maxAnswers: 10, appliesTo: isGroup },
    ],
    // The limits apply to a chat with all its topics, and edits count too.
    paceKey: ({ chatId }) => String(chatId),
    // More than the limits let be under way at once, so that many sends share the transaction that claims them.
    concurrency: 192,
  },
  listens: ({ webhook }) =>
    webhook && {
      description: 'the port of Telegram’s webhook (platforms.telegram.webhook.port)',
      ...webhook,
    },
  connecting: {
    title: 'Telegram',
    steps: [
      msg('Open {url}, send /newbot, and answer with a name and a user name that ends in "bot".', {
        url: 'https://t.me/BotFather',
      }),
      msg('Copy the token from its answer.'),
    ],
    notAccepted,
    asks: { token: msg('Bot token') },
    joining: msg(
      'Open the bot and press Start. For a group, add the bot to it; for a channel, make it an administrator there.',
    ),
  },
  /** Reads the bot's own name, which disturbs no process that fetches the bot's updates. */
  problem: ({ token, apiRoot, timeout }) =>
    serverProblem(`${apiRoot}/bot${token.reveal()}/getMe`, {
      headers: {},
      timeout,
      isExpected: (status, json) => status === 200 && me.safeParse(json).success,
      isUnauthorized(_, json) {
        const { data } = refusal.safeParse(json);
        return data !== undefined && refusesToken(data);
      },
      unauthorizedProblem: notAccepted,
      remedy: 'is TELEGRAM_API_URL right? If it is, try again later',
    }),
  notifier: openNotifier,
  async conversation(given, ports) {
    const { startTelegram } = await import('./telegram.ts');
    const telegram = await startTelegram(given, ports);
    ports.warmUpDrawing();
    return telegram;
  },
});
