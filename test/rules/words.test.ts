import { describe, expect, it } from 'vitest';
import type { Language } from '#src/language/languages.ts';
import { plainReader, say } from '#src/language/say.ts';
import { readExpression } from '#src/rules/expression.ts';
import { type MetricName, metricNames, metricOf } from '#src/rules/metrics.ts';
import { conditionWords, valueWords } from '#src/rules/words.ts';

const inWords = (condition: string, language: Language = 'en') =>
  say(conditionWords(readExpression(condition)), { ...plainReader, language });

it.each([
  ['a level has its unit', 'price.change24hPct < 0', '24 h change below 0%'],
  ['and no more digits than it needs', 'funding.ratePct >= 0.0125', 'funding at or above 0.0125%'],
  ['a minus is one', 'basis.pct <= -0.05', 'basis at or below −0.05%'],
  ['large ones are short', 'liquidations.longUsd1h > 5M', 'longs liquidated in 1 h above $5M'],
  ['a price is whole', 'price.last > 100k', 'price above 100,000'],
  ['a share has no sign', 'ratio.longPct > 70', 'top traders’ long share above 70%'],
  ['the level may come first', '2.5 < funding.z', 'funding z-score above 2.5'],
  ['a size has two sides', 'abs(funding.z) > 2', 'funding z-score beyond ±2'],
  ['or lies between them', 'abs(basis.pct) <= 0.1', 'basis within ±0.1%'],
  ['a label is said', 'regime.state == "RISK_OFF"', 'Market regime risk-off'],
  ['or excluded', 'regime.state != "RISK_ON"', 'Market regime not risk-on'],
  [
    'one of several',
    'regime.state in ["RISK_OFF", "TRANSITION"]',
    'Market regime one of risk-off, transition',
  ],
  [
    'several are one sentence',
    'funding.z > 2.5 && oi.ratePct > 1',
    'funding z-score above 2.5 and 5 min OI change above 1%',
  ],
  [
    'brackets stand where they matter',
    'funding.z > 2 && (basis.pct < 0 || basis.pct > 1)',
    'funding z-score above 2 and (basis below 0% or basis above 1%)',
  ],
  [
    'also where a part is joined otherwise once it is negated',
    'funding.z > 2 && !(basis.pct > 1 && oi.ratePct < 1)',
    'funding z-score above 2 and (basis at or below 1% or 5 min OI change at or above 1%)',
  ],
  ['what is negated', '!(funding.z > 2)', 'funding z-score at or below 2'],
  ['both of what is negated', '!(funding.z > 2.25 && oi.ratePct > 0.5)', 'either falls below 2.25 / 0.5%'],
  [
    'two directions negated',
    '!(funding.z > 2 && oi.ratePct < 1)',
    'funding z-score at or below 2 or 5 min OI change at or above 1%',
  ],
  [
    'one of two negated',
    '!(funding.z > 2 || oi.ratePct < 1)',
    'funding z-score at or below 2 and 5 min OI change at or above 1%',
  ],
  ['sums stay as they are written', 'funding.z + basis.pct > 2', 'funding.z + basis.pct > 2'],
])('%s: %s', (_, condition, said) => expect(inWords(condition)).toBe(said));

it.each<[Language, string]>([
  ['es', 'cambio en 24 h por debajo de 0 % y funding por encima de 0,1 %'],
  ['zh', '24 小时涨跌 低于 0% 且 资金费率 高于 0.1%'],
])('in %s', (language, said) =>
  expect(inWords('price.change24hPct < 0 && funding.ratePct > 0.1', language).replaceAll('\u00a0', ' ')).toBe(
    said,
  ),
);

it.each<[rule: string, MetricName, value: number, levels: number[], said: string]>([
  ['as usual far from its levels', 'funding.z', 2.613, [2.5], '2.61'],
  ['as usual without a level', 'funding.z', 2.503, [], '2.50'],
  ['with the digits that tell it from a level below', 'funding.z', 2.503, [2.5], '2.503'],
  ['and from one above', 'funding.z', 2.496, [2.5], '2.496'],
  ['and from either level of a size', 'basis.pct', -0.1004, [0.1, -0.1], '−0.1004%'],
  ['also in large units', 'liquidations.longUsd1h', 5_003_000, [5_000_000], '$5.003M'],
  ['at its level as the level', 'ratio.longPct', 70, [70], '70.0%'],
  ['as usual where no digits tell it apart', 'spread.imbalance', 0.5 + 1e-12, [0.5], '0.50'],
])('a value is written %s', (_, metric, value, levels, said) => {
  expect(say(valueWords({ metric, value }, levels), plainReader)).toBe(said);
});

describe.each(metricNames)('%s', (name) => {
  it('has a name in words', () => expect(say(metricOf(name).words, plainReader)).not.toContain('.'));
});
