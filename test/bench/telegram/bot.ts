import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Receiver } from '#src/alert/subscription.ts';
import type { Outlet } from '#src/pipeline/delivery.ts';
import { startPipeline } from '#src/pipeline/pipeline.ts';
import telegram from '#src/platforms/telegram/platform.ts';
import { startTelegram } from '#src/platforms/telegram/telegram.ts';
import { steadyClock, wallClock } from '#src/runtime/clock.ts';
import { createPace } from '#src/runtime/pace.ts';
import { day } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { change, subscription } from '#test/support/alerts.ts';
import { conversationPorts, notifierPorts } from '#test/support/ports.ts';
import { steadyWait } from '#test/support/steady-wait.ts';
import { token } from '#test/support/telegram/double.ts';

interface BotOptions {
  /** Number of private chats that are subscribed to everything; their ids begin at 1. */
  readonly chats: number;
  readonly limited: boolean;
  readonly database?: string;
  /** Further chats that are subscribed to everything. */
  readonly addresses?: readonly Receiver['address'][];
  readonly otherOutlets?: readonly Outlet[];
  readonly expireAfter?: number;
}

/** Starts the pipeline, the outbox, the notifier and, with the same pace, the platform that answers commands. */
export async function startBot(
  url: string,
  { chats, limited, database, addresses = [], otherOutlets = [], expireAfter = day }: BotOptions,
) {
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-telegram-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const store = await openStore(database ?? `file:${join(folder, 'tocsin.db')}`);
  started.defer(() => store.close());
  const privateChats = Array.from({ length: chats }, (_, n) => ({ chatId: String(n + 1) }));
  for (const address of [...addresses, ...privateChats])
    await store.subscriptions.add(subscription({ receiver: { notifier: 'telegram', address } }));
  const log = pino({ level: 'error' });
  const { concurrency, paceKey } = telegram.limits;
  const options = telegram.options.parse({ token, apiRoot: url });
  const pace = createPace(limited ? telegram.limits : {}, steadyWait);
  const connection = telegram.notifier(options, notifierPorts({ log, pace }));
  started.defer(async () => connection.close?.());
  const platform = await startTelegram(options, conversationPorts({ log, pace }));
  started.defer(() => platform.close());
  const pipeline = await startPipeline({
    store,
    outlets: [
      { name: 'telegram', connection, concurrency, pace, ...(paceKey && { paceKey }) },
      ...otherOutlets,
    ],
    inhibitRules: [],
    expireAfter,
    pageSize: 500,
    now: wallClock.now,
    wall: wallClock,
    steady: steadyClock,
    random: Math.random,
    source: () => 'simulated',
    log,
    count: () => {},
  });
  started.defer(() => pipeline.stop());
  const running = started.move();
  let state = 0;
  return {
    /** Sends one alert to every chat. */
    alert: (symbol: string) =>
      pipeline.dispatch(
        { name: 'bench', groupWait: 0 },
        { state: { n: ++state }, changes: [change({ symbol })] },
      ),
    /** Sends an own alert to each of so many chats, all of which have become true in one look. */
    own: (count: number) =>
      pipeline.dispatch(
        { name: 'rules', groupWait: 30_000 },
        {
          state: { n: ++state },
          changes: Array.from({ length: count }, (_, n) => ({
            ...change({ title: 'BTC price 65,000 (your alert: above 64,900)' }),
            labels: { kind: 'own-rule', rule: `rule${n}`, symbol: 'BTCUSDT' },
            only: { notifier: 'telegram', address: { chatId: String(n + 1) } },
            burst: null,
          })),
        },
      ),
    close: () => running.disposeAsync(),
  };
}
