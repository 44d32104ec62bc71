import { expect, it } from 'vitest';
import { chatFaults, type Memory, startChats } from './chats.ts';
import { runKills } from './kill.ts';

it.each<Memory>(['nonce', 'last messages'])(
  'killed mid-broadcast, it loses nothing, tells nothing twice on Discord (by the %s) or Slack and logs what it may on Telegram',
  async (memory) => {
    const outcome = await runKills({ kills: 6, seed: 11 }, await startChats(memory));
    expect.soft(chatFaults(outcome)).toEqual([]);
    // A test in which nothing happens shows nothing.
    for (const { notifications, alerts } of Object.values(outcome.verdicts)) {
      expect(alerts, JSON.stringify(outcome.during)).toBeGreaterThan(0);
      expect(notifications).toBeGreaterThan(alerts);
    }
    expect(outcome.during.polling + outcome.during.sending).toBeGreaterThan(0);
  },
);
