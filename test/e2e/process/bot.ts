import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import { type Discord, startDiscord } from '#test/support/discord/discord.ts';
import type { StoredChannel, StoredGuild } from '#test/support/discord/world.ts';
import { startTelegramDouble, type TelegramDouble } from '#test/support/telegram/double.ts';
import { type Program, runScript } from './program.ts';

/** `npm start` in its own process, with strict doubles of Discord and Telegram. */
export interface BotProcess extends AsyncDisposable {
  readonly program: Program;
  readonly discord: Discord;
  readonly guild: StoredGuild;
  readonly channel: StoredChannel;
  readonly telegram: TelegramDouble;
  /** Resolves with the market time, ms, by which every detector has looked at the market. */
  looked(): Promise<number>;
  /** Resolves with the number of messages that are still to be sent. */
  waiting(): Promise<number>;
  /** Returns the log lines of defects: errors of the bot itself, and commands that failed. */
  defects(): string[];
}

export interface BotProcessOptions {
  /** The hosted data service; absent: the embedded one. */
  readonly hosted?: { readonly url: string; readonly key?: string };
  /** Settings that override config/default.yaml. */
  readonly config?: object;
  /** Whether its machine may sleep (`Program.sleep`). */
  readonly sleeps?: boolean;
}

const status = z.object({
  detectors: z.array(z.object({ lastRun: z.number().nullable() })),
  outbox: z.object({ waiting: z.number() }),
});

/** Ms that Discord waits for an answer. Long, because the machine may be slow; only a missing answer is a failure. */
const patience = 60_000;

/** Starts the bot on an empty folder; resolves once it is connected to both chats and watches the market. */
export async function startBotProcess({
  hosted,
  config = {},
  sleeps = false,
}: BotProcessOptions = {}): Promise<BotProcess> {
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-process-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'config.yaml'), stringify(config));
  const discord = started.adopt(await startDiscord({ patience }), (each) => each.close());
  const { guild, channel } = discord.addGuild();
  const telegram = started.adopt(await startTelegramDouble(), (each) => each.close());
  const program = started.use(
    runScript('start', {
      sleeps,
      environment: {
        ...(hosted !== undefined && { TOCSIN_API_URL: hosted.url, TOCSIN_API_KEY: hosted.key ?? '' }),
        TOCSIN_CONFIG: join(folder, 'config.yaml'),
        TOCSIN_DATABASE_URL: `file:${join(folder, 'tocsin.db')}`,
        TOCSIN_ARCHIVE_URL: `file:${join(folder, 'archive.db')}`,
        TOCSIN_HTTP_PORT: '0',
        DISCORD_TOKEN: discord.token,
        DISCORD_API_URL: discord.url,
        TELEGRAM_TOKEN: telegram.token,
        TELEGRAM_API_URL: telegram.url,
      },
    }),
  );
  await Promise.all(
    [/in Discord/, /on Telegram/, /slash commands are registered with Discord/, /watching the market/].map(
      program.says,
    ),
  );
  const [, page] = await program.says(/Tocsin is on (\S+)/);
  const read = async () => status.parse(await (await fetch(`${page}/api/status`)).json());
  const running = started.move();
  return {
    program,
    discord,
    guild,
    channel,
    telegram,
    looked: async () => Math.min(...(await read()).detectors.map(({ lastRun }) => lastRun ?? 0)),
    waiting: async () => (await read()).outbox.waiting,
    // 50 and 60 are pino's numbers of errors and fatal errors; a failed answer is logged as a warning.
    defects: () =>
      program
        .written()
        .split('\n')
        .filter((line) =>
          /"level":[56]0|^\s+at |Discord: .* failed|could not deliver an answer to its chat/.test(line),
        ),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
