import { lookup } from 'node:dns/promises';
import type { Logger } from 'pino';
import { receiverLabel } from '../alert/subscription.ts';
import { sourceLine } from '../card/source.ts';
import { plainReader, say } from '../language/say.ts';
import { startPipeline } from '../pipeline/pipeline.ts';
import { createWatch, type Watch, type WatchOptions } from '../pipeline/watch.ts';
import { addressesOf } from '../platforms/platform.ts';
import type { Resolve, Terminal } from '../platforms/ports.ts';
import { createRecords } from '../record/records.ts';
import { keepRefreshed } from '../record/refreshing.ts';
import { steadyClock, type WallClock } from '../runtime/clock.ts';
import type { ConfigError } from '../runtime/errors.ts';
import { keepRole } from '../runtime/role.ts';
import { createSchedule } from '../runtime/schedule.ts';
import { createTrueTime } from '../runtime/true-time.ts';
import type { Command } from '../shell/command.ts';
import { openStore } from '../store/open.ts';
import { createAnswering } from './answer-commands.ts';
import { recordMarket } from './bind-market.ts';
import { type Canary, createCanary } from './canary.ts';
import type { Config } from './config/config.ts';
import { createPageParts } from './console/page-parts.ts';
import type { DataService } from './data-service.ts';
import { keepFiles } from './files/keep-files.ts';
import { openHooks } from './hooks.ts';
import { claimsOf, kindsOf } from './kinds.ts';
import { memoryOf } from './messages.ts';
import { createMonitoring } from './monitoring.ts';
import { openData } from './open-data.ts';
import { type OwnRules, openOwnRules } from './own-rules.ts';
import { createPictures } from './pictures.ts';
import { createPlaces } from './places.ts';
import { openConversations, openPlatforms } from './platforms.ts';
import { openPreviews } from './previews.ts';
import { createReadiness } from './readiness.ts';
import { readYears } from './replayed-years.ts';
import { readStatus, sourceOf } from './status.ts';
import { keepDatabase, keepMeta } from './upkeep.ts';
import { startWatching } from './watching.ts';
import { homesOf, welcome } from './welcome.ts';

export interface BotOptions {
  readonly config: Config;
  /** The data service. The bot closes it, also when the bot itself cannot start. */
  readonly service: DataService;
  /** Returns the persons who may pause all sending. Called for each use. Default: the operators of `config`. */
  readonly operators?: () => readonly string[];
  readonly commands: readonly Command[];
  readonly terminal: Terminal;
  readonly wall: WallClock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** Called if the bot must end, because its database has become another market's. */
  readonly failed: (error: ConfigError) => void;
}

export interface Bot {
  /** URL of the bot's page. Absent when the bot serves no page. */
  readonly url?: string;
  /** Replaces the files of places, which say what subscriptions, alerts and watchlists places have. */
  takeFiles(files: Config['placeFiles']): void;
  close(): Promise<void>;
}

/**
 * Starts the bot, from its database to its page. Each part starts in the order in which it is needed; the parts end in
 * reverse order. @throws ConfigError
 */
export async function startBot(options: BotOptions): Promise<Bot> {
  const { config, service, commands, terminal, random, log, failed } = options;
  const { wall, ...time } = createTrueTime(options.wall, { log });
  const startedAt = wall.now();
  await using started = new AsyncDisposableStack();
  started.adopt(service, close);

  const enabled = config.platforms.map(({ platform }) => platform);
  const addresses = addressesOf(enabled);
  const { shown } = addresses;
  const store = started.adopt(await openStore(config.database, { alone: true, addresses }), close);
  started.adopt(keepDatabase({ store, wall, steady: steadyClock, log }), stop);
  const { onAnswer, onRefused, onFlaws, onHookOutcome, ...monitoring } = createMonitoring(wall);
  const dataOptions = { service, onAnswer, onRefused };
  const data = started.adopt(await openData(config, { store, wall, random, log, ...dataOptions }), close);
  const { board, client, meta, quality } = data;
  const now = () => meta.market().now();
  const universe = meta.symbols;
  const source = () => sourceLine(sourceOf(meta));
  const market = recordMarket(config);
  const shared = { store, universe, now, wall, steady: steadyClock, log };
  const kinds = kindsOf(config);

  const isBackfilled = () => meta.last()?.backfill === 1;
  const previewing = { data: client, store, market, universe, isBackfilled, clock: meta.market, wall, log };
  const previews = started.adopt(openPreviews(config, previewing), close);
  const judging = { outcomes: store.outcomes, market, kinds: claimsOf(config), now };
  const records = createRecords({ ...judging, years: readYears() });

  const { tokens, refusals, ...readiness } = createReadiness(store.guard);
  const pictures = started.adopt(createPictures({ log, wall }), close);
  const platforms = openPlatforms(config.platforms, {
    ...shared,
    image: pictures.image,
    ...memoryOf(store, config),
    terminal,
    resolve,
    tokens,
  });
  const outlets = platforms.map(({ outlet }) => outlet);
  for (const { connection } of outlets) started.defer(async () => connection.close?.());

  const rules = openOwnRules({ ...shared, data: client.polls, watch: config.watch });
  const hooks = openHooks({ ...shared, priceOf: board.priceOf, onOutcome: onHookOutcome });
  const canary = createCanary({ store, meta, watches: config.watch, wall, steady: steadyClock });
  const watch = watchOf(config, { ...shared, market: meta.market, data: client.polls, rules, canary });

  const own = { startedAt, clockAhead: time.wrong, canary: canary.read };
  const sources = { ...own, refusals, client, meta, quality, store, wall };
  const status = () => readStatus({ ...sources, watch: watch.status });
  const places = { outlets, addresses, platforms: enabled };
  const context = { ...shared, ...places, client, commands, kinds, records, source, status };
  const answering = createAnswering({
    ...context,
    operators: options.operators ?? (() => config.operators),
    budget: config.delivery.budget,
    preview: previews.preview,
  });
  const states = { market: meta.market, detectors: watch.status, roles: rules.roles, ready: readiness.state };
  const report = monitoring.report({ ...states, ...sources, shown, outlets, status });
  const page = createPageParts({ ...previewing, ...context, ...answering, ...previews, shown });
  const parts = { board, ...page, report, places: createPlaces(store, shared), warmUpDrawing: pictures.warm };
  const conversationPorts = { receiveHook: hooks.receive, commands, kinds, universe };
  const roles = { leases: store.leases, wall, steady: steadyClock, log };
  const converse = (opensFirst: boolean) =>
    openConversations(
      platforms.filter(({ platform }) => (platform.opensBeforeData ?? false) === opensFirst),
      { shared: { ...answering, ...parts, ...conversationPorts, http: config.http }, roles },
    );
  // People may ask questions before there is data; the reply then says that there is none yet.
  const { url } = started.adopt(await converse(true), close);

  if (url !== undefined) await terminal.write(`Tocsin is on ${url}\n`);
  await data.ready;
  // If the data service does not respond yet, `keepMeta` below keeps asking and logs the problem.
  await meta.refresh().then(data.bindMarket, () => {});
  started.adopt(keepMeta({ meta, wall, log, failed }, data.bindMarket), stop);
  const homes = await welcome(store, { homes: homesOf(enabled, terminal.timeZone), kinds, now: now() });
  const files = started.adopt(await keepFiles(config.placeFiles, { ...context, roles, onFlaws }), stop);

  const sending = { ...shared, random, source, market, recordOf: records.factOf };
  const pipeline = await startPipeline({
    ...sending,
    outlets: [...outlets, canary.outlet],
    ...config.delivery,
    ...monitoring.pipelineCallbacks,
    speed: () => meta.market().speed,
    inhibitRules: config.inhibit,
  });
  started.adopt(pipeline, stop);
  started.adopt(await rules.start(pipeline, roles), stop);
  const refreshing = started.adopt(keepRefreshed(records, wall, log), stop);
  const watching = { ...shared, ...sources, config, refreshing, market, pipeline, watch, rules, hooks };
  started.adopt(await keepRole('watch', { ...roles, start: (held) => startWatching(held, watching) }), stop);
  readiness.markStarted();

  started.adopt(await converse(false), close);
  const receivers = homes.map(({ receiver }) => receiverLabel(shown(receiver)));
  log.info({ source: say(source(), plainReader), page: url, receivers }, 'watching the market');

  const running = started.move();
  return { ...(url !== undefined && { url }), takeFiles: files.take, close: () => running.disposeAsync() };
}

const close = async (part: { close(): Promise<void> | void }): Promise<void> => part.close();
const stop = (part: { stop(): Promise<void> }): Promise<void> => part.stop();

/** Creates the watch over the market, with no detectors if the setting `watch` is off. */
function watchOf(
  config: Config,
  {
    rules,
    canary,
    ...options
  }: Omit<WatchOptions, 'watched' | 'blind'> & {
    readonly rules: Pick<OwnRules, 'detector'>;
    readonly canary: Pick<Canary, 'watched'>;
  },
): Watch {
  const { requests, schedule } = config.rules;
  const all = [
    ...config.detectors.filter(({ enabled }) => enabled),
    { detector: rules.detector, options: { requests }, schedule },
  ].map((each) => ({ ...each, schedule: createSchedule(each.schedule) }));
  return createWatch({
    ...options,
    watched: config.watch ? [...all, canary.watched] : [],
    blind: config.blind,
  });
}

const resolve: Resolve = (hostname) => lookup(hostname, { all: true });
