import { describe, expect, it } from 'vitest';
import type { Silence } from '#src/alert/subscription.ts';
import { hour, minute } from '#src/runtime/units.ts';
import { silence } from '#test/support/alerts.ts';
import { ask, caller } from '#test/support/commands.ts';
import { now } from '#test/support/data.ts';
import { memoryStore } from '#test/support/memory-store.ts';
import { rule } from '#test/support/rules.ts';

const ofBitcoin = (over: Partial<Silence>) =>
  silence({
    ...{ receiver: caller.receiver, symbols: ['BTCUSDT'], startsAt: now, endsAt: now + hour },
    ...over,
  });

describe('what is silent already', () => {
  it('is extended, in one silence that one command ends', async () => {
    const store = memoryStore();
    await ask('silence btc 1h', { store });
    const again = await ask('silence btc 2h', { store, now: now + minute });
    expect(again.summary).toBe(
      'BTC is already silent until 15 Jan 2026, 13:03 UTC; extended to 15 Jan 2026, 14:04 UTC.',
    );
    expect(store.kept.silences).toMatchObject([{ startsAt: now, endsAt: now + minute + 2 * hour }]);
    const ended = await ask(again.actions?.[0]?.command ?? '', { store });
    expect([ended.title, ended.summary]).toEqual(['Silence ended', 'Alerts are back: BTC.']);
    expect(store.kept.silences).toEqual([]);
  });

  it('is not shortened by a shorter wish', async () => {
    const store = memoryStore({ silences: [ofBitcoin({})] });
    expect((await ask('silence btc 30m', { store })).summary).toBe(
      'BTC is already silent until 15 Jan 2026, 13:03 UTC.',
    );
    expect(store.kept.silences).toHaveLength(1);
  });

  it('by a wider silence too, is said to stay silent', async () => {
    const store = memoryStore({ silences: [ofBitcoin({}), ofBitcoin({ id: 's2', symbols: ['*'] })] });
    expect((await ask('unsilence s1', { store })).summary).toBe(
      'Alerts are back: BTC.\nStill silent: Everything, until 15 Jan 2026, 13:03 UTC.',
    );
  });
});

it.each([
  ['silence 1h', 'Everything'],
  ['silence btc 1h', 'BTC'],
  ['silence funding 1h', 'Extreme funding'],
  ['silence funding btc 1h', 'Extreme funding for BTC'],
  ['silence m1 1h', 'Breakout'],
])('%s says by name what is muted', async (line, what) => {
  const rules = [rule({ id: 'm1', receiver: caller.receiver, name: 'Breakout' })];
  const store = memoryStore({ rules });
  expect((await ask(line, { store })).summary).toBe(`Muted until 15 Jan 2026, 13:03 UTC: ${what}.`);
  expect((await ask('subscriptions', { store })).facts).toEqual([
    { name: 'Silent', value: `${what}, until 15 Jan 2026, 13:03 UTC` },
  ]);
});
