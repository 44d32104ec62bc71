import type { Logger } from 'pino';
import { ownRule } from '../alert/rule.ts';
import type { Client } from '../client/create-client.ts';
import type { Meta } from '../client/meta.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { Watch } from '../pipeline/watch.ts';
import { startRecording } from '../record/recording.ts';
import type { Refreshing } from '../record/refreshing.ts';
import type { WallClock } from '../runtime/clock.ts';
import type { HeldRole } from '../runtime/role.ts';
import type { Store } from '../store/ports.ts';
import { type AliveOptions, keepAliveLine, keepPinging } from './alive.ts';
import type { Canary } from './canary.ts';
import type { Config } from './config/config.ts';
import type { DataQualityWatch } from './data-quality.ts';
import { keepHeads } from './heads.ts';
import type { Hooks } from './hooks.ts';
import type { OwnRules } from './own-rules.ts';
import { keepReadings } from './previews.ts';
import { keepHeartbeat, keepJoined, keepPruned } from './upkeep.ts';

interface WatchingOptions {
  readonly config: Config;
  readonly client: Client;
  readonly store: Store;
  readonly meta: Meta;
  readonly refreshing: Pick<Refreshing, 'priceStored'>;
  /** Name of the market that the records belong to. */
  readonly market: string;
  readonly pipeline: Pipeline;
  readonly watch: Watch;
  readonly rules: Pick<OwnRules, 'wake'>;
  readonly hooks: Pick<Hooks, 'start'>;
  readonly quality: DataQualityWatch;
  readonly refusals: AliveOptions['refusals'];
  readonly canary: Canary['read'];
  /** Market ms. */
  readonly now: () => number;
  readonly wall: WallClock;
  readonly log: Logger;
}

/** Starts what only the process with the role `watch` does. All that it writes is fenced by the role's lease. */
export function startWatching(
  { lease, isHeld }: HeldRole,
  given: WatchingOptions,
): { stop(): Promise<void> } {
  const { config, client, store, meta, refreshing, market, pipeline, watch, rules, quality, now, wall, log } =
    given;
  const { url, every, line } = config.alive;
  const alive: AliveOptions = {
    store,
    wall,
    log,
    refusals: given.refusals,
    market: meta.market,
    detectors: watch.status,
    quality: quality.latest,
    canary: given.canary,
  };
  const fencedStore = { ...store, ...store.under(lease) };
  const fencedPipeline: Pick<Pipeline, 'dispatch'> = {
    async dispatch(detector, { state, changes }) {
      await pipeline.dispatch(detector, { state, changes, watching: lease });
      if (detector.name === ownRule) rules.wake();
    },
  };
  const recordingOptions = {
    data: client.polls,
    outcomes: fencedStore.outcomes,
    onPrice: refreshing.priceStored,
    market,
    clock: meta.market,
  };
  const parts = [
    watch.start(fencedPipeline, isHeld),
    given.hooks.start(fencedPipeline),
    quality.start(),
    startRecording({ ...recordingOptions, wall, log }),
    ...keepReadings(config, { ...recordingOptions, store, universe: meta.symbols, wall, log }),
    ...(config.heads === null
      ? []
      : [keepHeads({ store: fencedStore, pipeline: fencedPipeline, only: config.heads, now, wall, log })]),
    ...(url === null ? [] : [keepPinging({ url, every }, alive)]),
    ...(line === null ? [] : [keepAliveLine({ only: line, pipeline: fencedPipeline }, alive)]),
    keepJoined({ store: fencedStore, wall, log }),
    keepHeartbeat({ store: fencedStore, meta, wall, log }),
    keepPruned({ store: fencedStore, meta, wall, log }, config),
  ];
  return { stop: async () => void (await Promise.all(parts.map((part) => part.stop()))) };
}
