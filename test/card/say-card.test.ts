import { expect, it } from 'vitest';
import { sayCard } from '#src/card/say-card.ts';
import { words } from '#src/language/format.ts';
import { msg } from '#src/language/text.ts';

const card = {
  title: 'BTCUSDT',
  source: words('simulated'),
  chart: { title: words('HIGH'), unit: 'USD', series: [{ name: 'BTCUSDT', points: [[0, 1]] }] },
} as const;

it.each([
  ['en', 'simulated'],
  ['es', 'simulación'],
  ['zh', '模拟'],
] as const)('a chart that is separated from its card carries the source: %s', (language, source) => {
  expect(sayCard(card, { language, timeZone: 'UTC' }).chart?.source).toBe(source);
});

it.each([
  ['en', ['bp', 'contracts']],
  ['es', ['pb', 'contratos']],
  ['zh', ['基点', '张合约']],
] as const)('units that are words are in the reader’s language: %s', (language, units) => {
  const below = { unit: msg('contracts'), series: [] };
  const chart = sayCard(
    { ...card, chart: { ...card.chart, unit: msg('bp'), below } },
    { language, timeZone: 'UTC' },
  ).chart;
  expect([chart?.unit, chart?.below?.unit]).toEqual(units);
});

it('a table without rows is none', () => {
  const reader = { language: 'en', timeZone: 'UTC' } as const;
  const table = { columns: ['When', 'Who'], rows: [] };
  expect(sayCard({ ...card, table }, reader)).toMatchObject({ table: undefined, sheet: undefined });
});
