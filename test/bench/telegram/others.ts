import { autoRetry } from '@grammyjs/auto-retry';
import { apiThrottler } from '@grammyjs/transformer-throttler';
import { Api } from 'grammy';
import { Telegraf } from 'telegraf';
import { token } from '#test/support/telegram/double.ts';

/** Sends one text to chats 1 to `count`, as others would; resolves when the sender has done with all of them. */
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
