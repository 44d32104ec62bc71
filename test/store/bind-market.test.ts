import { expect, it } from 'vitest';
import { ConfigError } from '#src/runtime/errors.ts';
import { LostRole } from '#src/runtime/role.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import { firing, receiver, silence, start, subscription } from '#test/support/alerts.ts';
import { onStores } from '#test/support/databases.ts';
import { ownStore } from '#test/support/own-store.ts';
import { rule } from '#test/support/rules.ts';

const simulated = 'simulated (seed 7)';

onStores('a database is of one market', (url) => {
  /** A store of the simulated market, a day before `start`: with an open alert that waits for a receiver, and a state. */
  const used = async (market = simulated) => {
    const store = await ownStore(await url());
    const last = start - day;
    expect(await store.market.bind(market, { now: last, speed: 1, run: 'a' })).toBeUndefined();
    await store.heartbeat({ market: last - day, wall: 0 }, minute);
    await store.heartbeat({ market: last, wall: hour }, minute);
    await store.dispatch(async (unit) => {
      const kept = { alert: firing({}, last), group: 'g', due: last, heldBy: null };
      await unit.save(kept);
      await unit.announce(kept);
      await unit.saveState('x', { state: { n: 1 }, now: last });
    });
    const added = await store.subscriptions.add(subscription());
    await store.silences.add(silence({ startsAt: last - hour, endsAt: last + hour }));
    const expiring = await store.rules.add(rule({ receiver: receiver(), expiresAt: last + day }));
    const endless = await store.rules.add(rule({ receiver: receiver() }));
    await store.preferences.set(receiver(), { timeZone: 'Asia/Tokyo' });
    return { store, last, added, expiring, endless };
  };
  type Used = Awaited<ReturnType<typeof used>>;
  interface Given {
    readonly market: string;
    readonly after: number;
    readonly of?: string;
    readonly run?: string | undefined;
  }

  const aboutMarket = async ({ store }: Used) => ({
    open: (await store.alerts.firing()).length,
    waiting: (await store.expansion.next()).length,
    state: await store.detectors.state('x'),
    downtimes: (await store.downtimes()).length,
  });
  const present = { open: 1, waiting: 1, state: { n: 1 }, downtimes: 1 };
  const absent = { open: 0, waiting: 0, state: undefined, downtimes: 0 };

  it.each([
    ['the same market', { market: simulated, after: hour }, undefined],
    [
      'the same market, whose service names no run, at any time',
      { market: simulated, after: -300 * day, run: undefined },
      undefined,
    ],
    ['the same run at any time', { market: simulated, after: 26_000 * day }, undefined],
    ['another market', { market: 'live', after: day }, simulated],
    ['another market, whose time is behind', { market: 'live', after: -30 * day }, simulated],
    ['another run of the same market', { market: simulated, after: -day, run: 'b' }, simulated],
    ['another run of the live market', { market: 'live', after: day, run: 'b', of: 'live' }, undefined],
  ])('on %s', async (_, { market, after, of, ...runs }: Given, before) => {
    const run = 'run' in runs ? runs.run : 'a';
    const one = await used(of);
    const { store, last, added, expiring, endless } = one;
    const now = last + after;
    expect(await store.market.bind(market, { now, speed: 1, run })).toBe(before);
    expect(await aboutMarket(one)).toEqual(before === undefined ? present : absent);
    const moved = before === undefined ? 0 : after;
    expect(await store.subscriptions.of(receiver())).toEqual([added]);
    expect(await store.preferences.of(receiver())).toEqual({ timeZone: 'Asia/Tokyo' });
    expect(await store.silences.of(receiver(), last + moved)).toMatchObject([
      { startsAt: last + moved - hour, endsAt: last + moved + hour },
    ]);
    const rules = await store.rules.of(receiver());
    expect(new Map(rules.map(({ id, expiresAt }) => [id, expiresAt]))).toEqual(
      new Map([
        [expiring.id, last + moved + day],
        [endless.id, null],
      ]),
    );
    expect(await store.market.bind(market, { now, speed: 1, run })).toBeUndefined();
  });

  it('a role that was held in the other market is lost, with what it remembers', async () => {
    const { store } = await used();
    const lease = await store.leases.take('watch', { owner: 'a', ttl: minute });
    if (lease === null) throw new Error('the role is not free');
    await store.market.bind('live', { now: start, speed: 1 });
    const late = store.under(lease).dispatch((unit) => unit.saveState('x', { state: { n: 2 }, now: start }));
    await expect(late).rejects.toThrow(LostRole);
    expect(await store.leases.take('watch', { owner: 'b', ttl: minute })).toMatchObject({ token: 3 });
  });

  it('a start with the settings of another market ends nothing of the live one, nor does a clock that is set back', async () => {
    const one = await used('live');
    const wrong = one.store.market.bind(simulated, { now: start, speed: 1 });
    await expect(wrong).rejects.toThrow(ConfigError);
    await expect(wrong).rejects.toThrow(
      /belongs to the live market, not to the simulated \(seed 7\) one: point TOCSIN_DATABASE_URL/,
    );
    expect(await one.store.market.bind('live', { now: start - 30 * day, speed: 1 })).toBeUndefined();
    expect(await aboutMarket(one)).toEqual(present);
  });

  it('what a bot reckons while its service is away does not make the market begin anew, nor does delay at its speed', async () => {
    const one = await used();
    await one.store.heartbeat({ market: one.last + 5 * hour, wall: 6 * hour }, minute);
    expect(await one.store.market.bind(simulated, { now: one.last + hour, speed: 1 })).toBeUndefined();
    expect(await one.store.market.bind(simulated, { now: one.last - hour, speed: 3_600 })).toBeUndefined();
    expect((await aboutMarket(one)).open).toBe(1);
  });

  it('a process of another market learns that the database is no longer of its own', async () => {
    const { store, last } = await used();
    expect(await store.market.keepTime(simulated, { now: last + hour, speed: 1 })).toBe(true);
    expect(await store.market.bound()).toEqual({ market: simulated, time: last + hour, speed: 1 });
    await store.market.bind('live', { now: start, speed: 1 });
    const late = store.market.keepTime(simulated, { now: last + 2 * hour, speed: 1 });
    await expect(late).rejects.toThrow(/now belongs to the live market, not to the simulated \(seed 7\) one/);
    expect(await store.market.bind('live', { now: start + day, speed: 1 })).toBeUndefined();
  });

  it('another run of the market that begins while the bot runs is to be bound, and no time is', async () => {
    const { store, last } = await used();
    const time = { now: last - day, speed: 1 };
    for (const now of [last - 300 * day, last + 26_000 * day, last - day])
      expect(await store.market.keepTime(simulated, { ...time, now, run: 'a' })).toBe(true);
    expect(await store.market.keepTime(simulated, { ...time, run: 'b' })).toBe(false);
    expect(await store.market.bind(simulated, { ...time, run: 'b' })).toBe(simulated);
    expect(await store.market.keepTime(simulated, { ...time, run: 'b' })).toBe(true);
  });
});
