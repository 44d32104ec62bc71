import { onTestFinished } from 'vitest';
import { type PipelineFixture, pipelineFixture } from './pipeline.ts';

/** Starts a pipeline for one test and closes it after the test. */
export async function ownPipeline(
  given: Parameters<typeof pipelineFixture>[0] = {},
): Promise<PipelineFixture> {
  const f = await pipelineFixture(given);
  onTestFinished(() => f.close());
  return f;
}

/** The same, with a subscription of the room `a`; left out: to everything. */
export async function subscribed(
  wanted: Parameters<PipelineFixture['subscribe']>[0] = {},
  given: Parameters<typeof pipelineFixture>[0] = {},
): Promise<PipelineFixture> {
  const f = await ownPipeline(given);
  await f.subscribe(wanted);
  return f;
}
