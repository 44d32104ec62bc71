import { pino } from 'pino';
import { z } from 'zod';
import type { DataClient } from '#src/contract/data-client.ts';
import type { Detector } from '#src/detectors/detector.ts';
import { createWatch } from '#src/pipeline/watch.ts';
import { realTime } from '#src/runtime/clock.ts';
import { createSchedule } from '#src/runtime/schedule.ts';
import type { PipelineFixture } from './pipeline.ts';

/** What any detector of a test has. */
export const inTest = { description: 'A test', preset: 'everything', options: z.object({}) } as const;

/** Returns a watch by these detectors, on the store and the clock of a pipeline. */
export const watchOn = (
  f: PipelineFixture,
  detectors: readonly Detector[],
  given: Partial<Parameters<typeof createWatch>[0]> = {},
): ReturnType<typeof createWatch> =>
  createWatch({
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
