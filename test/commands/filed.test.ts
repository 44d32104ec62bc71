import { expect, test } from 'vitest';
import { receiverKey } from '#src/alert/subscription.ts';
import { subscription } from '#test/support/alerts.ts';
import { ask, caller } from '#test/support/commands.ts';
import { memoryStore } from '#test/support/memory-store.ts';
import { rule } from '#test/support/rules.ts';

const { receiver } = caller;
const filed = { receiver, file: 'team.yaml' };

const position = { side: 'long', entry: 60_000, leverage: 10 } as const;

/** One subscription and one rule set by a file; with `own`, also one of each that was made here. */
const store = ({ own = false } = {}) =>
  memoryStore({
    subscriptions: [
      { ...subscription({ ...filed, kinds: ['funding-extreme'] }), id: 's1' },
      ...(own ? [{ ...subscription({ receiver }), id: 's2' }] : []),
    ],
    rules: [rule({ ...filed, id: 'r1', position }), ...(own ? [rule({ receiver, id: 'r2' })] : [])],
    watchlists: new Map([[receiverKey(receiver), ['BTCUSDT']]]),
    listFiles: new Map([[receiverKey(receiver), 'team.yaml']]),
  });

test.each([
  ['edit s1 severity=critical', 's1'],
  ['unsubscribe s1', 's1'],
  ['unsubscribe all', 's1'],
  ['subscribe funding-extreme severity=critical', 's1'],
  ['alert edit r1 severity=info', 'r1'],
  ['alert pause id=r1', 'r1'],
  ['alert delete id=all', 'r1'],
  ['position edit id=r1 leverage=20x', 'r1'],
  ['position edit id=r1 funding=20', 'r1'],
  ['position end all', 'r1'],
  ['watchlist add eth', 'The watchlist'],
  ['watchlist remove btc', 'The watchlist'],
  ['watchlist clear', 'The watchlist'],
  ['import {"tocsin":1,"watchlist":["BTCUSDT","ETHUSDT"]}', 'The watchlist'],
  ['import confirm=yes {"tocsin":1,"watchlist":["ETHUSDT"]}', 'The watchlist'],
])('what a file sets is not changed by "%s", whose answer names it', async (line, id) => {
  const kept = store();
  const before = structuredClone(kept.kept);
  expect(await ask(line, { store: kept })).toMatchObject({
    title: `${id} is set by team.yaml`,
    summary: 'Whoever runs the bot changes it there.',
  });
  expect(kept.kept).toEqual(before);
});

test.each([
  ['unsubscribe all', ['s1'], ['r1', 'r2']],
  ['alert delete id=all', ['s1', 's2'], ['r1']],
])('"%s" affects only what was made here', async (line, subscriptions, rules) => {
  const kept = store({ own: true });
  await ask(line, { store: kept });
  expect(kept.kept.subscriptions.map(({ id }) => id)).toEqual(subscriptions);
  expect(kept.kept.rules.map(({ id }) => id)).toEqual(rules);
});

test.each(['subscriptions', 'subscriptions s1', 'alert list', 'alert show r1', 'position r1', 'watchlist'])(
  '"%s" says which file sets a thing',
  async (line) => {
    expect(JSON.stringify(await ask(line, { store: store({ own: true }) }))).toMatch(/Set by.*team\.yaml/);
  },
);

test.each(['subscriptions s1', 'alert show r1', 'position r1'])(
  '"%s" offers no command to change what a file sets',
  async (line) => {
    const card = JSON.stringify(await ask(line, { store: store() }));
    expect(card).not.toMatch(/unsubscribe|edit s1|alert (pause|resume|delete)|position (edit|end)/);
  },
);

test('what files set does not count against the limits', async () => {
  const many = Array.from({ length: 60 }, (_, n) => ({ ...filed, id: `x${n}` }));
  const kept = memoryStore({
    subscriptions: many.map((each) => ({ ...subscription({ kinds: [each.id] }), ...each })),
    rules: many.map((each) => rule(each)),
  });
  await ask('subscribe funding-extreme', { store: kept });
  await ask('alert create price.last above=1000 btc', { store: kept });
  expect([kept.kept.subscriptions.length, kept.kept.rules.length]).toEqual([61, 61]);
});

test('a file with the same watchlist as the configured one can be imported', async () => {
  const kept = store();
  await ask('import confirm=yes {"tocsin":1,"watchlist":["BTCUSDT"],"place":{"zone":"UTC"}}', {
    store: kept,
  });
  expect([...kept.kept.preferences.values()]).toEqual([{ timeZone: 'UTC' }]);
});

test('forgetting a place names the configuration file that will set it up again', async () => {
  const list = new Map([[receiverKey(receiver), 'team.yaml']]);
  for (const kept of [store(), memoryStore({ listFiles: list })])
    expect(JSON.stringify(await ask('forget', { store: kept }))).toMatch(/Set again by.*team\.yaml/);
});
