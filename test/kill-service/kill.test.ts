import { expect, it } from 'vitest';
import { runKills } from './kill.ts';

it('an archive whose backfill was killed several times ends like one that was never killed', async () => {
  const outcome = await runKills({ kills: 3, seed: 7 });
  expect.soft(outcome.differences).toEqual([]);
  expect.soft(outcome.complaints).toBe('');
  // Without kills and rows the comparison would prove nothing.
  expect(outcome.kills).toBe(3);
  expect(outcome.rows).toBeGreaterThan(50_000);
});
