import { join } from 'node:path';
import type { Detector } from '#src/detectors/detector.ts';
import { loadPlugins } from '#src/runtime/plugins.ts';

const detectors = await loadPlugins<Detector>(
  join(import.meta.dirname, '../../src/detectors'),
  'detector.ts',
);

/** Settings that turn all detectors off, for tests of something else: in a fast market they would look all the time. */
export const noDetectors = Object.fromEntries(detectors.map(({ name }) => [name, { enabled: false }]));
