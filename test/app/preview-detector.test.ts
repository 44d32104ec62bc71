import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';
import { readConfig } from '#src/app/config/config.ts';
import type { Core } from '#src/app/core.ts';
import { openPreviews } from '#src/app/open-previews.ts';
import { previewDetector } from '#src/app/talking.ts';
import type { Detector } from '#src/detectors/detector.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { loadPlugins } from '#src/runtime/plugins.ts';
import { day } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { ownFolder } from '#test/support/folder.ts';
import { makeArchive } from '../preview/made-archive.ts';

const folder = new URL('../../src/detectors', import.meta.url).pathname;
const detectors = await loadPlugins<Detector>(folder, 'detector.ts');
const defaults = stringify({
  ...parse(readFileSync(new URL('../../config/default.yaml', import.meta.url), 'utf8')),
  operators: [],
  platforms: {},
});
const name = 'price-move';
const to = Date.parse('2026-03-01T00:00:00Z');

it('a changed setting of a detector is replayed over the past: more sensitive, more posts; off, none', async () => {
  const home = await ownFolder();
  const archive = `file:${join(home, 'archive.db')}`;
  await makeArchive(archive, { from: to - 33 * day, to, symbols: 2 });
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
  const open = (core: Core) =>
    openPreviews(core.config, {
      data: { questions: () => Promise.reject() } as never,
      store: core.store,
      market: 'simulated',
      universe: () => ['BTCUSDT'],
      isBackfilled: () => true,
      clock: () => ({ now: () => to }) as never,
      wall: wallClock,
      log: pino({ level: 'silent' }),
    });
  // However slow the machine is, the replay is waited for.
  const wall = { ...wallClock, sleep: () => new Promise<never>(() => {}) };
  const core = { config, store, wall } as unknown as Core;
  const previews = open({
    ...core,
    config: { ...config, detectors: config.detectors.filter(({ detector }) => detector.name === name) },
  });
  onTestFinished(async () => {
    await previews.close();
    await store.close();
  });
  const preview = (options: object) =>
    previewDetector(name, { changed: own(options), core, talking: { openPreviews: open, previews } });
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
