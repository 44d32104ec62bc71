import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { type Receiver, receiverKey, type Subscription } from '#src/alert/subscription.ts';
import { watchlist } from '#src/alert/symbols.ts';
import { openStore } from '#src/store/open.ts';
import type { Criteria, Cursor, Dispatch, Store } from '#src/store/ports.ts';
import { firing, receiver, start, subscription } from '#test/support/alerts.ts';
import { onStores } from '#test/support/databases.ts';
import { ownStore } from '#test/support/own-store.ts';
import { nextDispatch } from '#test/support/posting.ts';

const beginning: Cursor = { matcher: 0, receiver: '', subscription: 0 };

/** Reads all pages of subscriptions whose criteria `wants` accepts. Returns the criteria asked and the subscriptions found. */
async function pages(
  store: Store,
  {
    size = 2,
    wants = () => true,
    between = async () => {},
  }: {
    readonly size?: number;
    readonly wants?: (criteria: Criteria) => boolean;
    readonly between?: () => Promise<void>;
  } = {},
) {
  await store.expansion.forgetMoves();
  const [asked, found]: [Set<string>, Subscription[]] = [new Set(), []];
  for (let cursor: Cursor | null = beginning; cursor !== null; ) {
    const page = await store.expansion.page(cursor, {
      size,
      wants(criteria) {
        asked.add(JSON.stringify(criteria));
        return wants(criteria);
      },
    });
    found.push(...page.subscriptions);
    cursor = page.next;
    if (cursor !== null) await between();
  }
  return { asked: [...asked].sort(), found };
}

const ids = (all: readonly Pick<Subscription, 'id'>[]) => all.map(({ id }) => id).sort();

onStores('what subscriptions ask for', (url) => {
  let store: Store;
  beforeEach(async () => {
    store = await ownStore(await url());
  });

  const add = (given: Parameters<typeof subscription>[0]) => store.subscriptions.add(subscription(given));

  it('is evaluated once for equal subscriptions and leads to each of them once, with any page size', async () => {
    const btc = [];
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      btc.push(await add({ receiver: receiver(name), symbols: ['BTCUSDT'] }));
    for (const symbol of ['ETHUSDT', 'SOLUSDT', 'XRPUSDT']) await add({ symbols: [symbol] });
    const wants = ({ symbols }: Criteria) => symbols.includes('BTCUSDT');
    for (const size of [1, 2, 3, 5, 100]) {
      const { asked, found } = await pages(store, { size, wants });
      expect(ids(found)).toEqual(ids(btc));
      expect(asked).toHaveLength(4);
    }
  });

  it('leads to each of the subscriptions of one receiver once, with any page size', async () => {
    const btc = [];
    for (const name of ['d', 'b', 'e', 'a', 'c'])
      btc.push(await add({ receiver: receiver(name), symbols: ['BTCUSDT'] }));
    for (const symbol of ['BTCUSDT', 'ETHUSDT', 'SOLUSDT']) {
      const one = await add({ receiver: receiver('c'), symbols: [symbol] });
      if (symbol === 'BTCUSDT') btc.push(one);
    }
    const wants = ({ symbols }: Criteria) => symbols.includes('BTCUSDT');
    for (const size of [1, 2, 3, 5, 100])
      expect(ids((await pages(store, { size, wants })).found)).toEqual(ids(btc));
  });

  it('leads to the receivers that ask for the same in their order', async () => {
    for (const name of ['c', 'a', 'b']) await add({ receiver: receiver(name), symbols: ['BTCUSDT'] });
    const { found } = await pages(store, { size: 1 });
    expect(found.map(({ receiver: { address } }) => address)).toEqual(
      ['a', 'b', 'c'].map((name) => receiver(name).address),
    );
  });

  it('that few ask for leads to their subscriptions on one page', async () => {
    for (let n = 0; n < 20; n += 1) await add({ receiver: receiver(n), symbols: [`S${n}USDT`] });
    const wants = ({ symbols }: Criteria) => symbols.includes('S19USDT');
    const page = await store.expansion.page(beginning, { size: 4, wants });
    expect(page.subscriptions.map(({ symbols }) => symbols)).toEqual([['S19USDT']]);
    expect(page.next).toBeNull();
  });

  it('shares one page if few subscriptions have each criteria', async () => {
    for (const symbol of ['ETHUSDT', 'SOLUSDT', 'XRPUSDT']) await add({ symbols: [symbol] });
    const page = await store.expansion.page(beginning, { size: 4, wants: () => true });
    expect(page.subscriptions).toHaveLength(3);
    expect(page.next).toBeNull();
  });

  it('is not evaluated when all its subscriptions are removed or paused', async () => {
    const one = await add({ symbols: ['BTCUSDT'] });
    const other = await add({ symbols: ['BTCUSDT'] });
    await store.subscriptions.update({ ...one, paused: true });
    expect((await pages(store)).asked).toHaveLength(1);
    await store.subscriptions.remove(other.id, other.receiver);
    expect((await pages(store)).asked).toEqual([]);
    expect(await store.subscriptions.symbols()).toEqual([]);
    await store.subscriptions.update(one);
    expect(ids((await pages(store)).found)).toEqual([one.id]);
  });

  it('may change while an alert goes through it: all that always matched are found', async () => {
    const symbols = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(2), fc.constantFrom(...symbols, 'address')), {
          minLength: 6,
          maxLength: 6,
        }),
        async (moves) => {
          const all: Subscription[] = [];
          for (const symbol of symbols)
            all.push(await add({ receiver: receiver(symbol), symbols: [symbol] }));
          // Others ask for the same, so that a place that moves keeps its matcher.
          const others: Subscription[] = [];
          for (const symbol of symbols) others.push(await add({ symbols: [symbol] }));
          const { found } = await pages(store, {
            size: 1,
            async between() {
              const [who = all.length, what = ''] = moves.pop() ?? [];
              const one = all[who];
              if (one === undefined) return;
              if (what !== 'address') {
                await store.subscriptions.update({ ...one, symbols: [what] });
                return;
              }
              // The last place moves before all others, the others behind them.
              const to = receiver(`${who === 2 ? 'A' : 'Z'}${moves.length}${who}`);
              await store.receivers.move(one.receiver, to);
              all[who] = { ...one, receiver: to };
            },
          });
          expect(new Set(ids(found))).toEqual(new Set(ids([...all, ...others])));
          for (const { id, receiver } of [...all, ...others]) await store.subscriptions.remove(id, receiver);
        },
      ),
      { numRuns: 12, examples: [[[[2, 'BTCUSDT']]], [[[0, 'address']]], [[[2, 'address']]]] },
    );
  });

  it('keeps a record of changes until no alert is being expanded', async () => {
    const one = await add({ receiver: receiver('a'), symbols: ['BTCUSDT'] });
    await add({ receiver: receiver('b'), symbols: ['ETHUSDT'] });
    const moved = async () => (await pages(store, { size: 9 })).found.length - 2;
    await store.subscriptions.update({ ...one, symbols: ['ETHUSDT'] });
    const alert = firing();
    await store.dispatch((unit) => unit.announce({ alert, group: alert.id, due: start, heldBy: null }));
    const dispatch = (await nextDispatch(store)) as Dispatch;
    const half = { matcher: 1, receiver: '', subscription: 0 };
    await store.expansion.enqueue([{ dispatch, destinations: [] }], { next: half, now: start });
    expect(await moved()).toBe(1);
    await store.expansion.drop([dispatch.id]);
    expect(await moved()).toBe(0);
  });

  it('is looked through from where the last page ended', async () => {
    const next = { matcher: 7, receiver: receiverKey(receiver('a')), subscription: 8 };
    const alert = firing();
    await store.dispatch((unit) => unit.announce({ alert, group: alert.id, due: start, heldBy: null }));
    const dispatch = (await nextDispatch(store)) as Dispatch;
    await store.expansion.enqueue([{ dispatch, destinations: [] }], { next, now: start });
    expect((await nextDispatch(store))?.cursor).toEqual(next);
  });

  it('includes the watchlist of its place and changes with it', async () => {
    await add({ symbols: [watchlist, 'BTCUSDT'] });
    await store.watchlist.set(receiver(), ['SOLUSDT']);
    await store.watchlist.set(receiver(), ['XRPUSDT', 'ETHUSDT']);
    const { found } = await pages(store);
    expect(found.map(({ symbols }) => symbols)).toEqual([['BTCUSDT', 'ETHUSDT', 'XRPUSDT']]);
    expect((await store.subscriptions.of(receiver()))[0]?.symbols).toEqual([watchlist, 'BTCUSDT']);
  });
});

it('criteria equal those of the active subscriptions after any sequence of changes', async () => {
  const place = fc.constantFrom('a', 'b', 'c').map((name) => receiver(name));
  const symbols = fc.constantFrom(
    ['*'],
    ['BTCUSDT'],
    ['ETHUSDT', 'BTCUSDT'],
    [watchlist],
    [watchlist, 'BTCUSDT'],
  );
  const step = fc.oneof(
    fc.record({ what: fc.constant('add' as const), place, symbols, paused: fc.boolean() }),
    fc.record({ what: fc.constant('change' as const), nth: fc.nat(9), symbols, paused: fc.boolean() }),
    fc.record({ what: fc.constant('remove' as const), nth: fc.nat(9) }),
    fc.record({ what: fc.constant('follow' as const), place, list: fc.subarray(['SOLUSDT', 'BTCUSDT']) }),
    fc.record({ what: fc.constant('end' as const), place }),
    fc.record({ what: fc.constant('move' as const), place, to: place }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const store = await openStore('file::memory:');
      const all = async () => {
        const found = [];
        for (const name of ['a', 'b', 'c']) found.push(...(await store.subscriptions.of(receiver(name))));
        return found;
      };
      try {
        for (const each of steps) {
          const nth = 'nth' in each ? (await all())[each.nth] : undefined;
          if (each.what === 'add')
            await store.subscriptions.add(
              subscription({ receiver: each.place, symbols: each.symbols, paused: each.paused }),
            );
          else if (each.what === 'follow') await store.watchlist.set(each.place, each.list);
          else if (each.what === 'end') await store.receivers.end(each.place, { at: start, reason: 'gone' });
          else if (each.what === 'move' && receiverKey(each.place) !== receiverKey(each.to))
            await store.receivers.move(each.place, each.to);
          else if (each.what === 'remove' && nth !== undefined)
            await store.subscriptions.remove(nth.id, nth.receiver);
          else if (each.what === 'change' && nth !== undefined)
            await store.subscriptions.update({ ...nth, symbols: each.symbols, paused: each.paused });
        }
        const active = [];
        for (const each of await all())
          if (!each.paused) active.push({ ...each, symbols: await inEffect(store, each) });
        const { asked, found } = await pages(store);
        expect(ids(found)).toEqual(ids(active));
        expect(asked).toEqual([...new Set(active.map(criteriaText))].sort());
        const counted = active.flatMap((each) => each.symbols.filter((symbol) => symbol !== '*'));
        const times = Map.groupBy(counted, (symbol) => symbol);
        const wanted = await store.subscriptions.symbols();
        expect([...wanted].sort()).toEqual([...times.keys()].sort());
        const order = wanted.map((symbol) => times.get(symbol)?.length ?? 0);
        expect(order).toEqual(order.toSorted((a, b) => b - a));
      } finally {
        await store.close();
      }
    }),
    { numRuns: 60 },
  );
});

const criteriaText = ({ kinds, symbols, minSeverity }: Criteria) =>
  JSON.stringify({ kinds, symbols, minSeverity });

async function inEffect(
  store: Store,
  { symbols, receiver: place }: { readonly symbols: readonly string[]; readonly receiver: Receiver },
): Promise<string[]> {
  const followed = await store.watchlist.of(place);
  return [...new Set(symbols.flatMap((each) => (each === watchlist ? followed : each)))].sort();
}
