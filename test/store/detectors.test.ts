import { expect, it } from 'vitest';
import { onStores } from '#test/support/databases.ts';
import { ownStore } from '#test/support/own-store.ts';

onStores('what detectors remember', (url) => {
  const open = async () => ownStore(await url());

  it('is read again if it was stored at another time', async () => {
    const { detectors, dispatch } = await open();
    expect(await detectors.since('x', undefined)).toBeUndefined();
    await dispatch((unit) => unit.saveState('x', { state: { n: 1 }, now: 5 }));
    expect(await detectors.since('x', undefined)).toEqual({ state: { n: 1 }, at: 5 });
    expect(await detectors.since('x', 5)).toBeUndefined();
    await dispatch((unit) => unit.saveState('x', { state: { n: 2 }, now: 4 }));
    expect(await detectors.since('x', 5)).toEqual({ state: { n: 2 }, at: 4 });
  });
});
