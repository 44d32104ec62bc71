import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Detector } from '#src/detectors/detector.ts';
import { previewPeriod } from '#src/preview/preview.ts';
import { replayInProcess } from '#src/preview/process.ts';
import { loadPlugins } from '#src/runtime/plugins.ts';
import { second } from '#src/runtime/units.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { report } from './measuring/figures.ts';

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
  const watching = setInterval(() => (peak = Math.max(peak, memory())), second / 4);
  const [begun, before] = [performance.now(), processor()];
  const past = await replayInProcess(pathToFileURL(join(src, 'app/past-worker.ts')))(
    { over: { archiveUrl }, from: to - previewPeriod, to, inhibitRules: [], what },
    new AbortController().signal,
  );
  const used = processor() - before;
  clearInterval(watching);
  report(`30 days of ${newest.length} markets, ${detectors.length} kinds, replayed`, [
    { name: 'processor', value: used, unit: 's', bound: { most: 10 } },
    { name: 'took', value: (performance.now() - begun) / second, unit: 's' },
    { name: 'memory of both processes, at most', value: peak / 1e6, unit: 'MB' },
    { name: 'alerts', value: past.alerts.length, unit: '' },
  ]);
}

/** Seconds of processor time of this process and of those it has started and that have ended. Linux only. */
function processor(): number {
  const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ');
  const ticks = fields.split(' ').slice(11, 15).map(Number);
  return ticks.reduce((sum, each) => sum + each, 0) / 100;
}

/** Bytes of memory of this process and of those it has started; what they share counts once. Linux only. */
function memory(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean);
  return ['self', ...children].reduce((sum, pid) => {
    const known = existsSync(`/proc/${pid}/smaps_rollup`)
      ? readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
      : '';
    return sum + 1_024 * Number(/^Pss:\s+(\d+)/m.exec(known)?.[1] ?? 0);
  }, 0);
}
