import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What starts programs, waits or goes through years of a market, by folder or file of `test`. */
const long = [
  'runtime/slow-requests',
  'service/collecting/live',
  'e2e/process',
  'kill',
  'e2e/check',
  'detectors/all',
  'service/service',
  'e2e',
  'detectors/funding-floor',
  'pipeline/ends',
  'store/store',
  'platforms/telegram/hostile',
  'service/embedded',
];
const root = join(import.meta.dirname, '..');
const rank = ({ moduleId }: TestSpecification): number => {
  const found = long.findIndex((start) => moduleId.startsWith(join(root, start)));
  return found < 0 ? long.length : found;
};

/** The longest files begin first, so that none of them runs alone at the end; then by what vitest remembers. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
