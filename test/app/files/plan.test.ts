import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Rule } from '#src/alert/rule.ts';
import { receiverKey, type Subscription } from '#src/alert/subscription.ts';
import type { Watchlist } from '#src/alert/watchlist.ts';
import {
  changesOf,
  type Plan,
  planOf,
  ruleComparison,
  subscriptionComparison,
  type Wanted,
  type WantedPlaces,
  watchlistComparison,
} from '#src/app/files/plan.ts';
import { planLines, planSummary } from '#src/app/files/plan-lines.ts';
import type { Held } from '#src/store/ports.ts';
import { receiver, subscription } from '#test/support/alerts.ts';
import { rule } from '#test/support/rules.ts';

const place = fc.constantFrom('a', 'b').map((name) => receiver(name));
const file = fc.constantFrom('x.yaml', 'y.yaml');
const severity = fc.constantFrom('info', 'warning', 'critical');
const some = (...names: string[]) => fc.shuffledSubarray(names, { minLength: 1 });

const anySubscription: fc.Arbitrary<Subscription> = fc
  .record({
    receiver: place,
    kinds: some('funding-extreme', 'price-move'),
    symbols: some('BTCUSDT', 'ETHUSDT', 'watchlist'),
    minSeverity: severity,
    mention: fc.constantFrom(null, '5'),
    paused: fc.boolean(),
  })
  .map((given) => ({ ...subscription(given), id: '' }));

const anyRule: fc.Arbitrary<Rule> = fc
  .record({
    receiver: place,
    name: fc.constantFrom(null, null, 'one', 'two'),
    condition: fc.constantFrom('price.last > 1', 'price.last > 2'),
    symbols: some('BTCUSDT', 'ETHUSDT'),
    hold: fc.constantFrom(0, 60_000),
    severity,
  })
  .map((given) => rule({ ...given, id: '' }));

const anyWatchlist: fc.Arbitrary<Watchlist> = fc.record({
  receiver: place,
  symbols: some('BTCUSDT', 'ETHUSDT', 'SOLUSDT'),
});

interface Fileable {
  readonly file?: string;
}
interface Named extends Fileable {
  readonly id: string;
}

/** Draws what files want: nothing twice. */
const wantedOf = <Thing extends Fileable>(things: fc.Arbitrary<Thing>, identity: (thing: Thing) => string) =>
  fc
    .uniqueArray(fc.tuple(things, file), { maxLength: 6, selector: ([thing]) => identity(thing) })
    .map((all) =>
      all.map(
        ([thing, of], at): Wanted<Thing> => ({
          thing: { ...thing, file: of },
          origin: { file: of, line: at + 1 },
        }),
      ),
    );

/** Draws what a database contains: things of files and of people, possibly duplicates. */
const heldOf = <Thing extends Named>(things: fc.Arbitrary<Thing>, kind: string) =>
  fc
    .array(fc.tuple(things, fc.option(file, { nil: undefined })), { maxLength: 8 })
    .map((all) =>
      all.map(
        ([thing, of], at): Thing => ({ ...thing, id: `${kind}${at}`, ...(of !== undefined && { file: of }) }),
      ),
    );

/** A place has one watchlist. */
const heldLists: fc.Arbitrary<Watchlist[]> = fc.uniqueArray(
  fc
    .tuple(anyWatchlist, fc.option(file, { nil: undefined }))
    .map(([list, of]): Watchlist => ({ ...list, ...(of !== undefined && { file: of }) })),
  { selector: watchlistComparison.identity },
);

const anyWanted: fc.Arbitrary<WantedPlaces> = fc.record({
  subscriptions: wantedOf(anySubscription, subscriptionComparison.identity),
  rules: wantedOf(anyRule, ruleComparison.identity),
  watchlists: wantedOf(anyWatchlist, watchlistComparison.identity),
});
const anyHeld: fc.Arbitrary<Held> = fc.record({
  subscriptions: heldOf(anySubscription, 's'),
  rules: heldOf(anyRule, 'r'),
  watchlists: heldLists,
});

/** Returns what exists after the plan was carried out. */
function done(plan: Plan, held: Held): Held {
  let ids = 0;
  const changes = changesOf(plan, () => {
    ids += 1;
    return `new${ids}`;
  });
  const after = <Thing extends Named>(
    before: readonly Thing[],
    { added, changed, removed }: Readonly<Record<'added' | 'changed' | 'removed', readonly Thing[]>>,
  ) => {
    const gone = new Set(removed.map(({ id }) => id));
    const other = new Map(changed.map((each) => [each.id, each]));
    return [...before.filter(({ id }) => !gone.has(id)).map((each) => other.get(each.id) ?? each), ...added];
  };
  return {
    subscriptions: after(held.subscriptions, changes.subscriptions),
    rules: after(held.rules, changes.rules),
    watchlists: after(held.watchlists.map(listed), {
      added: changes.watchlists.added.map(listed),
      changed: changes.watchlists.changed.map(listed),
      removed: changes.watchlists.removed.map(listed),
    }),
  };
}

/** Watchlists are distinguished by their place. */
const listed = (list: Watchlist) => ({ ...list, id: receiverKey(list.receiver) });

const contents = <Thing extends Fileable>(all: readonly Thing[], content: (thing: Thing) => unknown) =>
  all.map((each) => JSON.stringify(content(each))).sort();

describe('for any database and any files', () => {
  it('a plan leaves nothing to do, and afterwards files own exactly what they want', () => {
    fc.assert(
      fc.property(anyWanted, anyHeld, (wanted, held) => {
        const after = done(planOf(wanted, held), held);
        expect(planSummary(planOf(wanted, after))).toBeUndefined();
        const filed = <Thing extends Fileable>(all: readonly Thing[]) =>
          all.filter((each) => each.file !== undefined);
        expect(contents(filed(after.subscriptions), subscriptionComparison.content)).toEqual(
          contents(
            wanted.subscriptions.map(({ thing }) => thing),
            subscriptionComparison.content,
          ),
        );
        expect(contents(filed(after.rules), ruleComparison.content)).toEqual(
          contents(
            wanted.rules.map(({ thing }) => thing),
            ruleComparison.content,
          ),
        );
        expect(contents(filed(after.watchlists), watchlistComparison.content)).toEqual(
          contents(
            wanted.watchlists.map(({ thing }) => thing),
            watchlistComparison.content,
          ),
        );
      }),
    );
  });

  it('what people made stays as it is, or is taken over by a file', () => {
    fc.assert(
      fc.property(anyWanted, anyHeld, (wanted, held) => {
        const after = done(planOf(wanted, held), held);
        for (const [before, now] of [
          [held.subscriptions, after.subscriptions],
          [held.rules, after.rules],
        ] as const)
          for (const each of before.filter((one) => one.file === undefined)) {
            const left = now.find(({ id }) => id === each.id);
            expect(left?.file === undefined ? left : { ...each, id: left.id }).toEqual(each);
          }
      }),
    );
  });
});

describe('a change of a file', () => {
  const origin = { file: 'team.yaml', line: 3 };
  const of = (given: Partial<Rule>, line = 3): WantedPlaces => ({
    subscriptions: [],
    watchlists: [],
    rules: [{ thing: rule({ ...given, id: '', file: 'team.yaml' }), origin: { ...origin, line } }],
  });
  const held = (given: Partial<Rule>): Held => ({
    subscriptions: [],
    watchlists: [],
    rules: [rule({ file: 'team.yaml', ...given })],
  });

  it.each<[string, Partial<Rule>, Partial<Rule>, string | undefined]>([
    ['of nothing is no change', { name: 'six' }, { name: 'six' }, undefined],
    [
      'of a condition that has a name keeps the alert',
      { name: 'six' },
      { name: 'six', condition: 'price.last > 7' },
      '~1 alert',
    ],
    [
      'of a condition that has none is another alert',
      {},
      { condition: 'price.last > 7' },
      '+1 alert, −1 alert',
    ],
    ['that gives a name keeps the alert', {}, { name: 'six' }, '~1 alert'],
    ['of the order of markets is none', { symbols: ['A', 'B'] }, { symbols: ['B', 'A'] }, undefined],
    ['into another place is another alert', {}, { receiver: receiver('c') }, '+1 alert, −1 alert'],
  ])('%s', (_, before, after, summary) => {
    expect(planSummary(planOf(of(after), held(before)))).toBe(summary);
  });

  it('is described line by line, without secret parts of addresses', () => {
    const hidden = () => ({ notifier: 'web', address: { room: '…' } });
    const { file: _, ...own } = rule({ severity: 'critical' });
    const list = { receiver: receiver('a'), symbols: ['BTCUSDT', 'X'] };
    const watchlists = [{ thing: { ...list, file: 'team.yaml' }, origin }];
    const plan = planOf(
      { ...of({}), watchlists },
      {
        subscriptions: [],
        watchlists: [{ ...list, symbols: ['X'] }],
        rules: [own, rule({ id: 'r2', file: 'old.yaml', symbols: ['X'] })],
      },
    );
    expect(planLines(plan, hidden)).toEqual([
      '~ team.yaml:3  web …  alert price.last > 100, BTCUSDT, warning (was: price.last > 100, BTCUSDT, critical) (made in the chat: the file takes it over)',
      '− old.yaml  web …  alert price.last > 100, X, warning',
      '~ team.yaml:3  web …  watchlist BTCUSDT X (was: X) (made in the chat: the file takes it over)',
    ]);
  });
});

it('a position is changed by what leaves its condition as it is, too', () => {
  const held = { side: 'long', entry: 60_000, leverage: 10 } as const;
  const own = { file: 'x.yaml', condition: 'price.last < 56000' };
  const from = rule({ ...own, id: 'r1', position: held });
  const planned = (position: NonNullable<Rule['position']>) =>
    planOf(
      {
        subscriptions: [],
        watchlists: [],
        rules: [{ thing: rule({ ...own, id: '', position }), origin: { file: 'x.yaml', line: 1 } }],
      },
      { subscriptions: [], watchlists: [], rules: [from] },
    ).rules.map(({ act }) => act);
  expect(planned({ ...held, size: undefined })).toEqual([]);
  expect(planned({ ...held, funding: 20 })).toEqual(['change']);
});
