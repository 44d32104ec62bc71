import type { Logger } from 'pino';
import { receiverLabel } from '../alert/subscription.ts';
import { UserError } from '../language/errors.ts';
import { plainReader, say } from '../language/say.ts';
import { msg } from '../language/text.ts';
import { createTellMarket } from '../pipeline/market-then.ts';
import { type Pipeline, startPipeline } from '../pipeline/pipeline.ts';
import type { Terminal } from '../platforms/ports.ts';
import { createRecords, type Records } from '../record/records.ts';
import { keepRefreshed } from '../record/refreshing.ts';
import { steadyClock, type WallClock } from '../runtime/clock.ts';
import type { ConfigError } from '../runtime/errors.ts';
import { keepRole, type RoleOptions } from '../runtime/role.ts';
import { createTrueTime } from '../runtime/true-time.ts';
import type { Command } from '../shell/command.ts';
import type { Config } from './config/config.ts';
import type { SettingSources } from './console/settings-desk.ts';
import { type Core, openCore } from './core.ts';
import type { DataService } from './data-service.ts';
import { createDrawBoard } from './draw-boards.ts';
import { keepFiles } from './files/keep-files.ts';
import { kindsOf, predictionsOf } from './kinds.ts';
import { createMonitoring, type Monitoring } from './monitoring.ts';
import { createDetectorPreviews, openPreviews } from './open-previews.ts';
import { openConversations, openSenders, type Senders, type SharedPorts } from './platforms.ts';
import { readYears } from './replayed-years.ts';
import { readStatus } from './status.ts';
import { createTalking } from './talking.ts';
import { keepMeta } from './upkeep.ts';
import { openWatching, startWatching, type Watching } from './watching.ts';
import { greet, homesOf, welcome } from './welcome.ts';

export interface BotOptions {
  readonly config: Config;
  /** The data service. The bot closes it, also when the bot itself cannot start. */
  readonly service: DataService;
  /** Returns the persons who may pause all senders. Called for each use. Default: the operators of `config`. */
  readonly operators?: () => readonly string[];
  readonly commands: readonly Command[];
  readonly terminal: Terminal;
  readonly wall: WallClock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** How the configuration came about. Absent: no setting is shown with its source, and none can be changed. */
  readonly settings?: SettingSources;
  /** Called if the bot must end, because its database has become another market's. */
  readonly failed: (error: ConfigError) => void;
}

export interface Bot {
  /** URL of the bot's page. Absent when the bot serves no page. */
  readonly url?: string | undefined;
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
  const { wall, wrong: clockAhead } = createTrueTime(options.wall, { log });
  const startedAt = steadyClock.now();
  await using started = new AsyncDisposableStack();
  started.adopt(service, close);
  const monitoring = createMonitoring(wall);

  const core = started.adopt(await openCore({ config, service, monitoring, wall, random, log }), close);
  const { store, meta } = core;
  const kinds = kindsOf(config);
  const previews = started.adopt(openPreviews(core), close);
  const detectorPreviews = started.adopt(createDetectorPreviews(core, previews), close);
  const records = createRecords({
    outcomes: store.outcomes,
    market: core.market,
    kinds: predictionsOf(config),
    now: core.now,
    years: readYears(),
  });
  const senders = started.adopt(openSenders(core, terminal), close);
  const watching = openWatching(core, monitoring.onHookOutcome);
  const status = () => readStatus({ core, senders, watching, startedAt, clockAhead });

  const roles: RoleOptions = { leases: store.leases, wall, steady: core.steady, log };
  const { following, ...shared } = createTalking(core, {
    senders,
    hooks: watching.hooks,
    commands,
    kinds,
    records,
    previews,
    settings: options.settings ?? { layers: [], read: noChange },
    detectorPreviews,
    operators: options.operators ?? (() => config.operators),
    status,
    report: monitoring.report(core, { senders, watching, status }),
  });
  const configured = [...senders.platforms];
  const isFirst = ({ platform }: (typeof configured)[number]) => platform.opensBeforeData ?? false;
  // People may ask questions before there is data; the reply then says that there is none yet.
  const { url } = started.adopt(
    await openConversations(configured.filter(isFirst), { shared, roles }),
    close,
  );
  const chats = started.adopt(await openConversations([], { shared, roles }), close);
  started.adopt(following, close);
  await following.start(chats);

  if (url !== undefined) await terminal.write(`Tocsin is on ${url}\n`);
  // If the data service does not respond yet, `keepMeta` keeps asking and logs the problem. While it loads, it says how far it is.
  await meta.refresh().then(core.bindMarket, () => {});
  started.adopt(keepMeta({ meta, wall, log, failed }, core.bindMarket), stop);
  await core.ready;
  const enabled = config.platforms.map(({ platform }) => platform);
  const homes = homesOf(enabled, terminal.timeZone);
  const fresh = await welcome(store, { homes, kinds, now: core.now() });
  const files = started.adopt(
    await keepFiles(config.placeFiles, {
      store,
      roles,
      kinds,
      platforms: enabled,
      addresses: core.addresses,
      onFlaws: monitoring.onFlaws,
      universe: core.listed,
      now: core.now,
      wall,
      log,
    }),
    stop,
  );

  const pipeline = await startDelivering(core, { senders, watching, records, monitoring, shared, random });
  started.adopt(pipeline, stop);
  await following.deliverBy(pipeline);
  started.adopt(await watching.rules.start(pipeline, roles), stop);
  const refreshing = started.adopt(keepRefreshed(records, wall, log), stop);
  const looking = { core, senders, watching, pipeline, refreshing };
  started.adopt(await keepRole('watch', roles, (held) => startWatching(held, looking)), stop);
  senders.readiness.markStarted();

  // Before all other parts, those end that people talk to.
  started.adopt(chats, close);
  started.adopt(following, close);
  for (const each of configured.filter((one) => !isFirst(one))) await chats.open(each);
  const receivers = homes.map(({ receiver }) => receiverLabel(core.addresses.shown(receiver)));
  log.info({ source: say(core.source(), plainReader), page: url, receivers }, 'watching the market');
  for (const home of fresh)
    await greet(home, { ...shared, status, outlets: senders.outlets }).catch((error: unknown) =>
      log.warn({ err: error }, 'could not post the greeting of the first start'),
    );

  const running = started.move();
  return { url, takeFiles: files.take, close: () => running.disposeAsync() };
}

const noChange = () => Promise.reject(new UserError(msg('No setting can be changed here.')));

const close = async (part: { close(): Promise<void> | void }): Promise<void> => part.close();
const stop = (part: { stop(): Promise<void> }): Promise<void> => part.stop();

interface Delivering {
  readonly senders: Pick<Senders, 'outlets'>;
  readonly watching: Pick<Watching, 'canary'>;
  readonly records: Records;
  readonly monitoring: Pick<Monitoring, 'pipelineCallbacks'>;
  readonly shared: Pick<SharedPorts, 'ask' | 'reader' | 'commands'>;
  readonly random: () => number;
}

const startDelivering = (
  { config, store, client, meta, market, universe, now, source, wall, steady, log }: Core,
  { senders, watching, records, monitoring, shared, random }: Delivering,
): Promise<Pipeline> =>
  startPipeline({
    store,
    outlets: [...senders.outlets, watching.canary.outlet],
    budget: config.delivery.budget,
    expireAfter: config.delivery.expireAfter,
    pageSize: config.delivery.pageSize,
    inhibitRules: config.inhibit,
    count: monitoring.pipelineCallbacks.count,
    delivered: monitoring.pipelineCallbacks.delivered,
    recordOf: records.factOf,
    draw: createDrawBoard({ ...shared, platforms: config.platforms.map(({ platform }) => platform), wall }),
    tellMarket: createTellMarket({ data: client.polls, meta: meta.last, now, wall, log }),
    market,
    universe,
    source,
    now,
    speed: () => meta.market().speed,
    random,
    wall,
    steady,
    log,
  });
