import { expect, it } from 'vitest';
import { faults, runKills } from './kill.ts';
import { ntfyEnds } from './ntfy.ts';

it('with ntfy, a bot killed mid-broadcast loses and leaves behind nothing and logs doubles', async () => {
  const ends = await ntfyEnds();
  const outcome = await runKills({ kills: 3, seed: 38 }, ends);
  expect.soft(faults(outcome)).toEqual([]);
  const { overtaken = [] } = outcome.verdicts.ntfy ?? {};
  expect.soft(ends.leftBehind().filter((line) => !overtaken.includes(line))).toEqual([]);
  // Without alerts the verdict would prove nothing.
  const { alerts, notifications } = outcome.verdicts.ntfy ?? {};
  expect(alerts, JSON.stringify(outcome.during)).toBeGreaterThan(0);
  expect(notifications).toBeGreaterThan(0);
  expect(outcome.during.sending).toBeGreaterThan(0);
});
