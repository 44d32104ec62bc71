import { join } from 'node:path';
import type { Alert } from '#src/alert/alert.ts';
import { followAlerts, type PastAlerts } from '#src/preview/past-alerts.ts';
import { previewOf } from '#src/preview/preview.ts';
import { replay } from '#src/preview/replay.ts';
import { day } from '#src/runtime/units.ts';
import { openArchivedPast } from '#src/service/past/archived-past.ts';
import { detectors as all } from '#test/support/detectors.ts';
import { makeArchive } from './made-archive.ts';
import { runLive } from './run-live.ts';

/** Detectors whose feeds makeArchive fills. */
const kinds = ['funding-extreme', 'funding-flip', 'liquidation-burst', 'oi-momentum', 'regime-transition'];

/** Returns the parts of alerts that must be equal in two runs. */
export const comparable = (alerts: readonly Pick<Alert, 'labels' | 'startsAt' | 'endsAt'>[], from: number) =>
  alerts
    .filter(({ startsAt }) => startsAt >= from)
    .map(({ labels, startsAt, endsAt }) => ({ labels, startsAt, endsAt }))
    .sort(
      (a, b) => a.startsAt - b.startsAt || (JSON.stringify(a.labels) < JSON.stringify(b.labels) ? -1 : 1),
    );

/** Runs a period of a made-up market live, and previews the same period. `took`: wall time of the preview, ms. */
export async function liveAndPreviewed(
  folder: string,
  window: { readonly from: number; readonly to: number },
  schedules: Readonly<Record<string, string>> = {},
): Promise<{
  readonly live: readonly Alert[];
  /** The number of messages that the live run sent in the period. */
  readonly messages: number;
  readonly previewed: PastAlerts;
  /** The number of messages that the preview counts. */
  readonly posts: number;
  readonly took: number;
}> {
  const url = `file:${join(folder, 'archive.db')}`;
  await makeArchive(url, { ...window, symbols: 4 });
  const detectors = all
    .filter(({ name }) => kinds.includes(name))
    .map((detector) => ({
      detector,
      options: detector.options.parse({}),
      schedule: schedules[detector.name] ?? detector.schedule,
    }));
  const { alerts: live, messages } = await runLive(url, detectors, { ...window, from: window.from - day });
  const began = performance.now();
  const past = await openArchivedPast({ url, end: window.to, source: 'simulated' });
  const followed = followAlerts([]);
  const { seenSince } = await replay({
    ...window,
    detectors,
    at: past.at,
    symbols: past.symbols,
    onAlert: followed.add,
  });
  await past.close();
  const previewed = { ...window, alerts: followed.alerts(), since: seenSince };
  const took = performance.now() - began;
  const { posts } = previewOf(previewed, {
    wish: { kinds: ['*'], symbols: ['*'], minSeverity: 'info' },
    kinds: detectors.map(({ detector: { name, preset, groupWait = 0 } }) => ({ name, preset, groupWait })),
    universe: [],
    source: 'replayed',
  });
  return { live, messages: messages.filter((at) => at >= window.from).length, previewed, posts, took };
}
