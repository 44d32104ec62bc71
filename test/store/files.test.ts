import { beforeEach, expect, it } from 'vitest';
import type { Rule } from '#src/alert/rule.ts';
import type { Receiver, Subscription } from '#src/alert/subscription.ts';
import { applyPlaces } from '#src/app/files/keep-files.ts';
import type { WantedPlaces } from '#src/app/files/plan.ts';
import { planSummary } from '#src/app/files/plan-lines.ts';
import type { Store } from '#src/store/ports.ts';
import { addresses } from '#test/support/addresses.ts';
import { receiver, start, subscription } from '#test/support/alerts.ts';
import { onStores } from '#test/support/databases.ts';
import { ownStore } from '#test/support/own-store.ts';
import { rule } from '#test/support/rules.ts';

const origin = { file: 'team.yaml', line: 1 };
const filed = <Thing>(thing: Thing) => ({
  thing: { ...thing, id: '', file: 'team.yaml', createdBy: 'team.yaml' },
  origin,
});

/** Builds wanted places: subscriptions to these markets, rules with these levels, and watchlists, each in a room. */
const wanted = (
  subscriptions: readonly (readonly [room: string, symbol: string, given?: Partial<Subscription>])[],
  rules: readonly (readonly [room: string, level: number, given?: Partial<Rule>])[] = [],
  watchlists: readonly (readonly [room: string, ...symbols: string[]])[] = [],
): WantedPlaces => ({
  watchlists: watchlists.map(([room, ...symbols]) => ({
    thing: { receiver: receiver(room), symbols, file: 'team.yaml' },
    origin,
  })),
  subscriptions: subscriptions.map(([room, symbol, given]) =>
    filed({ ...subscription({ receiver: receiver(room), symbols: [symbol], ...given }), id: '' }),
  ),
  rules: rules.map(([room, level, given]) =>
    filed(rule({ receiver: receiver(room), condition: `price.last > ${level}`, ...given })),
  ),
});

onStores('what stands in files', (url) => {
  let store: Store;
  beforeEach(async () => {
    store = await ownStore(await url(), { addresses });
  });
  const apply = async (places: WantedPlaces) =>
    planSummary(await applyPlaces(places, { files: store.files, at: start }));
  const inRoom = async (room: Receiver) => {
    const [subscriptions, rules] = await Promise.all([store.subscriptions.of(room), store.rules.of(room)]);
    // Subscriptions created at the same time have no defined order on some databases.
    const named = subscriptions.map(({ symbols: [symbol = ''], ...rest }) => ({ symbol, ...rest }));
    return [
      ...named
        .sort((a, b) => (a.symbol < b.symbol ? -1 : 1))
        .map(({ symbol, minSeverity, file }) => [symbol, minSeverity, file]),
      ...rules.map(({ condition, severity, file }) => [condition, severity, file]),
    ];
  };

  it('is created, changed and removed with the files, and does not touch what people made', async () => {
    await store.subscriptions.add(subscription({ symbols: ['SOLUSDT'] }));
    const before = wanted(
      [
        ['a', 'BTCUSDT'],
        ['b', 'watchlist'],
      ],
      [
        ['a', 1],
        ['a', 2],
      ],
    );
    await store.watchlist.set(receiver('b'), ['XRPUSDT']);
    expect(await apply(before)).toBe('+2 subscriptions, +2 alerts');
    expect(await apply(before)).toBeUndefined();
    expect(await store.subscriptions.symbols()).toEqual(['BTCUSDT', 'SOLUSDT', 'XRPUSDT']);
    const ids = (await store.rules.of(receiver())).map(({ id }) => id);
    const revision = await store.rules.revision();

    const after = wanted([['a', 'BTCUSDT', { minSeverity: 'critical' }]], [['a', 2, { severity: 'info' }]]);
    expect(await apply(after)).toBe('~1 subscription, −1 subscription, ~1 alert, −1 alert');
    expect(await inRoom(receiver())).toEqual([
      ['BTCUSDT', 'critical', 'team.yaml'],
      ['SOLUSDT', 'info', undefined],
      ['price.last > 2', 'info', 'team.yaml'],
    ]);
    expect(await store.subscriptions.countOfAccount(receiver())).toBe(1);
    expect(await store.rules.countOfAccount(receiver())).toBe(0);
    expect(ids).toContain((await store.rules.of(receiver()))[0]?.id);
    expect(await store.rules.revision()).toBeGreaterThan(revision);
    expect(await inRoom(receiver('b'))).toEqual([]);
    expect(await store.subscriptions.symbols()).toEqual(['BTCUSDT', 'SOLUSDT']);
    expect((await store.audit.of(receiver(), 20)).map(({ who }) => who)).toEqual(Array(6).fill('team.yaml'));
  });

  it('takes over an equal subscription or rule that people made, instead of creating a second one', async () => {
    const own = await store.subscriptions.add(
      subscription({ symbols: ['BTCUSDT'], minSeverity: 'critical' }),
    );
    const { id: _, ...made } = rule({ receiver: receiver(), condition: 'price.last > 1', name: 'mine' });
    await store.rules.add(made);
    expect(await apply(wanted([['a', 'BTCUSDT']], [['a', 1]]))).toBe('~1 subscription, ~1 alert');
    expect(await store.subscriptions.of(receiver())).toMatchObject([
      { id: own.id, minSeverity: 'info', file: 'team.yaml', createdBy: 'test' },
    ]);
    expect(await store.rules.of(receiver())).toMatchObject([{ name: null, file: 'team.yaml' }]);
    expect(await apply(wanted([]))).toBe('−1 subscription, −1 alert');
    expect(await inRoom(receiver())).toEqual([]);
  });

  it('sets a watchlist that subscriptions and rules follow, until no file defines it', async () => {
    await store.watchlist.set(receiver(), ['SOLUSDT']);
    await store.subscriptions.add(subscription({ symbols: ['watchlist'] }));
    const { id } = await store.rules.add(rule({ receiver: receiver(), symbols: ['watchlist'] }));
    const list = (...symbols: string[]) =>
      wanted(
        [['b', 'watchlist']],
        [],
        [['a', ...symbols], ...(symbols.length > 1 ? [['b', 'XRPUSDT'] as const] : [])],
      );
    expect(await apply(list('BTCUSDT', 'ETHUSDT'))).toBe('+1 subscription, +1 watchlist, ~1 watchlist');
    expect(await store.watchlist.of(receiver())).toEqual(['BTCUSDT', 'ETHUSDT']);
    expect(await store.watchlist.fileOf(receiver())).toBe('team.yaml');
    expect(await store.subscriptions.symbols()).toEqual(['BTCUSDT', 'ETHUSDT', 'XRPUSDT']);
    expect(await apply(list('BTCUSDT', 'ETHUSDT'))).toBeUndefined();

    const revision = await store.rules.revision();
    expect(await apply(list('ETHUSDT'))).toBe('~1 watchlist, −1 watchlist');
    expect(await store.rules.read([id])).toMatchObject([{ symbols: ['ETHUSDT'] }]);
    expect(await store.rules.revision()).toBeGreaterThan(revision);
    expect(await store.watchlist.of(receiver('b'))).toEqual([]);
    expect(await store.subscriptions.symbols()).toEqual(['ETHUSDT']);
    expect((await store.audit.of(receiver(), 20)).map(({ who }) => who)).toEqual(['team.yaml', 'team.yaml']);
  });

  it('belongs to the places once there are no files any more', async () => {
    await apply(wanted([['a', 'BTCUSDT']], [['a', 1]], [['a', 'ETHUSDT']]));
    expect(await store.files.release()).toBe(3);
    expect(await store.files.release()).toBe(0);
    expect(await inRoom(receiver())).toEqual([
      ['BTCUSDT', 'info', undefined],
      ['price.last > 1', 'warning', undefined],
    ]);
    expect(await store.watchlist.fileOf(receiver())).toBeUndefined();
    expect(await store.watchlist.of(receiver())).toEqual(['ETHUSDT']);
  });

  it('is created once, even if several processes apply it at the same time', async () => {
    const places = wanted([['a', 'BTCUSDT']], [['b', 1]]);
    const each = await Promise.all(Array.from({ length: 4 }, () => apply(places)));
    expect(each.filter((done) => done !== undefined)).toEqual(['+1 subscription, +1 alert']);
    expect((await store.files.held([])).rules).toHaveLength(1);
  });

  it('is applied completely or not at all', async () => {
    await apply(wanted([['a', 'BTCUSDT']], [], [['a', 'SOLUSDT']]));
    const broken = wanted([['a', 'ETHUSDT']], [['a', 1, { severity: null as never }]], [['a', 'ETHUSDT']]);
    await expect(apply(broken)).rejects.toThrow();
    expect(await inRoom(receiver())).toEqual([['BTCUSDT', 'info', 'team.yaml']]);
    expect(await store.subscriptions.symbols()).toEqual(['BTCUSDT']);
    expect(await store.watchlist.of(receiver())).toEqual(['SOLUSDT']);
  });
});
