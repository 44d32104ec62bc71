import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readExpression } from '#src/rules/expression.ts';
import { metricNames, metricOf } from '#src/rules/metrics.ts';
import { conditionOf, readNumber, simpleOf } from '#src/rules/simple.ts';

test.each<[string, number | undefined]>([
  ['2.5', 2.5],
  ['-3', -3],
  ['100k', 100_000],
  ['$5M', 5_000_000],
  ['1,250.5', 1_250.5],
  ['2%', 2],
  ['', undefined],
  ['k', undefined],
  ['1e5', undefined],
  ['1..2', undefined],
])('a level of %s is %s', (text, value) => expect(readNumber(text)).toBe(value));

test.each<[string, Parameters<typeof conditionOf>[0], RegExp]>([
  ['nothing', {}, /What is it about/],
  ['no level', { metric: 'funding.z' }, /Give one of/],
  ['two levels', { metric: 'funding.z', above: 2, below: 1 }, /Give one of/],
  ['both forms', { metric: 'funding.z', when: 'funding.z > 1' }, /not both/],
  ['a level of a label', { metric: 'regime.state', above: 1 }, /is not a number/],
  ['a label there is none of', { metric: 'regime.state', is: 'risky' }, /never/],
  ['a label of a number', { metric: 'funding.z', is: 'high' }, /numbers go with numbers/],
  ['a clear level on the wrong side', { metric: 'funding.z', above: 2, clear: '3' }, /lower clear/],
  ['and the other', { metric: 'funding.z', below: -2, clear: '-3' }, /higher clear/],
  [
    'a clear condition that cannot be read',
    { metric: 'funding.z', above: 2, clear: 'x >' },
    /cannot be read/,
  ],
])('%s is refused', (_, asked, message) => expect(() => conditionOf(asked)).toThrow(message));

test('labels may be typed as they are read', () => {
  expect(conditionOf({ metric: 'regime.state', is: 'risk off' }).condition).toBe(
    'regime.state == "RISK_OFF"',
  );
});

test('a metric and a level compile to the condition that says the same', () => {
  const numbers = metricNames.filter((name) => metricOf(name).labels === undefined);
  const level = fc.double({ noNaN: true, min: -1e9, max: 1e9 }).map((value) => Number(value.toPrecision(6)));
  fc.assert(
    fc.property(fc.constantFrom(...numbers), fc.boolean(), level, (metric, up, at) => {
      const { condition, clear } = conditionOf({ metric, ...(up ? { above: at } : { below: at }) });
      expect(clear).toBeNull();
      expect(readExpression(condition).metrics).toEqual([metric]);
      const was = simpleOf(condition);
      expect(was?.metric).toBe(metric);
      expect((up ? was?.above : was?.below) ?? Number.NaN).toBeCloseTo(at, 6);
    }),
  );
});
