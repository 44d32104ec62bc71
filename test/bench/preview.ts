import { join } from 'node:path';
import { day, minute, second } from '#src/runtime/units.ts';
import { comparable, liveAndPreviewed } from '../preview/compare.ts';
import { type Figure, none, report } from './measuring/figures.ts';
import { answers, eventually, freePort, inFolder, load, startProgram } from './measuring/program.ts';
import { patience, waitFor } from './preview/wait-for.ts';

/** Takes minutes. */
export const slow = true;

/** Ms from the first start to the first question; by then previews must be ready at once. */
const after = 2 * minute;

const questions = {
  'subscribe to standard': 'subscribe preview=yes',
  'subscribe to everything': 'subscribe preset=everything preview=yes',
  'a rule about funding': 'alert create funding.z above=2.5 btc preview=yes',
  'a rule about open interest': 'alert create oi.ratePct above=1 btc preview=yes',
};

/**
 * `npm run bench -- preview`: how long a person waits for a complete preview, two minutes after the first start and right
 * after the second; and the alerts of a simulated week, compared with those that a preview lists for it.
 */
export default async function preview(): Promise<void> {
  await inFolder(atOnce);
  await inFolder(sameAsLive);
}

async function atOnce(folder: string): Promise<void> {
  const port = await freePort();
  const environment = {
    TOCSIN_DATABASE_URL: `file:${join(folder, 'tocsin.db')}`,
    TOCSIN_ARCHIVE_URL: `file:${join(folder, 'archive.db')}`,
    TOCSIN_HTTP_PORT: String(port),
  };
  const site = `http://127.0.0.1:${port}`;
  const started = async (wait: number, name: string): Promise<Figure[]> => {
    const begun = performance.now();
    const program = startProgram(['start'], environment);
    try {
      await eventually('the bot', () => answers(`${site}/readyz`), { within: patience, program });
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, begun + wait - performance.now())));
      const figures: Figure[] = [];
      for (const [what, line] of Object.entries(questions)) {
        const value = (await waitFor(line, { site, program })) / second;
        figures.push({ name: `${name}: ${what}`, value, unit: 's', bound: { most: 1 } });
      }
      return figures;
    } finally {
      await program.stop();
    }
  };
  const first = await started(after, 'two minutes after the first start');
  const again = await started(0, 'after a restart');
  report('Until a preview of 30 days is complete', [...first, ...again, load()]);
}

async function sameAsLive(folder: string): Promise<void> {
  const from = Date.parse('2025-11-10T00:00:00Z');
  const { live, previewed, took } = await liveAndPreviewed(folder, { from, to: from + 7 * day });
  const [lived, listed] = [comparable(live, from), comparable(previewed.alerts, from)].map(
    (alerts) => new Set(alerts.map((alert) => JSON.stringify(alert))),
  );
  report('A simulated week of 4 symbols, live and previewed', [
    { name: 'alerts live', value: lived?.size ?? 0, unit: '' },
    { name: 'alerts previewed', value: listed?.size ?? 0, unit: '' },
    none('in one and not in the other', (listed ?? new Set()).symmetricDifference(lived ?? new Set()).size),
    { name: 'the preview took', value: took / second, unit: 's' },
  ]);
}
