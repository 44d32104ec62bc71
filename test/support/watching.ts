import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { DataClient } from '#src/contract/data-client.ts';
import type { Detector } from '#src/detectors/detector.ts';
import { createWatch } from '#src/pipeline/watch.ts';
import { realTime } from '#src/runtime/clock.ts';
import { createSchedule } from '#src/runtime/schedule.ts';
import type { PipelineFixture } from './pipeline.ts';

/** What any detector of a test has. */
export const inTest = { description: 'A test', preset: 'everything', options: z.object({}) } as const;

/** Returns a watch by these detectors, on the store and the clock of a pipeline. What it starts stops after the test. */
export function watchOn(
  f: PipelineFixture,
  detectors: readonly Detector[],
  given: Partial<Parameters<typeof createWatch>[0]> = {},
) {
  const watch = createWatch({
    watched: detectors.map((detector) => ({
      detector,
      options: {},
      schedule: createSchedule(detector.schedule),
    })),
    data: {} as DataClient,
    store: f.store,
    market: () => realTime(f.clock),
    wall: f.clock,
    log: pino({ level: 'silent' }),
    ...given,
  });
  const start: typeof watch.start = (...how) => {
    const running = watch.start(...how);
    onTestFinished(() => running.stop());
    return running;
  };
  return { ...watch, start };
}
