import { pino } from 'pino';
import { startPipeline } from '#src/pipeline/pipeline.ts';
import discord from '#src/platforms/discord/platform.ts';
import { steadyClock, wallClock } from '#src/runtime/clock.ts';
import { minute, second } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { change, subscription } from '#test/support/alerts.ts';
import { notifierPorts } from '#test/support/ports.ts';
import { none, report } from '../measuring/figures.ts';
import { broadcast, freshPace, openDouble } from './broadcast.ts';

/** Boards of one token, each in a channel of its own that also gets the alert. */
const count = 1_000;
/** How long changes are watched, and how often the data of a board changes: spread evenly, as markets are. */
const watched = minute;
const every = minute;

/** `npm run bench -- discord -- boards`: a thousand boards on a strict double, and an alert to all their channels with and without them. */
export default async function boards(): Promise<void> {
  const alone = await openDouble({ channels: count, limited: true });
  const { took: without } = await broadcast(alone, { pace: freshPace() });
  alone.close();

  const double = await openDouble({ channels: count, limited: true });
  const store = await openStore('file::memory:');
  const receivers = double.channelIds.map((channelId) => ({
    notifier: 'discord',
    address: { channelId, guildId: double.guildId },
  }));
  const offsets = new Map<string, number>();
  for (const [index, receiver] of receivers.entries()) {
    await store.subscriptions.add(subscription({ receiver, symbols: ['BTCUSDT'] }));
    const wanted = {
      line: `coin ${index}`,
      form: 'message' as const,
      daily: null,
      createdBy: 'me',
      createdAt: 0,
    };
    const { id } = await store.boards.add({ ...wanted, receiver });
    offsets.set(id, (index * every) / count);
  }
  const pace = freshPace();
  const log = pino({ level: 'error' });
  const options = discord.options.parse({ token: double.token, apiUrl: double.url });
  const connection = discord.notifier(options, notifierPorts({ pace, log }));
  const lags: number[] = [];
  let pinned = 0;
  let sent = 0;
  const arrived = Promise.withResolvers<void>();
  const pipeline = await startPipeline({
    store,
    outlets: [
      {
        name: 'discord',
        connection: {
          ...connection,
          async pin(reference, given) {
            await connection.pin?.(reference, given);
            pinned += 1;
          },
          async edit(reference, given) {
            const edited = await connection.edit?.(reference, given);
            const changedAt = Number(given.notification.card.summary);
            if (given.notification.board === true) lags.push(Date.now() - changedAt);
            return edited ?? null;
          },
        },
        concurrency: discord.limits.concurrency,
        pace,
        ...(discord.limits.paceKey && { paceKey: discord.limits.paceKey }),
      },
    ],
    // What changes at a board's time is seen up to five seconds later: an answer is kept for as long.
    draw: async ({ id }) => {
      const seen = Math.floor(Date.now() / (5 * second)) * 5 * second;
      const changed = Math.floor((seen - (offsets.get(id) ?? 0)) / every) * every + (offsets.get(id) ?? 0);
      return { title: 'BTC', summary: String(changed), source: 'simulated' };
    },
    inhibitRules: [],
    expireAfter: 86_400_000,
    pageSize: 500,
    now: wallClock.now,
    wall: wallClock,
    steady: steadyClock,
    random: Math.random,
    source: () => 'simulated',
    log,
    count: ({ outcome }) => {
      if (outcome === 'sent') sent += 1;
      if (sent === count) arrived.resolve();
    },
  });
  while (pinned < count) await wallClock.sleep(second);
  await wallClock.sleep(30 * second);
  lags.length = 0;
  await wallClock.sleep(watched);
  const watchedLags = lags.toSorted((a, b) => a - b);
  const startedAt = Date.now();
  await pipeline.dispatch(
    { name: 'bench', groupWait: 0 },
    { state: 1, changes: [change({ symbol: 'BTCUSDT', title: 'first' })] },
  );
  await arrived.promise;
  const withBoards = Date.now() - startedAt;
  const { messages, statuses } = await double.count();
  await pipeline.stop();
  await connection.close?.();
  await store.close();
  double.close();
  report('boards: 1,000 of one Discord token, each changing once a minute, real limits', [
    {
      name: 'current after a change of its data, the slowest',
      value: (watchedLags.at(-1) ?? Number.NaN) / 1_000,
      unit: 's',
      bound: { most: 10 },
    },
    {
      name: 'changes shown in a minute',
      value: watchedLags.length,
      unit: 'edits',
      bound: { least: 0.95 * count },
    },
    none('refused for pace', statuses[429] ?? 0, '429s'),
    none('lost or doubled', Math.abs(messages - 2 * count), 'messages'),
    {
      name: 'an alert to all their channels',
      value: withBoards / 1_000,
      unit: 's',
      bound: { most: (1.05 * without) / 1_000 },
      baseline: { name: 'the same without boards', value: without / 1_000 },
    },
  ]);
}
