import { ownRule } from '../alert/rule.ts';
import { isGroup } from '../alert/symbols.ts';
import { metaInterval } from '../client/meta.ts';
import type { HookOutcome } from '../hook/receive.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { createWatch, type Watch } from '../pipeline/watch.ts';
import { startRecording } from '../record/gather.ts';
import type { Refreshing } from '../record/refreshing.ts';
import { type Loop, startLoop } from '../runtime/loop.ts';
import type { HeldRole } from '../runtime/role.ts';
import { createSchedule } from '../runtime/schedule.ts';
import { type AliveOptions, keepAliveLine, keepPinging } from './alive.ts';
import { type Canary, createCanary } from './canary.ts';
import type { Core } from './core.ts';
import { keepHeads } from './heads.ts';
import { type Hooks, openHooks } from './hooks.ts';
import { keepReadings } from './open-previews.ts';
import { createPositionFunding, type OwnRules, openOwnRules } from './own-rules.ts';
import type { Senders } from './platforms.ts';
import { keepHeartbeat, keepJoined, keepPruned } from './upkeep.ts';

/** All that looks for alerts. */
export interface Watching {
  readonly rules: OwnRules;
  readonly hooks: Hooks;
  readonly canary: Canary;
  readonly watch: Watch;
}

/** Creates all that looks for alerts. Nothing looks before `startWatching`; with the setting `watch` off nothing ever does. */
export function openWatching(core: Core, onHookOutcome: (outcome: HookOutcome) => void): Watching {
  const { config, store, client, live, meta, board, universe, listed, now, wall, steady, log } = core;
  const data = client.polls;
  const rules = openOwnRules({ watch: config.watch, store, data, live, universe, now, wall, log });
  const canary = createCanary({ store, meta, watches: config.watch, wall, steady });
  const positionFunding = createPositionFunding(rules.positions);
  const { requests, schedule } = config.rules;
  const detectors = [
    ...config.detectors.filter(({ enabled }) => enabled),
    { detector: rules.detector, options: { requests }, schedule },
    { detector: positionFunding, options: {}, schedule: positionFunding.schedule, internal: true },
  ].map((each) => ({ ...each, schedule: createSchedule(each.schedule) }));
  return {
    rules,
    canary,
    hooks: openHooks({
      store,
      universe: listed,
      priceOf: board.priceOf,
      onOutcome: onHookOutcome,
      now,
      wall,
      steady,
      log,
    }),
    watch: createWatch({
      watched: config.watch ? [...detectors, canary.watched] : [],
      blind: config.blind,
      data,
      store,
      universe,
      livePrices: live.now,
      market: meta.market,
      wall,
      steady,
      log,
    }),
  };
}

interface WatchingParts {
  readonly core: Core;
  readonly senders: Senders;
  readonly watching: Watching;
  readonly pipeline: Pipeline;
  readonly refreshing: Pick<Refreshing, 'priceStored'>;
}

/** Starts what only the process with the role `watch` does. All that it writes is fenced by the role's lease. */
export function startWatching(
  { lease, isHeld }: HeldRole,
  { core, senders, watching, pipeline, refreshing }: WatchingParts,
): { stop(): Promise<void> } {
  const { config, client, store, meta, quality, market, now, wall, log } = core;
  const { watch, rules, hooks, canary } = watching;
  const { url, every, line } = config.alive;
  const alive: AliveOptions = {
    store,
    wall,
    log,
    refusals: senders.readiness.refusals,
    market: meta.market,
    detectors: watch.status,
    quality: quality.latest,
    canary: canary.read,
  };
  const fencedStore = { ...store, ...store.under(lease) };
  const fencedPipeline: Pick<Pipeline, 'dispatch'> = {
    async dispatch(detector, { state, changes }) {
      await pipeline.dispatch(detector, { state, changes, watching: lease });
      if (detector.name === ownRule) rules.wake();
    },
  };
  const fenced = { ...core, store: fencedStore };
  const parts = [
    watch.start(fencedPipeline, isHeld),
    hooks.start(fencedPipeline),
    keepFollowed(async () => [...(await store.subscriptions.symbols()), ...(await rules.named())], core),
    quality.start(),
    startRecording({
      data: client.polls,
      outcomes: fencedStore.outcomes,
      onPrice: refreshing.priceStored,
      market,
      clock: meta.market,
      wall,
      log,
    }),
    ...keepReadings(core),
    ...(config.heads === null
      ? []
      : [keepHeads({ store: fencedStore, pipeline: fencedPipeline, only: config.heads, now, wall, log })]),
    ...(url === null ? [] : [keepPinging({ url, every }, alive)]),
    ...(line === null ? [] : [keepAliveLine({ only: line, pipeline: fencedPipeline }, alive)]),
    keepJoined(fenced),
    keepHeartbeat(fenced),
    keepPruned(fenced),
  ];
  return { stop: async () => void (await Promise.all(parts.map((part) => part.stop()))) };
}

/**
 * Keeps the markets followed that somebody here names. The data service knows of no subscription: it follows for a day whatever
 * it is asked about. So each of them that it lists and does not follow is asked about.
 */
export function keepFollowed(
  named: () => Promise<readonly string[]>,
  { meta, client, wall, log }: Pick<Core, 'meta' | 'client' | 'wall' | 'log'>,
): Loop {
  return startLoop(
    async () => {
      const [listed, followed] = [new Set(meta.listed()), new Set(meta.symbols())];
      for (const symbol of new Set(await named()))
        if (!isGroup(symbol) && listed.has(symbol) && !followed.has(symbol))
          await client.polls.intelligence({ symbol });
      return metaInterval(meta.market().speed);
    },
    {
      wall,
      onError: (error) => log.warn({ err: error }, 'a market that is subscribed to may not be followed'),
    },
  );
}
