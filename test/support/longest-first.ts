import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders or files of `test` that start programs, wait, or process years of market data. */
const long = [
  'runtime/slow-requests',
  'service/collecting/live',
  'e2e/process',
  'kill',
  'e2e/check',
  'detectors/all',
  'service/run/service',
  'e2e',
  'chaos',
  'preview/agree',
  'service/venues/primary',
  'store/store',
  'platforms/telegram/hostile',
  'service/run/embedded',
  'service/collecting/collector-change',
];
const root = join(import.meta.dirname, '..');
const rank = ({ moduleId }: TestSpecification): number => {
  const found = long.findIndex((start) => moduleId.startsWith(join(root, start)));
  return found < 0 ? long.length : found;
};

/** Runs the longest files first, so that none of them runs alone at the end; the others as vitest's own timings suggest. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
