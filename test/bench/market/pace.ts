import { setTimeout as delay } from 'node:timers/promises';
import { none, report } from '../measuring/figures.ts';
import { load } from '../measuring/program.ts';
import { forkDouble } from '../telegram/ask-double.ts';
import { startBot } from '../telegram/bot.ts';

const perSecond = 30;

/** Own alerts that become true in one look, each of a chat of its own, at Telegram's real limits. */
export async function pace(count: number): Promise<void> {
  const double = await forkDouble('limited');
  const bot = await startBot(double.url, { chats: 0, limited: true });
  await delay(1_500);
  const began = performance.timeOrigin + performance.now();
  await bot.own(count);
  const { messages, refused } = await double.settled(count);
  const took = (Math.max(...messages.map(({ at }) => at)) - began) / 1_000;
  const chats = new Set(messages.map(({ chatId }) => chatId)).size;
  report(`market: ${count.toLocaleString('en-US')} own alerts true in one look`, [
    {
      name: 'they leave at this share of the platform’s pace',
      value: count / took / perSecond,
      unit: '',
      bound: { least: 0.95 },
    },
    { name: 'first message', value: Math.min(...messages.map(({ at }) => at)) - began, unit: 'ms' },
    none('lost or twice', Math.abs(count - messages.length) + count - chats, 'messages'),
    none('429', refused),
    load(),
  ]);
  await bot.close();
  double.close();
}
