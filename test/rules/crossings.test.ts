import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readExpression } from '#src/rules/expression.ts';
import { type KnownFacts, movesSince, viewOf } from '#src/rules/facts.ts';
import { RuleIndex } from '#src/rules/rule-index.ts';
import { rule } from '#test/support/rules.ts';

const universe = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];
const price = (symbol: string, value: number): KnownFacts => ({
  [`price.last ${symbol}`]: { value, time: 0 },
});

/** Returns the ids of the rules that a move of bitcoin's price affects. */
function asked(conditions: readonly string[], { from, to }: { readonly from: number; readonly to: number }) {
  const ruleIndex = new RuleIndex();
  for (const condition of conditions) ruleIndex.put(rule({ id: condition, condition }));
  const moves = movesSince(price('BTCUSDT', from), price('BTCUSDT', to));
  return [...ruleIndex.affectedPairs(moves, universe)].flat().map(({ compiled }) => compiled.rule.id);
}

test.each<[rule: string, condition: string, from: number, to: number, asked: boolean]>([
  ['a level that is crossed is asked about', 'price.last > 100', 99, 101, true],
  ['downwards as well', 'price.last < 100', 101, 99, true],
  ['reached and not passed', 'price.last >= 100', 99, 100, true],
  ['one that is not crossed decides nothing', 'price.last > 100', 90, 99, false],
  ['with the level on the left', '100 < price.last', 99, 101, true],
  ['a size has its level on both sides', 'abs(price.last) > 100', -99, -101, true],
  ['one of several levels is enough', 'price.last > 100 && price.last < 200', 150, 250, true],
  ['compared with no number: asked at each move', 'price.last * 2 > 100', 10, 11, true],
  ['compared so and otherwise: asked at each move', 'price.last > 100 || price.last * 2 < 9', 10, 11, true],
  ['what did not move is not asked about', 'price.last * 2 > 100', 10, 10, false],
])('%s', (_, condition, from, to, expected) =>
  expect(asked([condition], { from, to })).toEqual(expected ? [condition] : []),
);

test('a rule with two levels that are crossed at once is evaluated once', () =>
  expect(asked(['price.last > 100 && price.last < 102'], { from: 99, to: 103 })).toHaveLength(1));

const level = fc.integer({ min: -4, max: 4 });
const condition = fc.letrec<{ one: string; any: string }>((tie) => ({
  one: fc.oneof(
    fc
      .tuple(
        fc.constantFrom('price.last', 'signal.master', 'abs(price.last)', '-price.last', 'price.last * 2'),
        fc.constantFrom('>', '>=', '<', '<=', '==', '!='),
        fc.oneof(level.map(String), fc.constant('signal.master')),
        fc.boolean(),
      )
      .map(([left, operator, right, turned]) =>
        turned ? `${right} ${operator} ${left}` : `${left} ${operator} ${right}`,
      ),
    level.map((at) => `price.last in [${at}, signal.master]`),
  ),
  any: fc.oneof(
    { depthSize: 'small' },
    tie('one'),
    fc.tuple(tie('any'), fc.constantFrom('&&', '||'), tie('any')).map(([a, by, b]) => `(${a}) ${by} (${b})`),
    tie('any').map((part) => `!(${part})`),
  ),
})).any;
const facts = fc
  .array(fc.tuple(fc.constantFrom('price.last', 'signal.master'), fc.constantFrom(...universe), level))
  .map(
    (all): KnownFacts =>
      Object.fromEntries(all.map(([metric, symbol, value]) => [`${metric} ${symbol}`, { value, time: 0 }])),
  );
const change = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  put: fc.option(
    fc.record({ condition, symbols: fc.constantFrom(['*'], ['top2'], ['SOLUSDT'], ['ETHUSDT', 'top1']) }),
  ),
});

test('whatever rules are added and removed, each that became true is evaluated, and none twice', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ changes: fc.array(change), facts })), (rounds) => {
      const ruleIndex = new RuleIndex();
      const there = new Map<string, string>();
      let before: KnownFacts = {};
      for (const { changes, facts } of rounds) {
        for (const { id, put } of changes) {
          if (put === null) ruleIndex.remove(id);
          else ruleIndex.put(rule({ id, ...put }));
          if (put === null) there.delete(id);
          else if (ruleIndex.get(id) !== undefined) there.set(id, put.condition);
          else there.delete(id);
        }
        const pairs = [...ruleIndex.affectedPairs(movesSince(before, facts), universe)].flat();
        const names = pairs.map(({ compiled, symbol }) => `${compiled.rule.id} ${symbol}`);
        expect(new Set(names).size).toBe(names.length);
        for (const [id, text] of there) {
          for (const symbol of universe) {
            if (!ruleIndex.isAbout(id, { symbol, universe })) continue;
            const { test } = readExpression(text);
            const became = test(viewOf(facts, symbol)) && test(viewOf(before, symbol)) === false;
            if (became) expect(names).toContain(`${id} ${symbol}`);
          }
        }
        before = facts;
      }
    }),
  );
});
