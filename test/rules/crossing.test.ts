import { describe, expect, test } from 'vitest';
import { plainReader, say } from '#src/language/say.ts';
import { buildRule } from '#src/places/rules.ts';
import { compile } from '#src/rules/compile.ts';
import { readExpression } from '#src/rules/expression.ts';
import { type KnownFacts, updateFacts, viewOf } from '#src/rules/facts.ts';
import { clearOf } from '#src/rules/hysteresis.ts';
import type { MetricName } from '#src/rules/metrics.ts';
import { conditionWords } from '#src/rules/words.ts';
import { hour, minute } from '#src/runtime/units.ts';
import { rule } from '#test/support/rules.ts';

const symbol = 'BTCUSDT';

/** Returns whether the condition is true after each reading of the metrics' values. */
function over(
  condition: string,
  values: Readonly<Partial<Record<MetricName, readonly number[]>>>,
): unknown[] {
  const expression = readExpression(condition);
  let facts: KnownFacts = {};
  const [first = []] = Object.values(values);
  return first.map((_, index) => {
    const reading = Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all[index]]));
    facts = updateFacts(facts, {
      readings: [{ symbol, time: index, values: reading }],
      isUseful: () => true,
      now: 1_000,
    });
    facts = JSON.parse(JSON.stringify(facts));
    return expression.test(viewOf(facts, symbol));
  });
}

describe('crosses above is true at the value that passes, and not while it is above', () => {
  test.each<[string, Partial<Record<MetricName, number[]>>, unknown[]]>([
    ['rsi.4h crosses above 30', { 'rsi.4h': [29, 31, 32, 30, 30.5] }, [false, true, false, false, true]],
    ['rsi.4h crosses below 30', { 'rsi.4h': [29, 31, 30, 29] }, [false, false, false, true]],
    ['price.last crosses above 100k', { 'price.last': [99_000, 100_001] }, [false, true]],
    [
      'ema20.1h crosses above ema50.1h',
      { 'ema20.1h': [1, 2, 3, 3], 'ema50.1h': [2, 2, 2, 2] },
      [false, false, true, false],
    ],
    [
      'macd.4h crosses above 0 && rsi.4h < 60',
      { 'macd.4h': [-1, 1, -1, 1], 'rsi.4h': [50, 65, 50, 50] },
      [false, false, false, true],
    ],
    ['!(rsi.4h crosses above 30)', { 'rsi.4h': [29, 31, 32] }, [true, false, true]],
  ])('%s', (condition, values, expected) => expect(over(condition, values)).toEqual(expected));

  test('a value that is read again, or corrected, crosses nothing anew', () => {
    const { test: holds } = readExpression('rsi.4h crosses above 30');
    let facts: KnownFacts = {};
    const see = (time: number, value: number) => {
      const readings = [{ symbol, time, values: { 'rsi.4h': value } }];
      facts = updateFacts(facts, { readings, isUseful: () => true, now: 1_000 });
      return holds(viewOf(facts, symbol));
    };
    expect([see(1, 29), see(2, 31), see(2, 31), see(2, 32), see(3, 33)]).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });
});

test.each([
  ['rsi.4h crosses above 30', '4 h RSI crosses above 30', 'rsi.4h <= 28'],
  ['rsi.4h crosses below 70', '4 h RSI crosses below 70', 'rsi.4h >= 72'],
  ['close.1d crosses below ema200.1d', '1 d close crosses below 1 d EMA 200', 'close.1d >= ema200.1d'],
  ['close.4h > ema200.4h', '4 h close above 4 h EMA 200', 'close.4h <= ema200.4h'],
  [
    'rsi.4h crosses above 30 && price.last > 20000',
    '4 h RSI crosses above 30 and price above 20,000',
    '!(rsi.4h > 28 && price.last > 19900)',
  ],
])('%s is said in words, and ends when it is back', (condition, words, clear) => {
  const expression = readExpression(condition);
  expect(say(conditionWords(expression), plainReader)).toBe(words);
  expect(clearOf(expression)).toBe(clear);
  expect(() => readExpression(clear)).not.toThrow();
  expect(compile(rule({ condition })).metrics.length).toBeGreaterThan(0);
});

test.each([
  'rsi.4h crosses 30',
  'rsi.4h crosses above',
  'rsi.7h > 30',
  'crossed_above(price.last, 1.0) ',
  'before_price.last > 3',
])('%s cannot be read', (condition) => {
  expect(() => readExpression(condition)).toThrow();
});

test('a crossing lasts no time', () => {
  const author = { receiver: rule().receiver, who: 'ada', person: null, at: 0 };
  const given = { when: 'rsi.4h crosses above 30', symbols: ['BTCUSDT'], for: 60_000 };
  expect(() => buildRule(given, author)).toThrow(/one moment/);
});

describe('a polled price that may not follow the last one waits for another that confirms it', () => {
  const polled = (every: number, prices: readonly number[]) => {
    let facts: KnownFacts = {};
    return prices.map((price, index) => {
      const time = index * every;
      facts = updateFacts(facts, {
        readings: [{ symbol, time, values: { 'price.last': price } }],
        isUseful: () => true,
        now: time,
      });
      facts = JSON.parse(JSON.stringify(facts));
      return facts[`price.last ${symbol}`]?.value;
    });
  };
  test.each<[string, number[], number[]]>([
    ['a single print × 1,000 is none', [100, 100_000, 101], [100, 100, 101]],
    ['nor one of a tenth', [100, 10, 101], [100, 100, 101]],
    ['nor two that differ', [100, 1_000, 5, 101], [100, 100, 100, 101]],
    ['a fall by a third within a minute is believed at once', [100, 67, 66], [100, 67, 66]],
    ['a redenomination is believed at its second telling', [100, 1, 1.01], [100, 100, 1.01]],
  ])('%s', (_, prices, expected) => expect(polled(minute, prices)).toEqual(expected));

  test('after hours without a price any is believed', () => {
    expect(polled(6 * hour, [100, 1_000])).toEqual([100, 1_000]);
  });
});
