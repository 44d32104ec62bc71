import { describe, expect, test } from 'vitest';
import { dataBlind } from '#src/alert/alert.ts';
import { kindsText, matches, wants } from '#src/alert/subscription.ts';
import { expandGroups, symbolGroup } from '#src/alert/symbols.ts';
import { plainReader, say } from '#src/language/say.ts';
import { firing, next, start } from '#test/support/alerts.ts';

const universe = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];
const every = { kinds: ['*'], symbols: ['*'] };

describe('a subscription wants', () => {
  test.each<[string, readonly string[], boolean]>([
    ['a symbol among the top', ['top2'], true],
    ['none below the top', ['top1'], false],
    ['a symbol beside a group', ['top1', 'ETHUSDT'], true],
    ['none by a watchlist that nobody has spelled out', ['watchlist'], false],
  ])('%s', (_, symbols, wanted) => {
    expect(matches({ kinds: ['*'], symbols }, { kind: 'oi-momentum', symbol: 'ETHUSDT' }, universe)).toBe(
      wanted,
    );
  });

  test('an alert that has eased below its severity, so that those who saw it fire see it end', () => {
    const worst = firing({ severity: 'critical' });
    const eased = next(next(worst, { severity: 'warning' }, start + 1), { severity: 'info' }, start + 2);
    expect(wants({ ...every, minSeverity: 'critical' }, { alert: eased })).toBe(true);
    expect(wants({ ...every, minSeverity: 'critical' }, { alert: firing({ severity: 'warning' }) })).toBe(
      false,
    );
  });

  test('alerts about missing data for its own kinds, by their severity like any other', () => {
    const blind = { ...firing(), labels: { kind: dataBlind, detector: 'oi-momentum' } };
    const own = { kinds: ['oi-momentum'], symbols: ['BTCUSDT'] };
    expect(wants({ ...own, minSeverity: 'info' }, { alert: blind })).toBe(true);
    expect(wants({ ...own, minSeverity: 'critical' }, { alert: blind })).toBe(false);
    expect(wants({ kinds: ['funding-extreme'], symbols: ['*'], minSeverity: 'info' }, { alert: blind })).toBe(
      false,
    );
  });
});

test.each([
  ['top20', 'top20'],
  ['TOP 5', 'top5'],
  ['top-100', 'top100'],
  ['Watchlist', 'watchlist'],
  ['my watchlist', 'watchlist'],
  ['top0', undefined],
  ['top', undefined],
  ['BTCUSDT', undefined],
])('the group in "%s" is %s', (text, group) => expect(symbolGroup(text)).toBe(group));

test('a list is expanded in its order, with each symbol once', () => {
  const followed = ['SOLUSDT', 'XRPUSDT'];
  expect(expandGroups(['watchlist', 'top2', 'SOLUSDT', '*'], universe, followed)).toEqual([
    'SOLUSDT',
    'XRPUSDT',
    'BTCUSDT',
    'ETHUSDT',
    '*',
  ]);
});

test.each([
  [4, 'A, B, C, D'],
  [5, 'A, B, C, D, E'],
  [6, 'A, B, C, D and 2 more kinds'],
])('of %i kinds at most five are named', (count, said) => {
  expect(say(kindsText(['a', 'b', 'c', 'd', 'e', 'f'].slice(0, count)), plainReader)).toBe(said);
});
