import type { Detector } from '#src/detectors/detector.ts';
import { loadPlugins } from '#src/runtime/plugins.ts';

/** All detectors, as the bot loads them. */
export const detectors = await loadPlugins<Detector>(
  new URL('../../src/detectors', import.meta.url).pathname,
  'detector.ts',
);

/** Settings that turn all detectors off, for tests of something else: in a fast market they would look all the time. */
export const noDetectors = Object.fromEntries(detectors.map(({ name }) => [name, { enabled: false }]));
