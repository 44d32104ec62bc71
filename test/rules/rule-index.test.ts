import { expect, test } from 'vitest';
import { ruleIndexOf, symbolsOf } from '#src/rules/rule-index.ts';
import { rule } from '#test/support/rules.ts';

const tracked = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];

test.each([
  ['one market', 'price.last > 1.0', ['ETHUSDT'], ['ETHUSDT']],
  ['a group', 'funding.z > 1.0 && oi.ratePct > 0.0', ['top2'], ['BTCUSDT', 'ETHUSDT']],
  ['all markets', 'price.last > 1.0', ['*'], tracked],
  [
    'what the whole market says by itself',
    'price.last > 1.0 && regime.state == "RISK_OFF"',
    ['SOLUSDT'],
    ['SOLUSDT'],
  ],
  ['an index of the market beside it', 'price.last > 1.0 && fearGreed.value > 1.0', ['SOLUSDT'], ['SOLUSDT']],
  ['what is concluded from all markets', 'price.last > 1.0 && quality.score > 1.0', ['SOLUSDT'], tracked],
] as const)(
  'the past is requested for the markets that a rule needs: %s',
  (_, condition, symbols, expected) => {
    expect(symbolsOf([rule({ condition, symbols })], tracked)).toEqual(expected);
  },
);

test('what is needed is found again only after a change of the rules or of the universe', () => {
  const ruleIndex = ruleIndexOf([rule({ id: 'a', condition: 'price.last > 1.0', symbols: ['*'] })]);
  const needs = ruleIndex.needs(tracked);
  expect(ruleIndex.needs(tracked)).toBe(needs);
  expect(ruleIndex.needs(['BTCUSDT'])).toEqual(new Map([['overview', new Set(['BTCUSDT'])]]));
  ruleIndex.put(rule({ id: 'b', condition: 'funding.z > 1.0', symbols: ['ETHUSDT'] }));
  expect([...ruleIndex.needs(tracked).keys()]).toEqual(['overview', 'fundingExtremes']);
  ruleIndex.remove('a');
  expect(ruleIndex.needs(tracked)).toEqual(new Map([['fundingExtremes', new Set(['ETHUSDT'])]]));
});
