import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';
import { readConfig } from '#src/app/config/config.ts';
import type { Core } from '#src/app/core.ts';
import { createDetectorPreviews, openPreviews } from '#src/app/open-previews.ts';
import type { KnownPreview } from '#src/preview/preview.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { day } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { detectors } from '#test/support/detectors.ts';
import { ownFolder } from '#test/support/folder.ts';
import { defaults as shipped } from '#test/support/settings.ts';
import { makeArchive } from '../preview/made-archive.ts';

const defaults = stringify({ ...parse(shipped), operators: [], platforms: {} });
const name = 'price-move';
const to = Date.parse('2026-03-01T00:00:00Z');

it('a changed setting of a detector is replayed over the past: more sensitive, more posts; off, none', async () => {
  const home = await ownFolder();
  const archive = `file:${join(home, 'archive.db')}`;
  await makeArchive(archive, { from: to - 33 * day, to, symbols: 1 });
  const store = await openStore('file::memory:');
  const own = (options: object) =>
    readConfig({
      defaults,
      env: { TOCSIN_ARCHIVE_URL: archive },
      detectors,
      platforms: [],
      own: { detectors: { [name]: options } },
    });
  const config = own({});
  const core = {
    config,
    store,
    client: { questions: () => Promise.reject() },
    meta: { last: () => ({ backfill: 1 }) },
    market: 'simulated',
    universe: () => ['BTCUSDT'],
    now: () => to,
    wall: wallClock,
    log: pino({ level: 'silent' }),
  } as unknown as Core;
  const previews = openPreviews({
    ...core,
    config: { ...config, detectors: config.detectors.filter(({ detector }) => detector.name === name) },
  });
  onTestFinished(async () => {
    await previews.close();
    await store.close();
  });
  // However slow the machine is, the replay is waited for.
  const patient = { ...wallClock, sleep: () => new Promise<never>(() => {}) };
  const drafts = createDetectorPreviews({ ...core, wall: patient }, previews, (draft) =>
    openPreviews({ ...draft, wall: wallClock }),
  );
  onTestFinished(drafts.close);
  const preview = (options: object) => drafts.preview(name, own(options));
  const sensitive = { '5m': { factor: 6, minPct: 1 }, '1h': { factor: 4, minPct: 1 } };
  const more = await preview({ options: sensitive });
  expect(more.before).toBeGreaterThan(0);
  expect(more.posts).toBeGreaterThan(more.before);
  expect(more.days).toBeCloseTo(30, 3);
  expect(await preview({ enabled: false })).toEqual({ days: 30, posts: 0, before: more.before });
  // What applies is replayed as before, and nothing of the draft was kept for it.
  expect(await previews.preview({ kinds: [name], symbols: ['*'], minSeverity: 'info' })).toMatchObject({
    state: 'known',
    posts: more.before,
  });
});

it('a count that takes longer than a request waits goes on, and is there when the same is asked again', async () => {
  const config = readConfig({ defaults, env: {}, detectors, platforms: [], own: {} });
  const changed = readConfig({
    defaults,
    env: {},
    detectors,
    platforms: [],
    own: { detectors: { [name]: { options: { '5m': { factor: 7, minPct: 1 } } } } },
  });
  const count = (posts: number) => ({ state: 'known', posts, from: to - 30 * day, to }) as KnownPreview;
  let finish: (found: KnownPreview) => void = () => {};
  let found: KnownPreview | undefined;
  const complete = new Promise<KnownPreview>((resolve) => {
    finish = (known) => {
      found = known;
      resolve(known);
    };
  });
  let opened = 0;
  let closed = 0;
  const waited: number[] = [];
  const sleep = async (ms: number) => void waited.push(ms);
  const core = { config, store: {}, wall: { sleep } } as unknown as Core;
  const drafts = createDetectorPreviews(core, { preview: async () => count(3) }, () => {
    opened += 1;
    return {
      preview: async () => found ?? { state: 'pending', complete, days: undefined },
      close: async () => {
        closed += 1;
      },
    };
  });
  await expect(drafts.preview(name, changed)).rejects.toThrow('still being counted');
  expect(waited).toEqual([50_000]);
  finish(count(5));
  expect(await drafts.preview(name, changed)).toEqual({ days: 30, posts: 5, before: 3 });
  expect([opened, closed]).toEqual([1, 0]);
  // Another draft takes the place of the last; what is left ends with the bot.
  await drafts.preview(name, config);
  expect([opened, closed]).toEqual([2, 1]);
  await drafts.close();
  expect(closed).toBe(2);
});
