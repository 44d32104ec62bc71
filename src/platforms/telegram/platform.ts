import { msg } from '../../language/text.ts';
import { minute, second } from '../../runtime/units.ts';
import { definePlatform } from '../platform.ts';
import { openNotifier } from './notifier.ts';
import { address, options } from './options.ts';

/** Also a channel: ids of people alone are positive. */
const isGroup = (chatId: string): boolean => chatId.startsWith('-');

/** A topic stands behind its chat. */
const written = /^telegram:(-?\d+)(?:\/(\d+))?$/;

/** A bot in chats of people and groups, in topics and channels, by Telegram's Bot API. */
export default definePlatform({
  name: 'telegram',
  env: { token: 'TELEGRAM_TOKEN', apiRoot: 'TELEGRAM_API_URL', 'webhook.url': 'TELEGRAM_WEBHOOK_URL' },
  options,
  address,
  written: {
    example: 'telegram:-1001234567890',
    read(text) {
      const [, chatId = '', topic] = written.exec(text) ?? [];
      const place = { chatId, ...(topic !== undefined && { threadId: Number(topic) }) };
      return address.safeParse(place).success ? place : undefined;
    },
  },
  shown: (address) => address,
  account: ({ chatId }) => chatId,
  // Which apps those in a chat use, nobody tells a bot.
  rich: msg(
    'Rich messages have headings and real tables, but Telegram Web, Telegram for macOS and older apps may show nothing of them.',
  ),
  limits: {
    // 30 a second and 1 a second to a chat, a little slower: Telegram counts arrivals, and what is held up on its way
    // comes closer to what follows. Spread over the second, so that an answer waits for a tenth of it and not for all.
    total: [
      { per: 1.02 * second, max: 30 },
      { per: 0.1 * second, max: 3 },
    ],
    perAddress: [
      // A person's chat takes three at once before it comes down to one a second.
      { per: 3.3 * second, max: 3, only: (chatId) => !isGroup(chatId) },
      { per: 1.1 * second, max: 1, only: isGroup },
      // Who asks there without end leaves an alert that comes half of the minute.
      { per: 1.01 * minute, max: 20, answers: 10, only: isGroup },
    ],
    // The limits are a chat's, whatever the topic; its edits count too.
    sharedBy: ({ chatId }) => String(chatId),
    // More than may be on the way, so that a claim's transaction is shared by many.
    concurrency: 192,
  },
  listens: ({ webhook }) =>
    webhook && { what: 'the port of Telegram’s webhook (platforms.telegram.webhook.port)', ...webhook },
  notifier: openNotifier,
  async conversation(given, ports) {
    const { startTelegram } = await import('./telegram.ts');
    const telegram = await startTelegram(given, ports);
    ports.warm();
    return telegram;
  },
});
