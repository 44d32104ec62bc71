import { expect, it } from 'vitest';
import { sayCard } from '#src/card/say-card.ts';
import { words } from '#src/language/format.ts';

const card = {
  title: 'BTCUSDT',
  source: words('simulated'),
  chart: { title: words('HIGH'), unit: 'USD', series: [{ name: 'BTCUSDT', points: [[0, 1]] }] },
} as const;

it.each([
  ['es', 'simulación'],
  ['zh', 'simulated'],
] as const)('a picture carries its source in letters its font has: %s', (language, source) => {
  const said = sayCard(card, { language, timeZone: 'UTC' });
  expect(said.chart?.source).toBe(source);
});
