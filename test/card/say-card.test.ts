import { expect, it } from 'vitest';
import { sayCard } from '#src/card/say-card.ts';
import { words } from '#src/language/format.ts';

const card = {
  title: 'BTCUSDT',
  source: words('simulated'),
  chart: { title: words('HIGH'), unit: 'USD', series: [{ name: 'BTCUSDT', points: [[0, 1]] }] },
} as const;

it.each([
  ['en', 'simulated'],
  ['es', 'simulación'],
  ['zh', '模拟'],
] as const)('a picture leaves its card behind and carries its source: %s', (language, source) => {
  expect(sayCard(card, { language, timeZone: 'UTC' }).chart?.source).toBe(source);
});
