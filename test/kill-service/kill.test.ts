import { expect, it } from 'vitest';
import { runKills } from './kill.ts';

it('killed at any moment of its backfill, the archive ends as one that never was', async () => {
  const outcome = await runKills({ kills: 3, seed: 7 });
  expect.soft(outcome.differences).toEqual([]);
  expect.soft(outcome.complaints).toBe('');
  // A test in which nothing happens shows nothing.
  expect(outcome.kills).toBe(3);
  expect(outcome.rows).toBeGreaterThan(50_000);
});
