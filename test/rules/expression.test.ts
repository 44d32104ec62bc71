import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UserError } from '#src/language/errors.ts';
import { checkDecides } from '#src/rules/decides.ts';
import { maxLength, readExpression } from '#src/rules/expression.ts';
import { viewOf } from '#src/rules/facts.ts';
import { clearOf } from '#src/rules/hysteresis.ts';
import { metricNames, metricOf } from '#src/rules/metrics.ts';
import { completeCondition } from '#src/rules/naming.ts';

const time = 1_000;
const facts = {
  'funding.z BTCUSDT': { value: 2.6, time },
  'price.last BTCUSDT': { value: 100_000, time },
  'regime.state': { value: 'RISK_OFF', time },
};
const ask = (text: string) => readExpression(text).test(viewOf(facts, 'BTCUSDT'));

test.each<[rule: string, text: string, answer: boolean | undefined]>([
  ['a metric is compared with a level', 'funding.z > 2.5', true],
  ['a whole number is a number', 'funding.z > 2', true],
  ['numbers may be short', 'price.last >= 100k', true],
  ['division is that of people', 'funding.z > 1 / 2', true],
  ['whole and other numbers may be equal', 'price.last == 100000', true],
  ['a size has no sign', 'abs(-funding.z) > 2.5', true],
  ['labels are text', 'regime.state == "RISK_OFF"', true],
  ['and one of several', 'regime.state in ["RISK_OFF", \'TRANSITION\']', true],
  ['and, or, not, either', '!(funding.z < 2) && (price.last < 5 ? false : true)', true],
  ['what is not known decides nothing', 'oi.ratePct > 1 || funding.z > 2', undefined],
])('%s', (_, text, answer) => expect(ask(text)).toBe(answer));

test.each<[mistake: string, text: string, message: RegExp]>([
  ['a metric there is none of', 'fundin.z > 2', /Unknown metric "fundin.z"\nDid you mean funding.z/],
  ['a part of one there is none of', 'funding.zz > 2', /Did you mean funding.z/],
  ['a label there is none of', 'regime.state == "RISKY"', /one of RISK_ON, RISK_OFF, TRANSITION/],
  ['a number as a label', 'regime.state > 2', /numbers go with numbers/],
  ['one equals sign', 'funding.z = 2', /==/],
  ['words for operators', 'funding.z > 2 and price.last > 1', /&&/],
  ['half a condition', 'funding.z >', /near/],
  ['a number alone', 'funding.z + 1', /what must be true/],
  ['no metric at all', '1 < 2', /at least one metric/],
  ['nothing', '', /cannot be read/],
  ['a regular expression', 'regime.state.matches("(a+)+$")', /only function/],
  [
    'a group of metrics: it need not be known',
    'funding.z > 1 && oi in [oi]',
    /Unknown metric "oi"\nDid you mean oi\./,
  ],
  ['an integer: dividing one by zero would fail', 'funding.z > 1 && 0x1 / 0x0 == 0x1', /cannot be read/],
  ['what a crossing is written as within', 'crossed_above(price.last, 5.0, 1.0, 2.0)', /Unknown metric/],
  ['a value before the last', 'before_price.last > 5', /Unknown metric/],
  ['a loop', '[1, 2].exists(x, x > funding.z)', /only function|too long/],
  ['too many characters', `funding.z > ${'1'.repeat(maxLength)}`, /at most 500/],
  ['too much in it', Array(60).fill('funding.z>1').join('&&').slice(0, 497), /too long or too deeply/],
  ['too deep', `${'('.repeat(60)}funding.z > 1${')'.repeat(60)}`, /too long or too deeply/],
])('%s is refused', (_, text, message) => {
  expect(() => readExpression(text)).toThrow(UserError);
  expect(() => readExpression(text)).toThrow(message);
});

test.each<[rule: string, text: string, message: RegExp]>([
  ['what is true of every value', 'funding.z > 2 || funding.z <= 2', /always true/],
  ['what is true of every value in the range', 'quality.score >= 0', /always true/],
  ['what is beyond the range', 'quality.score < 200', /always true/],
  ['what is true of every price', 'price.last > 0', /always true/],
  ['what is true of every label', 'regime.state in ["RISK_ON", "RISK_OFF", "TRANSITION"]', /always true/],
  ['a truth beside a metric', 'true || price.last > 1', /always true/],
  ['a metric that equals itself', 'price.last == price.last', /always true/],
  [
    'two metrics of which one side always holds',
    'funding.z > 1 || price.last > 5 || funding.z < 2',
    /always true/,
  ],
  ['what lies beyond the range', 'ratio.longPct > 100', /never be true.*\nratio\.longPct is from 0 to 100\./],
  ['what lies before it', 'fearGreed.value < 0', /never be true/],
  ['no price is below nothing', 'price.last <= 0', /never be true.*\nprice\.last is at least 0\./],
  ['more can not be lost than there is', 'oi.change1hPct < -150', /never be true/],
  ['a price cannot lose more than all of it, over any time', 'price.change5mPct < -101', /never be true/],
  ['two sides at once', 'funding.z > 3 && funding.z < 2', /never be true/],
  ['and of its size', 'abs(funding.z) < 1 && funding.z > 2', /never be true/],
  ['no size is below 0', 'abs(funding.z) < 0', /never be true/],
  ['two labels at once', 'regime.state == "RISK_ON" && regime.state == "RISK_OFF"', /never be true/],
  ['a metric that differs from itself', 'price.last != price.last', /never be true/],
  ['two metrics in both orders', 'price.last > options.maxPain && price.last < options.maxPain', /never/],
  ['a falsehood beside a metric', 'false && price.last > 1', /never be true/],
  ['a negation', '!(quality.score >= 0)', /never be true/],
  ['a level that is computed', 'price.last < 10 - 20', /never be true/],
  ['a sum beyond the ranges', 'regime.riskOn + regime.riskOff > 2', /never be true/],
  ['a difference within them', 'abs(regime.riskOn - regime.riskOff) <= 1', /always true/],
  ['a product', 'price.last * 2 < 0', /never be true/],
  ['a crossing of a level beyond the range', 'rsi.4h crosses  above 100', /never be true/],
  ['an inequality with what is no number', 'funding.z != 0 / 0', /0 \/ 0 is not a number/],
  ['a comparison with what is no number', 'funding.z > 0 / 0', /is not a number/],
  ['a division by zero', 'price.last / 0 > 1', /price.last \/ 0 is not a number/],
  ['a difference that is always zero', 'funding.z / (price.last - price.last) > 1', /is not a number/],
])('a new condition is refused: %s', (_, text, message) => {
  expect(() => checkDecides(readExpression(text))).toThrow(UserError);
  expect(() => checkDecides(readExpression(text))).toThrow(message);
});

test.each([
  'price.last crosses  above 30000',
  'price.last crosses\nbelow 30000 && funding.z > 1',
  'rsi.4h crosses above 70',
  'price.last  crosses above ema200.4h',
  'funding.z > 2 && funding.z < 2.0001',
  'funding.z > 0 && funding.z < 0.00001',
  'price.change24hPct * oi.ratePct > 20 && price.change24hPct * oi.ratePct < 21',
  'abs(price.change24hPct * oi.ratePct - 20.5) > 0.3',
  'price.last > options.maxPain && price.last < options.maxPain * 1.01',
  'price.last > volatility.percentile && price.last < fearGreed.value',
  'regime.riskOn - regime.riskOff > 0.99',
  'oi.valueUsd / price.last > 1000',
  'spread.imbalance <= -1',
  'quality.score == 100',
])('a new condition is taken that can be true and false: %s', (text) => {
  expect(() => checkDecides(readExpression(text))).not.toThrow();
});

test('a condition is refused only if no value within the ranges makes it true, or none makes it false', () => {
  const names = ['ratio.longPct', 'fearGreed.value', 'spread.imbalance', 'regime.riskOn'] as const;
  const number = fc.double({ noNaN: true, min: -150, max: 150 }).map((each) => each.toFixed(2));
  const operand = fc.oneof(
    fc.constantFrom<string>(...names),
    number,
    fc.constantFrom(...names).map((name) => `abs(${name})`),
    fc
      .tuple(fc.constantFrom(...names), fc.constantFrom('+', '-', '*'), number)
      .map((parts) => parts.join(' ')),
  );
  const compared = fc
    .tuple(operand, fc.constantFrom('<', '<=', '>', '>=', '==', '!='), operand)
    .map((parts) => parts.join(' '));
  const text = fc
    .array(compared, { minLength: 1, maxLength: 3 })
    .chain((parts) => fc.constantFrom(' && ', ' || ').map((by) => parts.join(by)))
    .filter((each) => names.some((name) => each.includes(name)));
  const share = fc.double({ noNaN: true, min: 0, max: 1 });
  fc.assert(
    fc.property(text, fc.array(fc.tuple(share, share, share, share), { minLength: 20 }), (given, drawn) => {
      const expression = readExpression(given);
      let said = '';
      try {
        checkDecides(expression);
      } catch (error) {
        said = String(error);
      }
      fc.pre(said !== '');
      for (const [a, b, c, d] of drawn) {
        const context = {
          ratio: { longPct: a * 100 },
          fearGreed: { value: b * 100 },
          spread: { imbalance: c * 2 - 1 },
          regime: { riskOn: d },
        };
        expect(expression.test({ has: () => true, context })).toBe(said.includes('always true'));
      }
    }),
    { numRuns: 300 },
  );
});

test.each([
  'funding.z > 2.5',
  'price.last != 100k',
  'price.last < 0.00001',
  'quality.score <= 99',
  '!(funding.z == 5 && oi.ratePct == 7 && quality.score == 9)',
  'abs(price.change24hPct) >= 0.1',
  'price.last / options.maxPain > 1.1',
  'regime.state != "RISK_ON" || funding.z > 1',
  'funding.z > 1 ? price.last > 5 : true',
  'funding.z > 2 || price.change24hPct < -5 || oi.ratePct > 1 || quality.score < 60 || fearGreed.value > 90 || regime.riskOff > 0.8 || volatility.percentile > 95',
])('a new condition that can be true or false is taken: %s', (text) => {
  expect(() => checkDecides(readExpression(text))).not.toThrow();
});

test.each<[string, string, string]>([
  ['above: below the level less the slack', 'funding.z > 2.5', 'funding.z <= 2.25'],
  ['below: above the level and the slack', 'price.last < 100k', 'price.last >= 100500'],
  ['a level below zero', 'funding.z < -2', 'funding.z >= -1.75'],
  ['the level first', '2 < funding.z', '1.75 >= funding.z'],
  ['a score near its top: half way to it', 'quality.score < 98', 'quality.score >= 99'],
  ['a score below 100', 'quality.score < 100', 'quality.score >= 100'],
  ['a score far from its top', 'quality.score < 90', 'quality.score >= 95'],
  ['a percentile above 0', 'volatility.percentile > 4', 'volatility.percentile <= 2'],
  ['a probability near 1', 'regime.riskOn < 0.95', 'regime.riskOn >= 0.975'],
  ['a probability near 0', 'regime.riskOff > 0.05', 'regime.riskOff <= 0.025'],
  ['a ratio near 0, which has no top', 'options.putCallRatio > 0.04', 'options.putCallRatio <= 0.02'],
  ['a size is not below 0', 'abs(price.change24hPct) > 0.5', '!(abs(price.change24hPct) > 0.25)'],
  ['a size has a top, if the value has', 'abs(spread.imbalance) < 0.9', '!(abs(spread.imbalance) < 0.95)'],
  ['a value with a sign may be below 0', 'price.change24hPct > 0.5', 'price.change24hPct <= -0.5'],
  ['the end of a range, negated', '!(quality.score > 98)', '!(!(quality.score > 99))'],
  ['a label has no slack', 'regime.state == "RISK_ON"', 'regime.state != "RISK_ON"'],
  [
    'every level of several',
    'funding.z > 2 && (oi.ratePct > 1)',
    '!(funding.z > 1.75 && (oi.ratePct > 0.5))',
  ],
  ['a level in parentheses has no slack', 'funding.z > -(2)', '!(funding.z > -(2))'],
  ['what is negated moves the other way', '!(funding.z > 2)', '!(!(funding.z > 2.25))'],
])('the end condition, %s', (_, text, clear) => expect(clearOf(readExpression(text))).toBe(clear));

const number = fc.oneof(
  fc.integer({ min: -1_000, max: 1_000 }).map(String),
  fc.double({ noNaN: true }).map(String),
);
const comparison = fc
  .tuple(fc.constantFrom(...metricNames), fc.constantFrom('>', '<', '>=', '<=', '==', '!='), number)
  .map((parts) => parts.join(' '));
const condition = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 2 },
    comparison,
    fc.tuple(tie('any'), fc.constantFrom('&&', '||'), tie('any')).map(([a, b, c]) => `(${a} ${b} ${c})`),
    tie('any').map((inner) => `!(${inner})`),
    fc.tuple(tie('any'), tie('any'), tie('any')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc
      .tuple(fc.constantFrom(...metricNames), number, fc.constantFrom('+', '-', '*', '/'), number)
      .map(([name, a, operator, b]) => `abs(${name}) in [-(${a}) ${operator} ${b}]`),
  ),
})).any as fc.Arbitrary<string>;
// A few values, used in turn: a value for each metric would cost more than everything that is tested.
const anyFacts = fc.array(fc.option(fc.double({ noNaN: true, min: -2_000, max: 2_000 })), {
  minLength: 3,
  maxLength: 3,
});
const viewed = (values: readonly (number | null)[]) =>
  viewOf(
    Object.fromEntries(
      metricNames.flatMap((name, index) => {
        const value = values[index % values.length];
        if (value === null || value === undefined) return [];
        const { about, labels } = metricOf(name);
        return [
          [
            about === 'market' ? name : `${name} A`,
            { value: labels === undefined ? value : 'RISK_ON', time },
          ],
        ];
      }),
    ),
    'A',
  );

describe('for any condition', () => {
  test('10,000 conditions are read or refused in words, and none is over while it holds', () => {
    let read = 0;
    fc.assert(
      fc.property(condition, anyFacts, (text, values) => {
        let expression: ReturnType<typeof readExpression>;
        try {
          expression = readExpression(text);
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
          return;
        }
        read += 1;
        const view = viewed(values);
        const holds = expression.test(view);
        expect(holds === undefined).toBe(!expression.metrics.every(view.has));
        let clear: ReturnType<typeof readExpression>;
        try {
          clear = readExpression(clearOf(expression));
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
          return;
        }
        if (holds === true) expect(clear.test(view)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
    expect(read).toBeGreaterThan(200);
  });

  test('any text is read or refused in words', () => {
    const pieces = fc.constantFrom(
      ...metricNames,
      '&&',
      '||',
      '!',
      '(',
      ')',
      '>',
      '<',
      '==',
      '"a"',
      '2',
      '5M',
      '.',
      '[',
      '{',
      '?',
      ':',
      'x',
      'in',
      'has',
      'abs',
      '=',
      ' ',
      '\\',
      "'",
    );
    const text = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.array(pieces, { maxLength: 20 }).map((each) => each.join(' ')),
    );
    fc.assert(
      fc.property(text, (given) => {
        try {
          readExpression(given).test(viewed([]));
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
        }
        expect(completeCondition(given, 25).length).toBeLessThanOrEqual(25);
      }),
      { numRuns: 1_000 },
    );
  });
});

test.each<[string, string, string]>([
  ['the name being typed', 'fund', 'funding.z'],
  ['the last of several', 'funding.z > 2 && oi.r', 'funding.z > 2 && oi.ratePct'],
  ['a label', 'regime.state == "RISK_O', 'regime.state == "RISK_OFF"'],
])('completion continues with %s', (_, text, offered) =>
  expect(completeCondition(text, 25)).toContain(offered),
);
