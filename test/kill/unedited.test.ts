import { expect, it } from 'vitest';
import { appriseEnds } from './apprise.ts';
import { mailEnds } from './email.ts';
import { runKills } from './kill.ts';
import { missed } from './missed.ts';

it.each([
  { notifier: 'apprise', start: appriseEnds },
  { notifier: 'email', start: mailEnds },
])(
  'a bot killed mid-broadcast sends every beginning, worse turn and end by $notifier and logs doubles',
  async ({ notifier, start }) => {
    const { verdicts, complaints, during } = await runKills({ kills: 3, seed: 38, speed: 4 }, await start());
    const verdict = verdicts[notifier];
    if (verdict === undefined) throw new Error('nobody was sent to');
    expect.soft(verdict).toMatchObject({ doubledTooOften: [], unlogged: [], wrong: [], forgotten: [] });
    expect.soft(missed(verdict)).toEqual([]);
    expect.soft(complaints).toBe('');
    // Without alerts the verdict would prove nothing.
    expect(verdict.alerts, JSON.stringify(during)).toBeGreaterThan(0);
    expect(verdict.notifications).toBeGreaterThan(0);
    expect(during.sending).toBeGreaterThan(0);
  },
);
