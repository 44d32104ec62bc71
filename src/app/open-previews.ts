import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { UserError } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import type { SettingPreview } from '../platforms/web/ports/settings-desk.ts';
import { createPreviews, type Previews, type PreviewsOptions } from '../preview/create-previews.ts';
import { createPastLines, type PastLines } from '../preview/past-lines.ts';
import type { PreviewWish } from '../preview/preview.ts';
import { createSlices } from '../preview/slices.ts';
import type { PreviewArchive } from '../preview/standard-past.ts';
import { startKeeping } from '../rules/keep-readings.ts';
import { seenPast } from '../rules/past-readings.ts';
import { ApiError } from '../runtime/errors.ts';
import type { Loop } from '../runtime/loop.ts';
import { createPatience } from '../runtime/patience.ts';
import { day, second } from '../runtime/units.ts';
import type { Config } from './config/config.ts';
import type { Core } from './core.ts';

/** Whether there is an archive that this process can read. An archive in memory can be read by its service only. */
const hasReadableArchive = ({ data: { url, embedded } }: Config): boolean =>
  url === null && embedded.archive !== 'file::memory:';

/** The requests of previews are counted under this name: a preview serves all who ask for it, so no one of them pays for it. */
const previewAccount = { chat: 'previews', person: 'previews' };

/** The option of detectors that watch only some markets at a time. */
const symbolLimit = z.object({ maxSymbols: z.number() });

/** Removes the limit on the symbols of a detector: it protects the request budget, and a replay has none. */
const withoutSymbolLimit = (options: unknown): unknown =>
  symbolLimit.safeParse(options).success
    ? { ...(options as object), maxSymbols: Number.MAX_SAFE_INTEGER }
    : options;

/** What previews read of the bot. */
type PreviewCore = Pick<
  Core,
  'config' | 'store' | 'client' | 'meta' | 'market' | 'universe' | 'now' | 'wall' | 'log'
>;

export interface OpenPreviews extends Previews {
  readonly line: PastLines;
}

/**
 * Opens the previews. With the embedded service, its archive is replayed. A hosted service has no archive to read:
 * previews of subscriptions then use the stored alerts, and previews of rules use the service's history and the stored
 * readings.
 */
export function openPreviews({
  config,
  store,
  client,
  meta,
  market,
  universe,
  now,
  wall,
  log,
}: PreviewCore): OpenPreviews {
  const { embedded } = config.data;
  const detectors = config.detectors.filter(({ enabled }) => enabled);
  const archive: PreviewArchive | undefined = hasReadableArchive(config)
    ? {
        async open({ end, pause, choose }) {
          const { openArchivedPast } = await import('../service/past/archived-past.ts');
          return openArchivedPast({
            url: embedded.archive,
            end,
            source: 'simulated',
            chooseSymbols: choose,
            pause,
          });
        },
        whole: () => meta.last()?.backfill === 1,
      }
    : undefined;
  const closing = new AbortController();
  const shared = { archive, slices: createSlices(wall, closing.signal), now, wall, log };
  const seen: PreviewsOptions['seen'] = (rule, { window, signal }) =>
    seenPast(rule, {
      data: client.questions(previewAccount),
      universe: universe(),
      ...window,
      signal,
      page: (feed, { window, limit }) => store.readings.page(market, { feed, window, limit }),
    });
  const previews = createPreviews({
    ...shared,
    universe,
    async kept(limit) {
      const [all, held] = await Promise.all([store.alerts.recent(limit), store.alerts.heldBack(0)]);
      // They were announced to nobody.
      const heldIds = new Set(held.map(({ alert }) => alert.id));
      return all.filter(({ id }) => !heldIds.has(id));
    },
    kinds: detectors.map(({ detector: { name, preset, groupWait = 0 }, options }) => ({
      name,
      preset,
      groupWait,
      ...symbolLimit.safeParse(options).data,
    })),
    detectors: detectors.map(({ detector, options, schedule }) => ({
      detector,
      options: withoutSymbolLimit(options),
      schedule,
    })),
    identity: [market, manifest.version],
    settings: store.settings,
    inhibitRules: config.inhibit,
    seen,
  });
  const lines = createPastLines({ ...shared, seen });
  return {
    ...previews,
    line: lines.of,
    async close() {
      closing.abort(new Error('the bot is stopping'));
      await Promise.all([previews.close(), lines.close()]);
    },
  };
}

/**
 * Stores current readings of the data service if there is no archive, for the previews of all processes. One process does
 * this for all.
 */
export function keepReadings({
  config,
  store,
  client,
  meta,
  market,
  universe,
  wall,
  log,
}: PreviewCore): readonly Loop[] {
  if (hasReadableArchive(config) || !config.watch) return [];
  const keeping = startKeeping({
    data: client.polls,
    universe,
    clock: meta.market,
    wall,
    add: (kept) => store.readings.add(market, kept),
    onError(error) {
      if (error instanceof ApiError)
        log.debug({ err: error }, 'a reading for previews is missing; asking again at the next round');
      else log.error({ err: error }, 'could not store readings for previews; retrying');
    },
  });
  return [keeping];
}

export interface DetectorPreviews {
  /**
   * Counts what a detector would have posted in the past days by these settings, and by those that apply. A count that takes
   * longer goes on, and whoever asks the same again gets what it has found by then. @throws UserError if it is not done yet
   */
  preview(name: string, changed: Config): Promise<SettingPreview>;
  close(): Promise<void>;
}

/** How long one request waits for a count, wall ms. */
const requestTime = 50 * second;

/**
 * Creates the previews of settings. One draft is replayed at a time: the last that was asked about.
 * @param previews those of the settings that apply
 */
export function createDetectorPreviews(
  core: PreviewCore,
  previews: Pick<Previews, 'preview'>,
  open: (core: PreviewCore) => Previews = openPreviews,
): DetectorPreviews {
  const closing = new AbortController();
  const within = createPatience(core.wall, closing.signal);
  let draft: ({ readonly key: string } & Previews) | undefined;

  const draftOf = async (name: string, changed: Config): Promise<Previews> => {
    const only = changed.detectors.filter(({ detector }) => detector.name === name);
    const key = JSON.stringify([
      name,
      changed.inhibit,
      only.map(({ options, schedule }) => [options, schedule]),
    ]);
    if (draft?.key === key) return draft;
    const before = draft;
    // What is replayed for a draft is not kept.
    const settings = { ...core.store.settings, get: async () => undefined, put: async () => {} };
    const store = { ...core.store, settings };
    const opened = { key, ...open({ ...core, store, config: { ...changed, detectors: only } }) };
    draft = opened;
    await before?.close();
    return opened;
  };

  return {
    async preview(name, changed) {
      const wish: PreviewWish = { kinds: [name], symbols: ['*'], minSeverity: 'info' };
      const isOn = ({ detectors }: Config) =>
        detectors.some((each) => each.detector.name === name && each.enabled);
      const postsIn = async (asked: Pick<Previews, 'preview'>) => {
        const preview = await asked.preview(wish);
        const found = preview.state === 'pending' ? await within(requestTime, preview.complete) : preview;
        if (found?.state === 'known') return { posts: found.posts, days: (found.to - found.from) / day };
        throw new UserError(found?.why ?? msg('The past is still being counted: ask again in a minute.'), {
          code: 'unready',
        });
      };
      const none = { posts: 0, days: 30 };
      const [before, after] = await Promise.all([
        isOn(core.config) ? postsIn(previews) : none,
        isOn(changed) ? draftOf(name, changed).then(postsIn) : none,
      ]);
      return { days: after.days, posts: after.posts, before: before.posts };
    },
    async close() {
      closing.abort(new Error('the bot is stopping'));
      await draft?.close();
    },
  };
}
