import { expect, it } from 'vitest';
import { createPastMemory } from '#src/app/kept-past.ts';
import type { PastAlerts } from '#src/preview/past-alerts.ts';

const past: PastAlerts = {
  from: 0,
  to: 1,
  alerts: [],
  since: {},
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
