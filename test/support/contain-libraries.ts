import { expect, onTestFinished } from 'vitest';
import { giveToBoundary } from '#src/runtime/boundary.ts';

/**
 * Gives what a library leaves uncaught during this test to its boundary, as the program does: discord.js no longer listens to a
 * connection that it drops while it opens, which may still be refused. Anything else fails the test.
 */
export function containLibraries(): void {
  const uncaught: unknown[] = [];
  const contain = (error: unknown) => {
    if (!giveToBoundary(error)) uncaught.push(error);
  };
  process.on('uncaughtException', contain).on('unhandledRejection', contain);
  onTestFinished(() => {
    process.off('uncaughtException', contain).off('unhandledRejection', contain);
    expect(uncaught).toEqual([]);
  });
}
