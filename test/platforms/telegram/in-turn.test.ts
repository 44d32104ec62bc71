import { Telegraf } from 'telegraf';
import type { Update } from 'telegraf/types';
import { expect, it } from 'vitest';
import { inTurn } from '#src/platforms/telegram/telegram.ts';
import { ada, bob, me, token } from '#test/support/telegram/double.ts';

const kinds: [string, (text: string) => object][] = [
  ['asks', (text) => ({ text })],
  ['sends files', (text) => ({ caption: '', document: { file_id: text } })],
];

it.each(kinds)(
  'one member who %s without end delays neither others in the chat nor other chats',
  async (_, said) => {
    const bot = new Telegraf(token);
    bot.botInfo = { ...me, is_bot: true, first_name: 'Tocsin' } as never;
    const answered: string[] = [];
    const free = Promise.withResolvers<void>();
    bot.use(inTurn());
    bot.use(async ({ chat, message }) => {
      if (chat?.id === -1) await free.promise;
      const { text, document } = message as { text?: string; document?: { file_id: string } };
      answered.push(`${chat?.id} ${text ?? document?.file_id}`);
    });
    let id = 0;
    const say = (chatId: number, from: object, text: string) => {
      id += 1;
      const chat = { id: chatId, type: 'supergroup', title: 'x' };
      return bot.handleUpdate({
        update_id: id,
        message: { message_id: id, date: 0, chat, from, ...said(text) },
      } as unknown as Update);
    };
    const all = [
      ...Array.from({ length: 50 }, (_, n) => say(-1, ada, `flood ${n}`)),
      say(-1, bob, 'asked'),
      say(-2, ada, 'elsewhere'),
    ];
    await all.at(-1);
    expect(answered).toEqual(['-2 elsewhere']);
    free.resolve();
    await Promise.all(all);
    const flood = ['flood 0', 'flood 1', 'flood 2', 'flood 3', 'flood 4'];
    expect(answered.slice(1)).toEqual([...flood, 'asked'].map((text) => `-1 ${text}`));
  },
);
