import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { REST, Routes } from 'discord.js';
import { pino } from 'pino';
import type { Receiver } from '#src/alert/subscription.ts';
import { plainReader } from '#src/language/say.ts';
import { startPipeline } from '#src/pipeline/pipeline.ts';
import { startDiscord } from '#src/platforms/discord/discord.ts';
import discord from '#src/platforms/discord/platform.ts';
import { steadyClock, wallClock } from '#src/runtime/clock.ts';
import { createPace, type Pace } from '#src/runtime/pace.ts';
import { openStore } from '#src/store/open.ts';
import { change, subscription } from '#test/support/alerts.ts';
import { commandPorts } from '#test/support/command-ports.ts';
import { commandContext } from '#test/support/commands.ts';
import { conversationPorts, notifierPorts } from '#test/support/ports.ts';
import { steadyWait } from '#test/support/steady-wait.ts';
import { processorSince } from '../measuring/program.ts';
import type { Counted, Opened, Order, Stage } from './double.ts';

export interface Double extends Opened {
  count(): Promise<Counted>;
  hold(channelIds: readonly string[]): void;
  /** Lets one person ask in each channel; nobody waits for the answers. */
  insist(command: string): void;
  /** Lets a person ask; resolves with the ms until they see the answer. */
  ask(command: string): Promise<number>;
  close(): void;
}

export async function openDouble(stage: Stage): Promise<Double> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'double.ts'), [JSON.stringify(stage)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    timeout: 300_000,
  });
  const next = async () => (await once(child, 'message'))[0] as unknown;
  const opened = (await next()) as Opened;
  const order = (given: Order) => child.send(given);
  return {
    ...opened,
    async count() {
      order({ count: true });
      return (await next()) as Counted;
    },
    hold: (channelIds) => void order({ hold: channelIds }),
    insist: (command) => void order({ insist: command }),
    async ask(command) {
      order({ ask: command });
      return ((await next()) as { after: number }).after;
    },
    close: () => void child.disconnect(),
  };
}

const context = commandContext();

/** Starts the platform that answers commands, beside the broadcast. */
export async function talk(double: Double) {
  const platform = startDiscord(
    discord.options.parse({ token: double.token, apiUrl: double.url }),
    conversationPorts({
      ...commandPorts(context),
      ask: async () => ({ title: 'Here' }),
      reader: async () => plainReader,
      steady: wallClock,
      log: pino({ level: 'error' }),
    }),
  );
  await platform.ready;
  return platform;
}

export interface Broadcast {
  /** Ms from the first dispatch until the last message is stored as sent. */
  readonly took: number;
  readonly startedAt: number;
  /** Processor time of this process in that time, ms. */
  readonly processor: number;
}

/** Sends one alert to every channel of the double, and a second one to the first `twice` of them, through the pipeline. */
export async function broadcast(
  double: Double,
  {
    pace,
    twice = 0,
    database = 'file::memory:',
  }: { readonly pace: Pace; readonly twice?: number; readonly database?: string },
  meanwhile: () => Promise<void> = async () => undefined,
): Promise<Broadcast> {
  const store = await openStore(database);
  const receiver = (channelId: string): Receiver => ({
    notifier: 'discord',
    address: { channelId, guildId: double.guildId },
  });
  for (const [index, channelId] of double.channelIds.entries()) {
    const symbols = index < twice ? ['BTCUSDT', 'ETHUSDT'] : ['BTCUSDT'];
    await store.subscriptions.add(subscription({ receiver: receiver(channelId), symbols }));
  }
  const total = double.channelIds.length + twice;
  const done = Promise.withResolvers<void>();
  let sent = 0;
  const options = discord.options.parse({ token: double.token, apiUrl: double.url });
  const log = pino({ level: 'error' });
  const connection = discord.notifier(options, notifierPorts({ pace, log }));
  const { paceKey, concurrency } = discord.limits;
  const pipeline = await startPipeline({
    store,
    outlets: [{ name: 'discord', connection, concurrency, pace, ...(paceKey && { paceKey }) }],
    inhibitRules: [],
    expireAfter: 86_400_000,
    pageSize: 500,
    now: wallClock.now,
    wall: wallClock,
    steady: steadyClock,
    random: Math.random,
    source: () => 'simulated',
    log: pino({ level: 'error' }),
    count: ({ outcome }) => {
      if (outcome === 'sent') sent += 1;
      if (sent === total) done.resolve();
    },
  });
  const startedAt = Date.now();
  const before = process.cpuUsage();
  await pipeline.dispatch(
    { name: 'bench', groupWait: 0 },
    { state: 1, changes: [change({ symbol: 'BTCUSDT', title: 'first' })] },
  );
  if (twice > 0)
    await pipeline.dispatch(
      { name: 'bench', groupWait: 0 },
      { state: 2, changes: [change({ symbol: 'ETHUSDT', title: 'second' })] },
    );
  await meanwhile();
  await done.promise;
  const took = Date.now() - startedAt;
  const processor = processorSince(before);
  await pipeline.stop();
  await connection.close?.();
  await store.close();
  return { took, startedAt, processor };
}

export const freshPace = (): Pace => createPace(discord.limits, steadyWait);

/** Sends one message to every channel with discord.js' own queue, which gets all of them at once. */
export async function discordJs(double: Double, globalRequestsPerSecond = 50): Promise<Broadcast> {
  const rest = new REST({ api: double.url, retries: 3, globalRequestsPerSecond }).setToken(double.token);
  const startedAt = Date.now();
  const before = process.cpuUsage();
  await Promise.all(
    double.channelIds.map((id) =>
      rest.post(Routes.channelMessages(id), {
        body: { embeds: [{ title: 'first', description: 'A summary.' }] },
      }),
    ),
  );
  rest.clearHandlerSweeper();
  rest.clearHashSweeper();
  return { took: Date.now() - startedAt, startedAt, processor: processorSince(before) };
}
