import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Figure, none, percentile, report } from './measuring/figures.ts';
import { load } from './measuring/program.ts';
import { forkDouble } from './telegram/ask-double.ts';
import { startBot } from './telegram/bot.ts';
import type { Arrivals } from './telegram/double.ts';
import { others, plainAnswers } from './telegram/others.ts';

/** A broadcast at Telegram's real limits takes a hundred seconds. */
export const slow = true;

const perSecond = 30;
/** Lowest id of the askers, who are not among the chats that get the alert. */
const asker = 1_000_000;
const askEvery = 3_000;
const retryAfter = 5;

/** `npm run bench -- telegram -- [--quick]`: from an alert to chats on the strict double, with its real limits. */
export default async function telegram(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { quick: { type: 'boolean', default: false } } });
  await broadcast(values.quick ? 300 : 3_000);
  await ordered(100, 3);
  await refused(300);
  for (const [name, send] of Object.entries(others)) {
    const title = `telegram: ${name}, 300 messages`;
    report(title, [...(await alone(send, 300, 0)), ...(await alone(send, 300, 30))]);
  }
}

const lastOf = ({ messages }: Arrivals): number => Math.max(...messages.map(({ at }) => at));
const alerts = ({ messages }: Arrivals) => messages.filter(({ chatId }) => Number(chatId) < asker);
const doubled = (arrivals: Arrivals): number => {
  const all = alerts(arrivals).map(({ chatId, title }) => `${chatId} ${title}`);
  return all.length - new Set(all).size;
};
const now = () => performance.timeOrigin + performance.now();

async function broadcast(chats: number): Promise<void> {
  const double = await forkDouble('limited');
  const bot = await startBot(double.url, { chats, limited: true });
  await delay(1_500);
  const began = now();
  await bot.alert('BTCUSDT');
  const asked = new Map<string, number>();
  const asking = new AbortController();
  const ask = async () => {
    for (let n = 0; !asking.signal.aborted; n++) {
      await delay(askEvery, undefined, { signal: asking.signal });
      asked.set(String(asker + n), now());
      await double.ask({ kind: 'say', chatId: asker + n, text: '/market' });
    }
  };
  const askers = ask().catch(() => {});
  // Answers to the askers come on top of the messages to the chats.
  const expected = () => chats + asked.size;
  let arrivals = await double.settled(chats);
  while (alerts(arrivals).length < chats && arrivals.sent < expected())
    arrivals = await double.settled(expected());
  asking.abort();
  await askers;
  await delay(500);
  arrivals = await double.ask({ kind: 'report' });
  const waits = arrivals.messages
    .flatMap(({ chatId, at }) => at - (asked.get(chatId) ?? Number.NaN))
    .filter((ms) => !Number.isNaN(ms));
  const delivered = alerts(arrivals);
  const plain = await plainAnswers();
  const seconds = (Math.max(...delivered.map(({ at }) => at)) - began) / 1_000;
  const ideal = (chats + waits.length) / perSecond;
  report(`telegram: one alert to ${chats.toLocaleString('en-US')} chats, questions in between`, [
    {
      name: 'all delivered',
      value: seconds,
      unit: 's',
      bound: { most: ideal * 1.05 },
      baseline: { name: `the ideal, ${perSecond} a second`, value: ideal },
    },
    { name: 'first message', value: Math.min(...delivered.map(({ at }) => at)) - began, unit: 'ms' },
    none('429', arrivals.refused),
    none('lost', chats - delivered.length, 'messages'),
    none('twice', doubled(arrivals), 'messages'),
    { name: 'questions unanswered', value: asked.size - waits.length, unit: '', bound: { most: 1 } },
    {
      name: 'answer, worst',
      value: Math.max(...waits),
      unit: 'ms',
      bound: { most: 300 },
      baseline: plain(1),
    },
    { name: 'answer, median', value: percentile(waits, 0.5), unit: 'ms', baseline: plain(0.5) },
    load(),
  ]);
  await bot.close();
  double.close();
}

/** Sends several alerts to each chat, which takes one message a second. */
async function ordered(chats: number, each: number): Promise<void> {
  const double = await forkDouble('limited');
  const bot = await startBot(double.url, { chats, limited: true });
  await delay(1_500);
  const began = now();
  const symbols = Array.from({ length: each }, (_, n) => `S${n}USDT`);
  for (const symbol of symbols) await bot.alert(symbol);
  const arrivals = await double.settled(chats * each);
  const perChat = Map.groupBy(arrivals.messages, ({ chatId }) => chatId);
  const astray = [...perChat.values()].filter(
    (messages) => !messages.every(({ title }, index) => title.includes(`${symbols[index]} `)),
  );
  const seconds = (lastOf(arrivals) - began) / 1_000;
  report(`telegram: ${each} alerts to ${chats} chats`, [
    {
      name: 'all delivered',
      value: seconds,
      unit: 's',
      bound: { most: ((chats * each) / perSecond) * 1.05 },
      baseline: { name: `the ideal, ${perSecond} a second`, value: (chats * each) / perSecond },
    },
    none('chats out of order', astray.length),
    none('lost or twice', Math.abs(chats * each - arrivals.sent), 'messages'),
    none('429', arrivals.refused),
  ]);
  await bot.close();
  double.close();
}

async function refused(chats: number): Promise<void> {
  const double = await forkDouble('limited');
  const held = Array.from({ length: chats / 10 }, (_, index) => 1 + index * 10);
  await double.ask({ kind: 'refuse', chatIds: held, retryAfter });
  const bot = await startBot(double.url, { chats, limited: true });
  await delay(1_500);
  const began = now();
  await bot.alert('BTCUSDT');
  const arrivals = await double.settled(chats);
  const isHeld = new Set(held.map(String));
  const others = arrivals.messages.filter(({ chatId }) => !isHeld.has(chatId)).map(({ at }) => at - began);
  const ideal = chats / perSecond;
  report(`telegram: ${chats} chats, of which ${held.length} answer 429 (retry_after ${retryAfter})`, [
    {
      name: 'all delivered',
      value: (lastOf(arrivals) - began) / 1_000,
      unit: 's',
      bound: { most: ideal * 1.2 + retryAfter },
    },
    {
      name: 'those not held',
      value: Math.max(...others) / 1_000,
      unit: 's',
      bound: { most: ideal * 1.2 },
      baseline: { name: `the ideal, ${perSecond} a second`, value: ideal },
    },
    none('429 beside those', arrivals.refused),
    none('lost or twice', Math.abs(chats - arrivals.sent), 'messages'),
  ]);
  await bot.close();
  double.close();
}

async function alone(
  send: (url: string, count: number) => Promise<void>,
  chats: number,
  faults: number,
): Promise<Figure[]> {
  const double = await forkDouble('limited');
  const held = Array.from({ length: faults }, (_, index) => 1 + index * (chats / Math.max(1, faults)));
  await double.ask({ kind: 'refuse', chatIds: held, retryAfter });
  const began = now();
  await Promise.race([send(double.url, chats), delay(60_000)]);
  const arrivals = await double.ask({ kind: 'report' });
  double.close();
  const when = faults === 0 ? '' : `, ${faults} × 429 injected`;
  return [
    { name: `delivered${when}`, value: arrivals.sent, unit: 'messages' },
    { name: `the last after${when}`, value: (lastOf(arrivals) - began) / 1_000, unit: 's' },
    { name: `429${when}`, value: arrivals.refused, unit: '' },
  ];
}
