import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/postgres-server.ts'],
    reporters: ['default', 'test/support/skipped.ts'],
    pool: 'forks',
    // Of two cores vitest would leave one idle.
    maxWorkers: '100%',
    // Only what hangs is cut off by these: a busy machine is no failure.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    restoreMocks: true,
    sequence: { shuffle: true },
  },
});
