import { expect, it } from 'vitest';
import { appriseEnds, missed } from './apprise.ts';
import { runKills } from './kill.ts';

it('killed mid-broadcast, Apprise is told every beginning, worse turn and end; what was in flight may come twice, and is logged so', async () => {
  const outcome = await runKills({ kills: 3, seed: 3 }, await appriseEnds());
  const verdict = outcome.verdicts.apprise;
  expect.soft(verdict).toMatchObject({ doubledTooOften: [], unlogged: [], wrong: [], forgotten: [] });
  expect.soft(missed(outcome)).toEqual([]);
  expect.soft(outcome.complaints).toBe('');
  // A test in which nothing happens shows nothing.
  expect(verdict?.alerts, JSON.stringify(outcome.during)).toBeGreaterThan(0);
  expect(verdict?.notifications).toBeGreaterThan(verdict?.alerts ?? 0);
  expect(outcome.during.sending).toBeGreaterThan(0);
});
