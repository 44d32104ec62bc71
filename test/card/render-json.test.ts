import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cardJson, renderJson } from '#src/card/render-json.ts';
import { card } from './arbitrary.ts';

test('what it gives is exactly the schema, survives JSON, and holds no control character', () => {
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
