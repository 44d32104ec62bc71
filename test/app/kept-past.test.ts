import { expect, it } from 'vitest';
import { createPastMemory, replayedPast } from '#src/app/kept-past.ts';
import type { PastAlerts } from '#src/preview/past-alerts.ts';
import { hour } from '#src/runtime/units.ts';

const past: PastAlerts = {
  from: 0,
  to: 1,
  alerts: [],
  since: {},
  record: { outcomes: [], closes: { BTCUSDT: { from: 5 * hour, prices: [1, null, 3] } } },
};
function settings() {
  const kept = new Map<string, string>();
  return {
    kept,
    settings: {
      get: async (name: string) => kept.get(name),
      put: async (name: string, value: string) => void kept.set(name, value),
    },
  };
}

it('a stored past is found for the same settings, and for no others', async () => {
  const store = settings();
  expect(await createPastMemory(store, ['a']).recall()).toBeUndefined();
  await createPastMemory(store, ['a']).remember(past);
  expect(await createPastMemory(store, ['a']).recall()).toEqual(past);
  expect(await createPastMemory(store, ['b']).recall()).toBeUndefined();
});

it('a stored past that cannot be read is ignored', async () => {
  const store = settings();
  await createPastMemory(store, ['a']).remember(past);
  for (const [name] of store.kept) store.kept.set(name, '{');
  expect(await createPastMemory(store, ['a']).recall()).toBeUndefined();
});

it('the record uses the past’s hours without the missing ones, and one past gives one record', () => {
  const read = replayedPast(past);
  expect(read?.prices.get('BTCUSDT')).toEqual([
    { at: 5 * hour, price: 1 },
    { at: 7 * hour, price: 3 },
  ]);
  expect(replayedPast(past)).toBe(read);
  expect(replayedPast({ ...past, record: undefined } as unknown as PastAlerts)).toBeUndefined();
  expect(replayedPast(undefined)).toBeUndefined();
});
