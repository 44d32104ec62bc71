import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Alert } from '#src/alert/alert.ts';
import type { Detector } from '#src/detectors/detector.ts';
import type { PastAlerts } from '#src/preview/past-alerts.ts';
import { threadedReplay } from '#src/preview/thread.ts';
import { loadPlugins } from '#src/runtime/plugins.ts';
import { day } from '#src/runtime/units.ts';
import { makeArchive } from './made-archive.ts';
import { runLive } from './run-live.ts';

const from = Date.parse('2025-11-13T00:00:00Z');
const to = from + day;
const kinds = ['funding-extreme', 'funding-flip', 'liquidation-burst', 'oi-momentum', 'regime-transition'];

let folder: string;
let live: readonly Alert[];
let previewed: PastAlerts;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-agree-'));
  const url = `file:${join(folder, 'archive.db')}`;
  await makeArchive(url, { from, to, symbols: 4 });
  const all = await loadPlugins<Detector>(
    new URL('../../src/detectors', import.meta.url).pathname,
    'detector.ts',
  );
  const detectors = all
    .filter(({ name }) => kinds.includes(name))
    .map((detector) => ({
      detector,
      options: detector.options.parse({}),
      // Every 30 seconds would take as long again, and shows nothing more.
      schedule: detector.name === 'liquidation-burst' ? '5 */5 * * * *' : detector.schedule,
    }));
  live = await runLive(url, detectors, { from: from - day, to });
  previewed = await threadedReplay(new URL('../../src/past-worker.ts', import.meta.url))(
    {
      ...{ archiveUrl: url, from, to, inhibitRules: [] },
      what: {
        detectors: detectors.map(({ detector: { name }, options, schedule }) => ({
          name,
          options,
          schedule,
        })),
      },
    },
    new AbortController().signal,
  );
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const told = (alerts: readonly Pick<Alert, 'labels' | 'startsAt' | 'endsAt'>[]) =>
  alerts
    .filter(({ startsAt }) => startsAt >= from)
    .map(({ labels, startsAt, endsAt }) => ({ labels, startsAt, endsAt }))
    .sort(
      (a, b) => a.startsAt - b.startsAt || (JSON.stringify(a.labels) < JSON.stringify(b.labels) ? -1 : 1),
    );

test('what a simulated market brought live is what the preview then lists for it, to the second', () => {
  expect(told(previewed.alerts)).toEqual(told(live));
});

test('and it brought alerts of several kinds', () => {
  expect(new Set(told(live).map(({ labels }) => labels.kind)).size).toBeGreaterThan(1);
});
