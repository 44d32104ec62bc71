import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Detector } from '#src/detectors/detector.ts';
import { previewPeriod } from '#src/preview/preview.ts';
import { replayInProcess } from '#src/preview/process.ts';
import { loadPlugins } from '#src/runtime/plugins.ts';
import { second } from '#src/runtime/units.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { report } from './measuring/figures.ts';
import { memoryWithChildren, processorWithChildren } from './measuring/with-children.ts';

/** Needs an archive that `npm start` has filled for a minute. */
export const slow = true;

/** `npm run bench -- replay -- ARCHIVE.db`: what replaying the last 30 days of all kinds costs. */
export default async function replay([file]: string[]): Promise<void> {
  if (file === undefined)
    throw new Error('name an archive: TOCSIN_ARCHIVE_URL=file:ARCHIVE.db npm start makes one in a minute');
  const archiveUrl = `file:${file}`;
  const archive = await openArchive(archiveUrl);
  const newest = await archive.latest('openInterest', Number.MAX_SAFE_INTEGER);
  await archive.close();
  const to = Math.max(...newest.map(({ time }) => time));
  const src = join(import.meta.dirname, '../../src');
  const detectors = await loadPlugins<Detector>(join(src, 'detectors'), 'detector.ts');
  const what = {
    detectors: detectors.map(({ name, options, schedule }) => ({
      name,
      schedule,
      options: options.parse({}),
    })),
  };
  let peak = 0;
  const watching = setInterval(() => (peak = Math.max(peak, memoryWithChildren(process.pid))), second / 4);
  const [begun, before] = [performance.now(), processorWithChildren(process.pid)];
  const past = await replayInProcess(pathToFileURL(join(src, 'app/past-worker.ts')))(
    { over: { archiveUrl }, from: to - previewPeriod, to, inhibitRules: [], what },
    new AbortController().signal,
  );
  const used = processorWithChildren(process.pid) - before;
  clearInterval(watching);
  report(`30 days of ${newest.length} markets, ${detectors.length} kinds, replayed`, [
    { name: 'processor', value: used, unit: 's', bound: { most: 10 } },
    { name: 'took', value: (performance.now() - begun) / second, unit: 's' },
    { name: 'memory of both processes, at most', value: peak / 1e6, unit: 'MB' },
    { name: 'alerts', value: past.alerts.length, unit: '' },
  ]);
}
