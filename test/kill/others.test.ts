import { expect, it } from 'vitest';
import { appriseEnds } from './apprise.ts';
import { mailEnds } from './email.ts';
import { joined } from './ends.ts';
import { runKills } from './kill.ts';
import { missed } from './missed.ts';
import { ntfyEnds } from './ntfy.ts';

it('a bot killed mid-broadcast logs doubles and loses nothing on ntfy, nor by Apprise and email what they can tell', async () => {
  const ntfy = await ntfyEnds();
  const ends = joined([ntfy, await appriseEnds(), await mailEnds()]);
  const { verdicts, complaints, during } = await runKills({ kills: 4, seed: 38, speed: 4 }, ends);
  expect.soft(complaints).toBe('');
  expect(Object.keys(verdicts).sort()).toEqual(['apprise', 'email', 'ntfy']);
  for (const [notifier, verdict] of Object.entries(verdicts)) {
    const faultless = { doubledTooOften: [], unlogged: [], wrong: [], forgotten: [] };
    expect.soft(verdict, notifier).toMatchObject(faultless);
    // By Apprise and email nothing can be edited: every beginning, worse turn and end is a message of its own.
    expect.soft(notifier === 'ntfy' ? verdict.lost : missed(verdict), notifier).toEqual([]);
    // Without alerts the verdict would prove nothing.
    expect(verdict.alerts, JSON.stringify(during)).toBeGreaterThan(0);
    expect(verdict.notifications, notifier).toBeGreaterThan(0);
  }
  const { overtaken = [] } = verdicts.ntfy ?? {};
  expect.soft(ntfy.leftBehind().filter((line) => !overtaken.includes(line))).toEqual([]);
  expect(during.sending).toBeGreaterThan(0);
});
