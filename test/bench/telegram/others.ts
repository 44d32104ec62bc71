import { autoRetry } from '@grammyjs/auto-retry';
import { apiThrottler } from '@grammyjs/transformer-throttler';
import { Api } from 'grammy';
import { Telegraf } from 'telegraf';
import { token } from '#test/support/telegram/double.ts';
import { percentile } from '../measuring/figures.ts';
import { forkDouble } from './ask-double.ts';

/** Sends one text to chats 1 to `count`, as other libraries do; resolves when all requests have succeeded or failed. */
export type Sender = (url: string, count: number) => Promise<void>;

const all = (count: number, send: (chatId: number) => Promise<unknown>): Promise<void> =>
  Promise.allSettled(Array.from({ length: count }, (_, index) => send(index + 1))).then(() => {});

export const others: Readonly<Record<string, Sender>> = {
  'plain telegraf': (url, count) => {
    const { telegram } = new Telegraf(token, { telegram: { apiRoot: url } });
    return all(count, (chatId) => telegram.sendMessage(chatId, 'An alert'));
  },
  'grammY, auto-retry and throttler': (url, count) => {
    const api = new Api(token, { apiRoot: url });
    api.config.use(autoRetry());
    api.config.use(apiThrottler());
    return all(count, (chatId) => api.sendMessage(chatId, 'An alert'));
  },
};

/** Measures the ms in which a plain telegraf bot answers `count` people, one after the other, with a fixed text. */
export async function plainAnswers(count = 20): Promise<(share: number) => { name: string; value: number }> {
  const double = await forkDouble('limited');
  const bot = new Telegraf(token, { telegram: { apiRoot: double.url } });
  bot.on('message', (context) => context.reply('An answer'));
  const running = bot.launch();
  const waits: number[] = [];
  try {
    for (let n = 1; n <= count; n++) {
      const asked = performance.timeOrigin + performance.now();
      await double.ask({ kind: 'say', chatId: n, text: '/market' });
      const { messages } = await double.settled(n);
      waits.push((messages.at(-1)?.at ?? Number.NaN) - asked);
    }
  } finally {
    bot.stop();
    await running;
    double.close();
  }
  return (share) => ({ name: 'a plain telegraf bot, alone', value: percentile(waits, share) });
}
