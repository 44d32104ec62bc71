import { describe, expect, test } from 'vitest';
import { greet } from '#src/app/welcome.ts';
import type { Card } from '#src/card/card.ts';
import { plainReader } from '#src/language/say.ts';
import type { Outlet } from '#src/pipeline/delivery.ts';
import type { BotStatus } from '#src/shell/command.ts';
import { botStatus } from '../support/commands.ts';

const home = { receiver: { notifier: 'terminal', address: {} }, timeZone: 'UTC' };

async function greeted(of: Partial<BotStatus>, isAway = false): Promise<Card<string>> {
  const posted: Card<string>[] = [];
  const outlet = {
    name: 'terminal',
    connection: { send: async ({ card }: { card: Card<string> }) => posted.push(card) },
    pace: { take: async () => {} },
  } as unknown as Outlet;
  const failure = isAway ? { failure: { code: 'unavailable' as const } } : {};
  await greet(home, {
    ask: async (line) => ({
      title: line === 'regime' ? 'Regime: risk-off' : 'Market: risk-off',
      facts: [{ name: 'Bullish', value: '3 of 30 markets' }],
      ...failure,
    }),
    reader: async () => plainReader,
    status: async () => ({ ...botStatus, ...of }),
    outlets: [outlet],
  });
  expect(posted).toHaveLength(1);
  return posted[0] as Card<string>;
}

describe('the first post of a newcomer’s place', () => {
  test.each<[string, Partial<BotStatus>, string[]]>([
    [
      'a simulated market that is loading',
      { source: 'simulated', speed: 240, loaded: 0.08 },
      ['no figure here is real', 'still loading: 8%', 'about every 3 min'],
    ],
    ['a recorded market', { source: 'recorded', speed: 1 }, ['is a recording', 'about every 12 h']],
    ['a real market', { source: 'live', speed: 1 }, ['about every 12 h']],
  ])('says of %s what it is, and how often an alert comes', async (_, status, parts) => {
    const { summary, actions } = await greeted(status);
    for (const part of parts) expect(summary).toContain(part);
    expect(summary?.includes('figure')).toBe(status.source !== 'live');
    expect(summary?.includes('loading')).toBe(status.loaded !== undefined);
    expect(actions?.map(({ command }) => command)).toEqual(['test', 'market', 'help']);
  });

  test('shows the market now', async () => {
    const { facts } = await greeted({});
    expect(facts?.map(({ value }) => value)).toEqual(['Regime: risk-off', '3 of 30 markets']);
  });

  test('shows no market that the data service does not answer about', async () => {
    expect((await greeted({}, true)).facts).toEqual([]);
  });
});
