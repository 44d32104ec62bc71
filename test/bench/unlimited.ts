import { setTimeout as delay } from 'node:timers/promises';
import { Telegraf } from 'telegraf';
import { createPace } from '#src/pace/pace.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { token } from '#test/support/telegram/double.ts';
import { serverNoted } from '../support/postgres.ts';
import { servePostgres } from '../support/postgres-server.ts';
import { broadcast, discordJs, openDouble } from './discord/broadcast.ts';
import { type Figure, percentile, report } from './measuring/figures.ts';
import { inFolder, load, processorSince } from './measuring/program.ts';
import { forkDouble } from './telegram/ask-double.ts';
import { startBot } from './telegram/bot.ts';

/** Five rounds take minutes. */
export const slow = true;

const messages = 5_000;
const rounds = 5;

/** Result of one run: messages per second, and ms of the sender's processor time per message. */
interface Run {
  readonly rate: number;
  readonly processor: number;
}
type Send = (database: string) => Promise<Run>;

const now = () => performance.timeOrigin + performance.now();

/**
 * `npm run bench -- unlimited`: one alert to 5,000 chats of a Telegram, or channels of a Discord, without limits, each in
 * its own process, through the whole pipeline and a durable database. Reports medians of five rounds; in each round
 * plain telegraf and discord.js send as many messages without a database.
 */
export default async function unlimited(): Promise<void> {
  const postgres = await servePostgres();
  try {
    const server = await serverNoted(postgres.note);
    const onSqlite = (send: Send) => inFolder((folder) => send(`file:${folder}/tocsin.db`));
    const onPostgres = async (send: Send) => send(await server.fresh());
    const senders: Readonly<Record<string, () => Promise<Run>>> = {
      'Telegram, SQLite': () => onSqlite(throughTelegram),
      'Telegram, Postgres': () => onPostgres(throughTelegram),
      'plain telegraf': telegrafAlone,
      'Discord, SQLite': () => onSqlite(throughDiscord),
      'Discord, Postgres': () => onPostgres(throughDiscord),
      'discord.js': discordAlone,
    };
    const runs = new Map(Object.keys(senders).map((name) => [name, [] as Run[]]));
    for (let round = 0; round < rounds; round++)
      for (const [name, send] of Object.entries(senders)) runs.get(name)?.push(await send());
    const median = (name: string, of: (run: Run) => number) =>
      percentile((runs.get(name) ?? []).map(of), 0.5);
    const rate = (name: string) => median(name, (run) => run.rate);
    for (const [platform, plain] of [
      ['Telegram', 'plain telegraf'],
      ['Discord', 'discord.js'],
    ] as const) {
      report(
        `unlimited: ${platform}, one alert to ${messages.toLocaleString('en-US')}, median of ${rounds}`,
        [
          ...figures(`${platform}, SQLite`, 3_000),
          ...figures(`${platform}, Postgres`, 2_500),
          { name: plain, value: rate(plain), unit: 'messages/s' },
          { name: '  processor of each', value: median(plain, (run) => run.processor), unit: 'ms' },
          load(),
        ],
      );

      function figures(name: string, least: number): Figure[] {
        return [
          {
            name,
            value: rate(name),
            unit: 'messages/s',
            bound: { least },
            baseline: { name: plain, value: rate(plain) },
          },
          {
            name: '  processor of each',
            value: median(name, (run) => run.processor),
            unit: 'ms',
            bound: { most: 0.2 },
          },
        ];
      }
    }
  } finally {
    await postgres.stop();
  }
}

async function throughTelegram(database: string): Promise<Run> {
  const double = await forkDouble('unlimited');
  const bot = await startBot(double.url, { chats: messages, limited: false, database });
  try {
    await delay(500);
    const [begun, before] = [now(), process.cpuUsage()];
    await bot.alert('BTCUSDT');
    const arrivals = await double.settled(messages);
    const processor = processorSince(before);
    if (arrivals.sent !== messages) throw new Error(`${arrivals.sent} messages arrived of ${messages}`);
    const last = Math.max(...arrivals.messages.map(({ at }) => at));
    return { rate: (1_000 * messages) / (last - begun), processor: processor / messages };
  } finally {
    await bot.close();
    double.close();
  }
}

/** Sends a hundred messages at a time, because more connections at once fail. */
async function telegrafAlone(): Promise<Run> {
  const double = await forkDouble('unlimited');
  const { telegram } = new Telegraf(token, { telegram: { apiRoot: double.url } });
  const [begun, before] = [now(), process.cpuUsage()];
  const left = Array.from({ length: messages }, (_, index) => index + 1).values();
  const sender = async () => {
    for (const chatId of left) await telegram.sendMessage(chatId, 'An alert');
  };
  await Promise.all(Array.from({ length: 100 }, sender));
  const [took, processor] = [now() - begun, processorSince(before)];
  double.close();
  return { rate: (1_000 * messages) / took, processor: processor / messages };
}

async function throughDiscord(database: string): Promise<Run> {
  const double = await openDouble({ channels: messages, limited: false });
  const { took, processor } = await broadcast(double, { pace: createPace({}, wallClock), database });
  const { messages: arrived } = await double.count();
  double.close();
  if (arrived !== messages) throw new Error(`${arrived} messages arrived of ${messages}`);
  return { rate: (1_000 * messages) / took, processor: processor / messages };
}

async function discordAlone(): Promise<Run> {
  const double = await openDouble({ channels: messages, limited: false });
  const { took, processor } = await discordJs(double, Number.POSITIVE_INFINITY);
  double.close();
  return { rate: (1_000 * messages) / took, processor: processor / messages };
}
