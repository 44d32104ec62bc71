import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readExpression } from '#src/rules/expression.ts';
import { metricNames, metricOf } from '#src/rules/metrics.ts';
import { changeCondition, conditionInputOf, conditionOf, simpleOf } from '#src/rules/simple.ts';

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
  [
    'a clear condition that never holds',
    { metric: 'funding.z', above: 2, clear: 'quality.score < 0' },
    /never end/,
  ],
  [
    'and one that always does',
    { metric: 'funding.z', above: 2, clear: 'quality.score >= 0' },
    /as it begins/,
  ],
])('%s is refused', (_, asked, message) => expect(() => conditionOf(asked)).toThrow(message));

test('labels may be typed as they are displayed', () => {
  expect(conditionOf({ metric: 'regime.state', is: 'risk off' }).condition).toBe(
    'regime.state == "RISK_OFF"',
  );
});

test('a metric and a level compile to the condition with the same meaning', () => {
  const numbers = metricNames.filter((name) => metricOf(name).labels === undefined);
  const level = fc.double({ noNaN: true, min: -1e9, max: 1e9 }).map((value) => Number(value.toPrecision(6)));
  fc.assert(
    fc.property(fc.constantFrom(...numbers), fc.boolean(), level, (metric, up, at) => {
      const { range, unit } = metricOf(metric);
      const [least, most] = [unit === 'USDT' ? 1e-9 : (range?.min ?? -Infinity), range?.max ?? Infinity];
      // What every value fulfils is refused, and what none does.
      fc.pre(at > least && at < most);
      const { condition, clear } = conditionOf({ metric, ...(up ? { above: at } : { below: at }) });
      expect(clear).toBeNull();
      expect(readExpression(condition).metrics).toEqual([metric]);
      const was = simpleOf(condition);
      expect(was?.metric).toBe(metric);
      expect((up ? was?.above : was?.below) ?? Number.NaN).toBeCloseTo(at, 6);
    }),
  );
});

test.each<[string, Parameters<typeof conditionOf>[0]]>([
  ['a level', { metric: 'funding.z', above: 2.5 }],
  ['and the one at which it is over', { metric: 'funding.z', below: -2.5, clear: -1e-7 }],
  ['and a condition of another metric', { metric: 'funding.z', above: 2.5, clear: 'oi.ratePct < 1' }],
  ['a condition', { when: 'funding.z > 2 && oi.ratePct > 1', clear: 'funding.z < 1' }],
])('a condition survives being described and read again: %s', (_, asked) => {
  const whole = conditionOf(asked);
  expect(conditionInputOf(whole)).toEqual({ clear: null, ...asked });
  expect(conditionOf(conditionInputOf(whole))).toEqual(whole);
});

test.each<[string, Parameters<typeof changeCondition>[1], string | null | RegExp]>([
  ['nothing is given', {}, 'funding.z <= 1'],
  ['the level moves', { above: 3 }, 'funding.z <= 1'],
  ['the same metric is named', { metric: 'funding.z', above: 3 }, 'funding.z <= 1'],
  ['it is given', { above: 3, clear: '2' }, 'funding.z <= 2'],
  ['it is given alone', { clear: 'oi.ratePct < 0' }, 'oi.ratePct < 0'],
  ['it is taken away', { above: 3, clear: null }, null],
  ['it is about another metric', { metric: 'oi.ratePct', above: 3 }, null],
  ['it is about the other side', { below: -3 }, null],
  ['it is a condition from now on', { when: 'funding.z > 2 && oi.ratePct > 1' }, null],
  ['the level leaves it no room', { above: 0.5 }, /lower clear/],
])('the end condition, if %s', (_, given, clear) => {
  const changed = () =>
    changeCondition({ condition: 'funding.z > 2.5', clear: 'funding.z <= 1' }, given).clear;
  if (clear instanceof RegExp) expect(changed).toThrow(clear);
  else expect(changed()).toBe(clear);
});

test('the end condition goes with a condition that is replaced by another', () => {
  const before = { condition: 'funding.z > 2 && oi.ratePct > 1', clear: 'funding.z < 1' };
  const when = 'ratio.longPct > 70 && oi.ratePct > 1';
  expect(changeCondition(before, { when })).toEqual({ condition: when, clear: null });
  expect(changeCondition(before, {})).toEqual(before);
  expect(changeCondition(before, { clear: 'oi.ratePct < 0' }).clear).toBe('oi.ratePct < 0');
});

test('a condition that can no longer be read can be replaced', () => {
  const gone = { condition: 'gone.metric > 1', clear: 'gone.metric < 1' };
  expect(changeCondition(gone, {})).toEqual(gone);
  expect(changeCondition(gone, { metric: 'funding.z', above: 2 })).toEqual({
    condition: 'funding.z > 2',
    clear: null,
  });
});
