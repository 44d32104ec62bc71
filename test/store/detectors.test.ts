import { expect, it, onTestFinished } from 'vitest';
import { LostRole } from '#src/runtime/role.ts';
import { minute } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { onStores } from '#test/support/databases.ts';

onStores('what detectors remember', (url) => {
  const open = async () => {
    const store = await openStore(await url());
    onTestFinished(() => store.close());
    return store;
  };

  it('is read again if it was stored at another time', async () => {
    const { detectors, dispatch } = await open();
    expect(await detectors.since('x', undefined)).toBeUndefined();
    await dispatch((unit) => unit.saveState('x', { state: { n: 1 }, now: 5 }));
    expect(await detectors.since('x', undefined)).toEqual({ state: { n: 1 }, at: 5 });
    expect(await detectors.since('x', 5)).toBeUndefined();
    await dispatch((unit) => unit.saveState('x', { state: { n: 2 }, now: 4 }));
    expect(await detectors.since('x', 5)).toEqual({ state: { n: 2 }, at: 4 });
  });

  it('is replaced as a whole, after which holders of a part of it write nothing', async () => {
    const store = await open();
    const leases = await Promise.all(
      ['rules:0', 'rules:1', 'watch'].map((role) => store.leases.take(role, { owner: 'a', ttl: minute })),
    );
    const keep = (at: number, state: unknown) => {
      const lease = leases[at];
      if (lease === undefined || lease === null) throw new Error('the role is not free');
      return store.under(lease).dispatch((unit) => unit.saveState(lease.role, { state, now: 1 }));
    };
    for (const at of [0, 1, 2]) await keep(at, { n: at });
    await store.detectors.remake('rules:', () => undefined);
    await keep(0, { n: 10 });
    await store.detectors.remake('rules:', (kept) => {
      expect(kept).toEqual(
        new Map([
          ['rules:0', { n: 10 }],
          ['rules:1', { n: 1 }],
        ]),
      );
      return new Map([['rules:0', { n: 11 }]]);
    });
    const states = () =>
      Promise.all(['rules:0', 'rules:1', 'watch'].map((name) => store.detectors.state(name)));
    expect(await states()).toEqual([{ n: 11 }, undefined, { n: 2 }]);
    await expect(keep(0, { n: 12 })).rejects.toThrow(LostRole);
    await expect(keep(1, { n: 12 })).rejects.toThrow(LostRole);
    await keep(2, { n: 12 });
    expect(await states()).toEqual([{ n: 11 }, undefined, { n: 12 }]);
    expect(await store.leases.take('rules:1', { owner: 'b', ttl: minute })).toMatchObject({ token: 3 });
  });
});
