import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { patience } from './test/support/patience.ts';
import { temporaryFolder } from './test/support/temporary-folder.ts';

// What properties draw and the order of tests are the same in each run, so that none is red by chance; another seed tries others.
const seed = Number(process.env.TEST_SEED ?? 1);

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/postgres-server.ts'],
    setupFiles: ['test/support/seed.ts'],
    provide: { seed },
    reporters: ['default', 'test/support/skipped.ts'],
    pool: 'forks',
    // Tests make much that is gone at once: with more room for it a worker spends a tenth less on clearing away.
    execArgv: ['--max-semi-space-size=32'],
    // The files of a worker share its modules, whose loading was a fifth of the suite: none of src keeps state that a test could see.
    isolate: false,
    // A quarter of the suite waits for processes, paces and deadlines: two workers more than there are cores fill that time.
    maxWorkers: availableParallelism() + 2,
    // Only what hangs is cut off by these: a busy machine is no failure.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 600_000,
    expect: { poll: { timeout: patience } },
    env: {
      // The programs that tests start strip and compile three hundred files, which is half of what a start costs.
      NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled'),
      TMPDIR: temporaryFolder(),
    },
    // Tests that wait side by side wait once.
    maxConcurrency: 10,
    restoreMocks: true,
    sequence: { shuffle: { files: false, tests: true }, sequencer: LongestFirst, seed },
  },
});
