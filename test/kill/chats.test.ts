import { expect, it } from 'vitest';
import { chatFaults, type Memory, startChats } from './chats.ts';
import { runKills } from './kill.ts';

it.each<Memory>(['nonce', 'last messages'])(
  'a bot killed mid-broadcast loses nothing, posts once on Discord (%s) and Slack, and logs doubles on Telegram',
  async (memory) => {
    const outcome = await runKills({ kills: 4, seed: 11 }, await startChats(memory));
    expect.soft(chatFaults(outcome)).toEqual([]);
    // Without alerts the verdict would prove nothing.
    for (const { notifications, alerts } of Object.values(outcome.verdicts)) {
      expect(alerts, JSON.stringify(outcome.during)).toBeGreaterThan(0);
      expect(notifications).toBeGreaterThan(alerts);
    }
    expect(outcome.during.polling + outcome.during.sending).toBeGreaterThan(0);
  },
);
