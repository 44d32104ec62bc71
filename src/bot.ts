import type { Logger } from 'pino';
import { dataBlind } from './alert/alert.ts';
import { createAnswering } from './app/answering.ts';
import { type Chats, createPictures, startChats } from './app/chats.ts';
import type { Config } from './app/config.ts';
import { openData } from './app/data-service.ts';
import { keepHeads } from './app/heads.ts';
import { replayedPast } from './app/kept-past.ts';
import { openOutlets } from './app/outlets.ts';
import { openPage } from './app/page.ts';
import { openPreviews } from './app/previews.ts';
import { readStatus } from './app/status.ts';
import { thresholdOf } from './app/threshold.ts';
import { keepHeartbeat, keepMeta, keepPruned } from './app/upkeep.ts';
import { mainRoom, terminalReceiver, welcome } from './app/welcome.ts';
import { sourceLine } from './card/source.ts';
import { plainReader, say } from './language/say.ts';
import { msg, type Text } from './language/text.ts';
import type { Outlet } from './pipeline/delivery.ts';
import { startPipeline } from './pipeline/pipeline.ts';
import { startWatch, type Watch } from './pipeline/watch.ts';
import { startTerminal, type Terminal } from './platforms/terminal/terminal.ts';
import { startRecording } from './record/recording.ts';
import { createRecords } from './record/records.ts';
import { rulesDetector } from './rules/detector.ts';
import { liveBook } from './rules/live.ts';
import type { WallClock } from './runtime/clock.ts';
import { createMetrics } from './runtime/metrics.ts';
import { createSchedule } from './runtime/schedule.ts';
import type { Command } from './shell/command.ts';
import { openStore } from './store/open.ts';

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

/**
 * The bot, from its database to its page: each part is started in the order in which it is needed, and ended in
 * reverse. @throws ConfigError
 */
export async function startBot(options: BotOptions): Promise<Bot> {
  const { config, commands, terminal, wall, random, log } = options;
  const startedAt = wall.now();
  await using started = new AsyncDisposableStack();

  const store = started.adopt(await openStore(config.database, { alone: true }), close);
  const data = started.adopt(await openData(config, { store, wall, random, log }), close);
  const { client, meta } = data;
  const now = () => meta.market().now();
  const universe = meta.symbols;
  const source = () => sourceLine(meta.last()?.source ?? 'hosted', meta.market().speed);
  const market = marketName(config);
  const kinds = kindsOf(config);

  const whole = () => meta.last()?.backfill === 1;
  const previewing = { data: client, store, market, universe, whole, clock: meta.market, wall, log };
  const previews = started.adopt(openPreviews(config, previewing), close);
  const records = createRecords({
    ...{ outcomes: store.outcomes, market, kinds: claimsOf(config), now },
    replayed: () => replayedPast(previews.past()),
  });

  // People may ask before there is anything that watches, sends or talks: until then there is none.
  let outlets: readonly Outlet[] = [];
  let watch: Watch | undefined;
  let chats: Chats | undefined;
  /** Platforms that do not accept their token, and what they say. */
  const refusals = new Map<string, Text>();
  const refused = (platform: string, reason: Text) => void refusals.set(platform, reason);
  const status = () =>
    readStatus({ refusals, client, meta, store, watch: () => watch?.status() ?? [], wall, startedAt });
  const answering = createAnswering({
    ...{ client, store, commands, kinds, records, status, universe, now, log },
    operators: config.operators,
    budget: config.delivery.budget,
    preview: previews.preview,
    outlets: () => outlets,
  });

  const metrics = createMetrics({
    outbox_waiting: {
      help: 'Notifications accepted and not yet sent',
      value: async () => (await store.outbox.backlog()).waiting,
    },
    budget_used: {
      help: 'Requests to the data service in the current window',
      value: () => client.budget().used,
    },
    platforms_refused: {
      help: 'Platforms that do not accept their token: nothing is sent there',
      value: () => refusals.size,
    },
    subscriptions: { help: 'Subscriptions', value: () => store.subscriptions.count() },
  });
  const ready = () => ({ started: watch !== undefined, refused: [...refusals.keys()] });
  const page = started.adopt(
    await openPage(config, { store, answering, status, metrics, ready, wall, log }),
    close,
  );

  const pictures = started.adopt(createPictures({ log, wall }), close);
  const lost: Chats['lost'] = (...lost) => chats?.lost(...lost);
  const ports = { web: page, terminal, clock: wall, now, log, image: pictures.image, lost, refused };
  outlets = openOutlets(config, ports);
  for (const { connection } of outlets) started.defer(async () => connection.close?.());

  await terminal.write(`Tocsin is on ${page.url}\n`);
  await data.ready;
  // Where it does not answer yet, what keeps asking says so.
  await meta.refresh().catch(() => {});
  started.adopt(keepMeta({ meta, wall, log }, data.keepTime), stop);
  await welcome(
    store,
    outlets.map(({ name }) => name),
    { kinds, now: now(), timeZone: terminal.timeZone },
  );

  const pipeline = await startPipeline({
    ...{ store, outlets, universe, now, wall, random, source, market, log },
    ...config.delivery,
    inhibitRules: config.inhibit,
    recordOf: records.factOf,
    count(outcome, reason, notifier) {
      metrics.deliveries.inc({ outcome, notifier });
      if (outcome === 'suppressed') metrics.suppressed.inc({ reason, notifier });
    },
  });
  started.adopt(pipeline, stop);

  const rules = {
    detector: rulesDetector({ book: liveBook(store.rules), universe, ended: store.rules.end }),
    options: { requests: config.rules.requests },
    schedule: config.rules.schedule,
  };
  const watched = config.watch ? [...config.detectors.filter(({ enabled }) => enabled), rules] : [];
  watch = startWatch({
    ...{ store, pipeline, wall, log, universe, market: meta.market, data: client.polls },
    watched: watched.map((each) => ({ ...each, schedule: createSchedule(each.schedule) })),
    blind: config.blind,
  });
  started.adopt(watch, stop);

  const recorded = { data: client.polls, outcomes: store.outcomes, records, market, clock: meta.market };
  started.adopt(startRecording({ ...recorded, wall, log }), stop);
  if (config.heads !== null)
    started.adopt(keepHeads({ store, pipeline, only: config.heads, now, wall, log }), stop);
  started.adopt(keepHeartbeat({ store, meta, wall, log }), stop);
  started.adopt(keepPruned({ store, meta, wall, log }, config), stop);

  const talking = { commands, ...answering, universe, kinds, now, wall, log };
  chats = started.adopt(await startChats({ ...talking, refused, config, store, outlets, pictures }), close);

  const typed = startTerminal({ terminal, receiver: terminalReceiver, ...answering });
  started.adopt(typed, close);
  log.info(
    { source: say(source(), plainReader), page: page.url, receiver: mainRoom.address },
    'watching the market',
  );

  const running = started.move();
  return { url: page.url, close: () => running.disposeAsync() };
}

const close = async (part: { close(): Promise<void> | void }): Promise<void> => part.close();
const stop = (part: { stop(): Promise<void> }): Promise<void> => part.stop();

/** Which market the records are of: a simulated one says nothing of a live one. */
const marketName = ({ data: { url, embedded } }: Config): string =>
  url ?? `${embedded.market} ${embedded.seed}`;

/** What can be subscribed to. */
const kindsOf = ({ detectors }: Config) => [
  ...detectors.map(({ detector, options }) => {
    const { name, description, preset, sample } = detector;
    const threshold = thresholdOf(detector, options);
    return {
      ...{ name, description, preset },
      ...(sample !== undefined && { sample }),
      ...(threshold !== undefined && { threshold }),
    };
  }),
  { name: dataBlind, description: msg('A subscribed alert has lost or regained its data') },
];

/** The kinds whose alerts say something of the price. */
const claimsOf = ({ detectors }: Config) =>
  detectors.flatMap(({ detector: { name, claim } }) =>
    claim === null ? [] : [{ name, ...(claim !== undefined && { way: claim.said }) }],
  );
