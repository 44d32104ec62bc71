import { expect, test } from 'vitest';
import type { Severity } from '#src/alert/alert.ts';
import { inhibitor, inhibitRule } from '#src/alert/inhibit.ts';

const alert = (
  kind: string,
  over = {},
  severity: Severity = 'warning',
  status: 'firing' | 'resolved' = 'firing',
) => {
  const labels = { kind, ...over };
  return { labels, fingerprint: JSON.stringify(labels), severity, status };
};
const rules = [
  inhibitRule.parse({ by: { kind: 'data-quality', minSeverity: 'critical' }, holds: ['funding-extreme'] }),
  inhibitRule.parse({ by: { kind: 'overheated' }, holds: ['funding-extreme'], equal: ['direction'] }),
];
const longs = { direction: 'LONG' };

test.each([
  ['a broader alert that fires holds', alert('data-quality', {}, 'critical'), true],
  ['one less severe than the rule says holds nothing', alert('data-quality'), false],
  ['one that is over holds nothing', alert('data-quality', {}, 'critical', 'resolved'), false],
  ['one of which no rule speaks holds nothing', alert('regime', {}, 'critical'), false],
  ['what must be alike and is, holds', alert('overheated', longs), true],
  ['what must be alike and is not, holds nothing', alert('overheated', { direction: 'SHORT' }), false],
  ['none holds its own kind', alert('funding-extreme', { ...longs, symbol: 'ETHUSDT' }, 'critical'), false],
])('%s', (_rule, other, holds) => {
  const held = alert('funding-extreme', { ...longs, symbol: 'BTCUSDT' });
  expect(inhibitor(rules, [other], held)).toBe(holds ? other : undefined);
});
