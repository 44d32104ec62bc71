import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Chart } from '#src/alert/alert.ts';
import { cardJson, renderJson } from '#src/card/render-json.ts';
import { card } from './arbitrary.ts';

test('the JSON matches the schema exactly, survives JSON, and contains no control character', () => {
  fc.assert(
    fc.property(card, (given) => {
      const text = JSON.stringify(renderJson(given));
      expect(cardJson.parse(JSON.parse(text))).toEqual(JSON.parse(text));
      const texts = text.replaceAll('\\n', '');
      expect(texts).not.toMatch(/\\u00[01]|[\p{Cc}\p{Cs}\u202e]/u);
    }),
    { numRuns: 500 },
  );
});

test('absent parts stay absent and times become ISO 8601', () => {
  expect(renderJson({ title: 'a' })).toEqual({ title: 'a' });
  expect(renderJson({ title: 'a', dataTime: 0 }).dataTime).toBe('1970-01-01T00:00:00.000Z');
  expect(renderJson({ title: 'a', dataTime: Number.NaN })).toEqual({ title: 'a' });
});

test('a chart keeps its second panel, bands, moments, shapes and tones', () => {
  const chart: Chart<string> = {
    title: 'Regime',
    unit: 'USDT',
    series: [{ name: 'BTCUSDT', points: [[0, 1]] }],
    below: { unit: '%', series: [{ name: 'rate', points: [[0, 2]], shape: 'bars', tone: 'bad' }] },
    bands: [{ name: 'Risk on', from: 0, to: 1, tone: 'good' }],
    moments: [{ name: 'fired', at: 1 }],
  };
  expect(renderJson({ title: 'a', chart }).chart).toEqual(chart);
});
