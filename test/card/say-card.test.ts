import { expect, it } from 'vitest';
import { sayCard } from '#src/card/say-card.ts';
import { words } from '#src/language/format.ts';

const card = {
  title: 'BTCUSDT',
  source: words('simulated'),
  chart: { title: words('HIGH'), unit: 'USD', series: [{ name: 'BTCUSDT', points: [[0, 1]] }] },
} as const;

it.each([
  ['es', 'simulación', 'simulación'],
  ['zh', '模拟', 'simulated'],
] as const)('a picture carries its source in letters its font has: %s', (language, source, pictured) => {
  const { chart, drawn = chart } = sayCard(card, { language, timeZone: 'UTC' });
  expect(chart?.source).toBe(source);
  expect(drawn?.source).toBe(pictured);
});
