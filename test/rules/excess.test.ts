import { expect, test } from 'vitest';
import { excessOf } from '#src/rules/excess.ts';
import { readExpression } from '#src/rules/expression.ts';

test.each<
  [rule: string, condition: string, values: Record<string, number | string>, excess: number | undefined]
>([
  ['above a level: by how much', 'funding.z > 2.5', { 'funding.z': 4 }, 1.5],
  ['below a level: by how much, from 0 up', 'funding.z < -2', { 'funding.z': -3 }, 1],
  ['a level that stands first', '2.5 < funding.z', { 'funding.z': 4 }, 1.5],
  ['of either side: beyond its own level', 'funding.z > 2 || funding.z < -2', { 'funding.z': -3 }, 1],
  ['of a size: its sign is of no matter', 'abs(funding.z) >= 2', { 'funding.z': -3.5 }, 1.5],
  ['negated: beyond its level too', '!(funding.z < 2)', { 'funding.z': 3 }, 1],
  [
    'of several metrics: the first, as others have other units',
    'funding.z > 2 && oi.ratePct > 1',
    { 'funding.z': 2.5, 'oi.ratePct': 50 },
    0.5,
  ],
  [
    'a label first: the first that has a level',
    'regime.state == "RISK_OFF" && funding.z > 2',
    { 'regime.state': 'RISK_OFF', 'funding.z': 3 },
    1,
  ],
  ['not known: none', 'funding.z > 2', {}, undefined],
  ['labels alone: none', 'regime.state == "RISK_OFF"', { 'regime.state': 'RISK_OFF' }, undefined],
  [
    'two metrics and no level: none',
    'price.last > basis.pct',
    { 'price.last': 2, 'basis.pct': 1 },
    undefined,
  ],
])('%s', (_, condition, values, excess) => {
  expect(excessOf(readExpression(condition), (metric) => values[metric])).toBe(excess);
});
