import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { day, second } from '#src/runtime/units.ts';
import { comparable, liveAndPreviewed } from '../preview/compare.ts';
import { report } from './measuring/figures.ts';

/** Takes minutes. */
export const slow = true;

/** `npm run bench -- preview`: a simulated week lived through as fast as it goes, and what a preview lists for it. */
export default async function preview(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-preview-'));
  try {
    const from = Date.parse('2025-11-10T00:00:00Z');
    const { live, previewed, took } = await liveAndPreviewed(folder, { from, to: from + 7 * day });
    const [lived, listed] = [comparable(live, from), comparable(previewed.alerts, from)].map(
      (alerts) => new Set(alerts.map((alert) => JSON.stringify(alert))),
    );
    report('A simulated week of 4 symbols, live and previewed', [
      { name: 'alerts live', value: lived?.size ?? 0, unit: '' },
      { name: 'alerts previewed', value: listed?.size ?? 0, unit: '' },
      {
        name: 'in one and not in the other',
        value: (listed ?? new Set()).symmetricDifference(lived ?? new Set()).size,
        unit: '',
        bound: { most: 0 },
      },
      { name: 'the preview took', value: took / second, unit: 's' },
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
