/**
 * How long a test waits for an event that must come, wall ms. Long enough for a slow machine: only a failing test waits that
 * long.
 */
export const patience = 120_000;
