import { expect, test } from 'vitest';
import { plainReader, say } from '#src/language/say.ts';
import type { Interval } from '#src/record/findings.ts';
import { points, recordFact } from '#src/record/record-fact.ts';
import { day } from '#src/runtime/units.ts';

test.each<[Interval, string]>([
  [[-0.03, 0.11], '−3 … +11'],
  [[0.004, 0.12], '+0.4 … +12'],
  [[-0.21, -0.0003], '−21 … −0.03'],
  [[0, 0.2], '0 … +20'],
])('the interval %j is written as %s', (interval, expected) => {
  expect(say(points(interval), plainReader)).toBe(expected);
});

test('a record that differs shows an interval without 0', () => {
  const fact = recordFact({
    kind: 'bull',
    horizon: day,
    sense: 'size',
    n: 400,
    days: 60,
    estimated: 0,
    found: {
      move: { median: 0.02, usual: 0.01 },
      hits: { share: 0.56, usual: 0.5 },
      excess: { usual: 0.5, mean: 0.06, error: 0.02, freedom: 59 },
    },
    finding: { verdict: 'more', interval: [0.002, 0.118], detectable: 0.08 },
  });
  expect(say(fact.value, plainReader)).toContain('(difference +0.2 … +12 points)');
});
