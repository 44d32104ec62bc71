import type { Logger } from 'pino';
import { Agent } from 'undici';
import { dataBlind } from './alert/alert.ts';
import { createAnswering } from './answering.ts';
import { sayAlert, sayCard } from './card/say-card.ts';
import { sourceLine } from './card/source.ts';
import { type Chats, createPictures, startChats } from './chats.ts';
import { createClient } from './client/create-client.ts';
import { metaEvery, trackMeta } from './client/meta.ts';
import type { Caller, Command, CommandContext } from './commands/command.ts';
import type { Config } from './config.ts';
import { dataService, rememberMarket } from './data-service.ts';
import { readerBy } from './language/preferences.ts';
import { plainReader, say } from './language/say.ts';
import { msg } from './language/text.ts';
import { createPace } from './pace/pace.ts';
import type { Outlet } from './pipeline/delivery.ts';
import { startPipeline } from './pipeline/pipeline.ts';
import { tryPost } from './pipeline/try-post.ts';
import { startWatch, type Watch } from './pipeline/watch.ts';
import { startTerminal, type Terminal } from './platforms/terminal.ts';
import { createConsole } from './platforms/web/console.ts';
import { openPreviews } from './previews.ts';
import { startRecording } from './record/recording.ts';
import { createRecords, recordKept } from './record/records.ts';
import { rulesDetector } from './rules/detector.ts';
import { liveBook } from './rules/live.ts';
import type { WallClock } from './runtime/clock.ts';
import { startLoop } from './runtime/loop.ts';
import { createMetrics } from './runtime/metrics.ts';
import { createSchedule } from './runtime/schedule.ts';
import { minute, second } from './runtime/units.ts';
import { readStatus } from './status.ts';
import { openStore } from './store/open.ts';
import { mainRoom, terminalReceiver, welcome } from './welcome.ts';

export interface BotOptions {
  readonly config: Config;
  readonly commands: readonly Command[];
  readonly terminal: Terminal;
  readonly wall: WallClock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly log: Logger;
}

export interface Bot {
  /** Where the page is. */
  readonly url: string;
  close(): Promise<void>;
}

/** How long a person's question may take, wall ms. */
const patience = 20 * second;
/** How often the bot writes down that it runs, wall ms; after four that are missing it counts as down. */
const heartbeat = 15 * second;

/**
 * The bot, from its database to its page: each part is started in the order in which it is needed, and ended in
 * reverse. @throws ConfigError
 */
export async function startBot(options: BotOptions): Promise<Bot> {
  const { config, commands, terminal, wall, random, log } = options;
  const startedAt = wall.now();
  await using started = new AsyncDisposableStack();

  const store = await openStore(config.database);
  started.defer(() => store.close());

  const service = await dataService(config, log);
  started.defer(() => service.close());

  const http = new Agent({ connections: 16, pipelining: 1 });
  started.defer(() => http.destroy());
  const client = createClient({
    baseUrl: service.url,
    ...(service.apiKey !== null && { apiKey: service.apiKey }),
    wall,
    market: () => meta.market(),
    budget: { ...config.data.budget, log: store.requests },
    timeouts: { attempt: config.data.timeout, patience: 5 * second },
    maxBody: config.data.maxBody,
    random,
    http,
  });
  started.defer(async () => client.close());
  const marketTime = await rememberMarket(store, config.data.url ?? 'embedded', wall);
  const meta = trackMeta(client.polls, wall, marketTime.last);
  const now = () => meta.market().now();
  const source = () => sourceLine(meta.last()?.source ?? 'hosted', meta.market().speed);

  let watch: Watch | undefined;
  const status = () =>
    readStatus({ client, meta, store, watch: () => watch?.status() ?? [], wall, startedAt });
  const kinds = [
    ...config.detectors.map(({ detector: { name, description, preset } }) => ({
      name,
      description,
      preset,
    })),
    { name: dataBlind, description: msg('A kind one is subscribed to sees nothing, or sees again') },
  ];
  const universe = () => meta.last()?.symbols ?? [];
  const { url, embedded } = config.data;
  const market = url ?? `${embedded.market} ${embedded.seed}`;
  const records = createRecords({
    outcomes: store.outcomes,
    market,
    kinds: config.detectors.flatMap(({ detector: { name, claim } }) =>
      claim === null ? [] : [{ name, ...(claim !== undefined && { way: claim.said }) }],
    ),
    now,
  });
  const previews = openPreviews(config, {
    data: client,
    store,
    market,
    universe,
    clock: meta.market,
    wall,
    log,
  });
  started.defer(() => previews.close());
  let outlets: readonly Outlet[] = [];
  const context = (caller: Caller): CommandContext => ({
    caller,
    data: client.questions,
    store,
    now: now(),
    universe: universe(),
    kinds,
    commands,
    operator: caller.person !== undefined && config.operators.includes(caller.person),
    records,
    preview: previews.preview,
    status,
    async tryPost(receiver, card) {
      const { language, timeZone } = caller;
      const said = readerBy(await store.preferences.of(receiver), { language, timeZone });
      await tryPost(outlets, receiver, sayCard(card, said), AbortSignal.timeout(patience));
    },
    signal: AbortSignal.timeout(patience),
  });
  const answering = createAnswering(context, log);

  const metrics = createMetrics({
    outbox_waiting: {
      help: 'Notifications accepted and not yet sent',
      value: async () => (await store.outbox.backlog()).waiting,
    },
    budget_used: {
      help: 'Requests to the data service in the current window',
      value: () => client.budget().used,
    },
    subscriptions: { help: 'Subscriptions', value: () => store.subscriptions.count() },
  });
  const page = await createConsole({
    ...config.http,
    clock: wall,
    messages: store.messages,
    runCommand: answering.ask,
    reader: answering.reader,
    complete: answering.complete,
    status,
    recentAlerts: async () => (await store.alerts.recent(100)).map(sayAlert),
    deliveries: async () =>
      (await store.deliveries.latest(100)).map(({ title, reason, ...each }) => ({
        ...each,
        title: say(title, plainReader),
        reason: reason && say(reason.text, plainReader),
      })),
    metrics: metrics.text,
    ready: () => watch !== undefined,
    log,
  });
  started.defer(() => page.close());

  const pictures = createPictures({ log, wall });
  started.defer(() => pictures.close());
  let chats: Chats | undefined;
  const lost: Chats['lost'] = (address, reason) => chats?.lost(address, reason);
  const ports = { web: page, terminal, clock: wall, now, log, image: pictures.image, lost };
  outlets = config.notifiers.map(({ notifier, options: given }) => {
    const pace = createPace(notifier.limits, wall);
    const { concurrency, sharedBy } = notifier.limits;
    return {
      name: notifier.name,
      connection: notifier.connect(given, { ...ports, pace }),
      concurrency,
      pace,
      ...(sharedBy !== undefined && { sharedBy }),
    };
  });
  for (const { connection } of outlets) started.defer(async () => connection.close?.());

  await terminal.write(`Tocsin is on ${page.url}\n`);
  await service.ready;
  await meta.refresh().catch((error) => log.warn({ err: error }, 'the data service does not answer yet'));
  const refreshing = startLoop(
    async () => {
      await meta.refresh();
      await marketTime.keep(now());
      return meta.last()?.ready === false ? second : metaEvery(meta.market().speed);
    },
    {
      wall,
      onError: (error) => log.debug({ err: error }, 'what the data service says of itself is out of reach'),
    },
  );
  started.defer(() => refreshing.stop());
  await welcome(
    store,
    outlets.map(({ name }) => name),
    { now: now(), timeZone: terminal.timeZone },
  );

  const pipeline = await startPipeline({
    store,
    outlets,
    inhibitRules: config.inhibit,
    ...config.delivery,
    universe,
    now,
    wall,
    random,
    source,
    market,
    recordOf: records.factOf,
    log,
    count(outcome, reason, notifier) {
      metrics.deliveries.inc({ outcome, notifier });
      if (outcome === 'suppressed') metrics.suppressed.inc({ reason, notifier });
    },
  });
  started.defer(() => pipeline.stop());

  watch = startWatch({
    watched: [
      ...config.detectors.filter(({ enabled }) => enabled),
      {
        detector: rulesDetector({ book: liveBook(store.rules), universe, ended: store.rules.end }),
        options: { requests: config.rules.requests },
        schedule: config.rules.schedule,
      },
    ]
      .filter(() => config.watch)
      .map((each) => ({ ...each, schedule: createSchedule(each.schedule) })),
    data: client.polls,
    store,
    pipeline,
    market: meta.market,
    wall,
    log,
    universe,
    blind: config.blind,
  });
  const watching = watch;
  started.defer(() => watching.stop());

  const recording = startRecording({
    data: client.polls,
    store,
    records,
    market,
    clock: meta.market,
    wall,
    log,
  });
  started.defer(() => recording.stop());

  const beating = startLoop(
    async () => {
      await store.heartbeat({ market: now(), wall: wall.now() }, 4 * heartbeat);
      return heartbeat;
    },
    { wall, onError: (error) => log.error({ err: error }, 'that the bot runs could not be written down') },
  );
  started.defer(() => beating.stop());

  const pruning = startLoop(
    async () => {
      const at = now();
      await store.prune({
        before: at - config.delivery.keep,
        requests: at - 2 * config.data.budget.window,
        record: at - recordKept,
        wall: wall.now(),
      });
      return Math.max(minute, (60 * minute) / meta.market().speed);
    },
    { wall, onError: (error) => log.error({ err: error }, 'what is old could not be forgotten') },
  );
  started.defer(() => pruning.stop());

  const talking = { commands, ...answering, universe, kinds, now, wall, log };
  const platforms = await startChats({ ...talking, config, store, outlets, pictures });
  started.defer(() => platforms.close());
  chats = platforms;

  const typed = startTerminal({ terminal, receiver: terminalReceiver, ...answering });
  started.defer(async () => typed.close());
  log.info(
    { source: say(source(), plainReader), page: page.url, receiver: mainRoom.address },
    'watching the market',
  );

  const running = started.move();
  return { url: page.url, close: () => running.disposeAsync() };
}
