import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stringify } from 'yaml';
import { openStore } from '#src/store/open.ts';
import { subscription } from '#test/support/alerts.ts';
import { startDiscord } from '#test/support/discord/discord.ts';
import { startHosted } from '#test/support/hosted.ts';
import { startTelegramDouble } from '#test/support/telegram/double.ts';
import { inFolder } from '../bench/measuring/program.ts';
import { runScript } from '../e2e/process/program.ts';
import { startCluster } from './cluster.ts';
import { openGate } from './gate.ts';

/** What two processes of `npm start` sent while the primary of their database was killed. */
export interface Outcome {
  /** Wall seconds from the kill until another server was the primary, and until the next message. */
  readonly elected: number;
  readonly resumed: number;
  readonly alerts: number;
  readonly messages: number;
  /** Chat and alert of each message that never came, and of each that came twice. */
  readonly lost: readonly string[];
  readonly doubled: Readonly<Record<'discord' | 'telegram', readonly string[]>>;
  /** Number of deliveries that the log marks as possibly doubled. */
  readonly logged: number;
}

/** Number of chats per platform; all of them get every alert. */
const chats = 60;
/** Funding of these markets becomes extreme one after another; the primary dies while the second alert is being sent. */
const symbols = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT'];
/** Market s per wall s. */
const speed = 30;
/** Ms within which all chats must have an alert; long enough for a slow machine. */
const patience = 240_000;

const settings = {
  inhibit: [],
  delivery: { budget: null },
  data: { budget: { limit: 100_000 } },
  // Each alert is its own message: alerts do not wait for each other.
  detectors: { 'funding-extreme': { enabled: true, schedule: '*/15 * * * * *' } },
};

export const runFailover = (): Promise<Outcome> =>
  inFolder(async (folder) => {
    await using started = new AsyncDisposableStack();
    const cluster = started.adopt(await startCluster(), (each) => each.close());
    await cluster.synchronous();
    const gate = started.adopt(await openGate(cluster.members), (each) => each.close());
    const database = cluster.url(gate.port);
    const hosted = await startHosted(speed);
    started.defer(() => hosted.shut());
    const discord = started.adopt(await startDiscord(), (each) => each.close());
    const telegram = started.adopt(await startTelegramDouble({ openDoor: true }), (each) => each.close());
    const { guild } = discord.addGuild();
    const channels = Array.from({ length: chats }, (_, n) =>
      discord.addChannel({ guild_id: guild.id, name: `told-${n}` }),
    );
    const store = started.adopt(await openStore(database), (each) => each.close());
    const receivers = [
      ...channels.map(({ id }) => ({
        notifier: 'discord',
        address: { channelId: id, guildId: guild.id },
      })),
      ...Array.from({ length: chats }, (_, n) => ({
        notifier: 'telegram',
        address: { chatId: String(7_000 + n) },
      })),
    ];
    for (const receiver of receivers)
      await store.subscriptions.add(subscription({ receiver, kinds: ['funding-extreme'] }));

    const config = join(folder, 'config.yaml');
    await writeFile(config, stringify(settings));
    const bots = [0, 1].map(() =>
      started.use(
        runScript('start', {
          environment: {
            TOCSIN_API_URL: hosted.url,
            TOCSIN_CONFIG: config,
            TOCSIN_DATABASE_URL: database,
            TOCSIN_HTTP_PORT: '0',
            DISCORD_TOKEN: discord.token,
            DISCORD_API_URL: discord.url,
            TELEGRAM_TOKEN: telegram.token,
            TELEGRAM_API_URL: telegram.url,
          },
        }),
      ),
    );
    await Promise.race(bots.map((bot) => bot.says(/watching the market/)));

    /** Returns the messages in each chat. */
    const standing = (): ReadonlyMap<string, readonly string[]> => {
      const inDiscord = channels.map(({ id, messages }): [string, readonly string[]] => [
        `discord ${id}`,
        messages.map(({ embeds }) => JSON.stringify(embeds)),
      ]);
      const inTelegram = Array.from({ length: chats }, (_, n): [string, readonly string[]] => [
        `telegram ${7_000 + n}`,
        telegram.texts(7_000 + n),
      ]);
      return new Map([...inDiscord, ...inTelegram]);
    };
    const times = (symbol: string) =>
      [...standing()].map(([chat, texts]): [string, number] => [
        chat,
        texts.filter((text) => text.includes(symbol.slice(0, 3))).length,
      ]);
    const arrived = (symbol: string) => times(symbol).filter(([, n]) => n > 0).length;
    const until = async (what: string, holds: () => boolean, within = patience) => {
      for (const end = performance.now() + within; !holds(); await delay(10))
        if (performance.now() > end)
          throw new Error(
            `never: ${what}\n${bots.map((bot) => bot.written().slice(-3_000)).join('\n---\n')}`,
          );
    };
    const extreme = (count: number) =>
      hosted.settle(
        symbols.slice(0, count).map((symbol) => ({ symbol, severity: 'EXTREME' as const, zScore: 3.6 })),
      );
    // The first look at a market sends no alert.
    extreme(0);
    await delay((3 * 15_000) / speed);

    let [elected, resumed] = [Number.NaN, Number.NaN];
    for (const [index, symbol] of symbols.entries()) {
      extreme(index + 1);
      if (index === 1) {
        await until(`${symbol} is under way`, () => arrived(symbol) >= chats / 2);
        const from = performance.now();
        (await cluster.primary()).kill();
        await delay(100);
        await cluster.primary();
        elected = (performance.now() - from) / 1_000;
        const before = arrived(symbol);
        await until(`${symbol} goes on`, () => arrived(symbol) > before);
        resumed = (performance.now() - from) / 1_000;
      }
      await until(`${symbol} is with all`, () => arrived(symbol) === 2 * chats).catch((error: unknown) => {
        if (arrived(symbol) === 0) throw error;
      });
    }
    const doubled: Record<'discord' | 'telegram', string[]> = { discord: [], telegram: [] };
    const lost: string[] = [];
    for (const symbol of symbols)
      for (const [chat, n] of times(symbol)) {
        if (n === 0) lost.push(`${chat}: ${symbol}`);
        if (n > 1) doubled[chat.startsWith('discord') ? 'discord' : 'telegram'].push(`${chat}: ${symbol}`);
      }
    let logged = 0;
    for (const receiver of receivers) {
      const rows = await store.deliveries.recent(receiver, 100);
      logged += rows.filter(({ reason }) => reason?.code === 'possibly_doubled').length;
    }
    const messages = [...standing().values()].reduce((sum, texts) => sum + texts.length, 0);
    return { elected, resumed, alerts: symbols.length, messages, lost, doubled, logged };
  });
