import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { DeliveryError } from '#src/language/errors.ts';
import { createPace } from '#src/pace/pace.ts';
import type { Outlet } from '#src/pipeline/delivery.ts';
import discord from '#src/platforms/discord/platform.ts';
import { steadyWait } from '#src/runtime/clock.ts';
import { day } from '#src/runtime/units.ts';
import { serverNoted } from '../support/postgres.ts';
import { servePostgres } from '../support/postgres-server.ts';
import { keepMillion, keepWaiting } from './fan-out/million.ts';
import { percentile, report } from './measuring/figures.ts';
import { inFolder, load } from './measuring/program.ts';
import { forkDouble } from './telegram/ask-double.ts';
import { startBot } from './telegram/bot.ts';

/** Writing a million rows takes half a minute on each database. */
export const slow = true;

const waiting = 1_000_000;
/** Chats that nothing is wrong with: as many as Telegram's limit of 30 a second lets through in two seconds, and some fewer. */
const others = 40;
const alerts = 6;
/** Ms between two alerts. */
const every = 5_000;
const [forum, limited, hanging] = [-1001, -1002, -1003];

/**
 * `npm run bench -- crowd`: how soon chats are told while others are in the way. On Telegram, at its real limits, a forum
 * has 250 subscribed topics, the platform asks a forum with 64 to wait for a minute, and one chat never answers. Discord
 * cannot be reached, and a million of its posts wait.
 */
export default async function crowd(): Promise<void> {
  await inFolder((folder) => measure('SQLite', `file:${folder}/tocsin.db`));
  const postgres = await servePostgres();
  try {
    await measure('Postgres', await (await serverNoted(postgres.note)).fresh());
  } finally {
    await postgres.stop();
  }
}

async function measure(name: string, database: string): Promise<void> {
  await keepMillion(database, waiting);
  await keepWaiting(database, waiting);
  const double = await forkDouble('limited');
  await double.ask({ kind: 'forum', chatId: forum, topics: 250 });
  await double.ask({ kind: 'forum', chatId: limited, topics: 64 });
  await double.ask({ kind: 'refuse', chatIds: [limited], retryAfter: 60 });
  await double.ask({ kind: 'hang', chatId: hanging });
  const topics = (chatId: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ chatId: String(chatId), threadId: n + 1 }));
  const { outlet, attempts } = unreachable();
  const bot = await startBot(double.url, {
    chats: others,
    limited: true,
    database,
    addresses: [...topics(forum, 250), ...topics(limited, 64), { chatId: String(hanging) }],
    otherOutlets: [outlet],
    expireAfter: 100_000 * day,
  });
  try {
    const monitor = monitorEventLoopDelay({ resolution: 1 });
    const started = performance.now();
    await bot.alert('FIRSTUSDT');
    await double.settled(others);
    const firstToldAfter = (performance.now() - started) / 1_000;
    monitor.enable();
    const begun: number[] = [];
    for (let n = 0; n < alerts; n++) {
      begun.push(performance.timeOrigin + performance.now());
      await bot.alert(`CROWD${n}USDT`);
      await delay(every);
    }
    monitor.disable();
    const { messages, refused } = await double.ask({ kind: 'report' });
    const toOthers = messages.filter(({ chatId }) => Number(chatId) > 0);
    const waits = begun.map((at, n) =>
      Math.max(
        ...toOthers.filter(({ title }) => title.includes(`CROWD${n}USDT`)).map((message) => message.at - at),
      ),
    );
    report(`crowd: 40 chats beside all that is in the way, ${name}`, [
      {
        name: `the last of them told, worst of ${alerts} alerts`,
        value: Math.max(...waits) / 1_000,
        unit: 's',
        bound: { most: 2 },
      },
      { name: 'the last of them told of the first alert after the start', value: firstToldAfter, unit: 's' },
      { name: 'the last of them told, median', value: percentile(waits, 0.5) / 1_000, unit: 's' },
      {
        name: 'lost or twice',
        value: Math.abs(others * (alerts + 1) - toOthers.length),
        unit: 'messages',
        bound: { most: 0 },
      },
      {
        name: 'event-loop delay, p99',
        value: monitor.percentile(99) / 1e6 - 1,
        unit: 'ms',
        bound: { most: 50 },
      },
      { name: 'event-loop delay, worst', value: monitor.max / 1e6 - 1, unit: 'ms' },
      { name: '429, beside the one that was asked for', value: refused, unit: '', bound: { most: 0 } },
      { name: 'posts that wait for Discord', value: waiting, unit: '' },
      { name: 'attempts to reach it', value: attempts(), unit: '' },
      load(),
    ]);
  } finally {
    await bot.close();
    double.close();
  }
}

/** Creates an outlet to a Discord that refuses connections. */
function unreachable(): { outlet: Outlet; attempts: () => number } {
  let attempts = 0;
  const { concurrency } = discord.limits;
  const outlet: Outlet = {
    name: 'discord',
    concurrency,
    pace: createPace(discord.limits, steadyWait),
    paceKey: ({ channel }) => String(channel),
    connection: {
      async send() {
        attempts += 1;
        throw new DeliveryError({ kind: 'unavailable', accepted: 'no' }, 'Discord cannot be reached.');
      },
    },
  };
  return { outlet, attempts: () => attempts };
}
