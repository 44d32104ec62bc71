import fc from 'fast-check';
import type { Chart } from '#src/alert/alert.ts';
import type { Card } from '#src/card/card.ts';
import { codePoint } from '#test/support/code-point.ts';

/** Text as hostile as possible: escapes, controls, wide and combining characters, lone surrogates. */
export const text = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        '\x1b[31m',
        '\x1b]0;x\x07',
        '\x9b2J',
        '\r',
        '\n',
        '\t',
        '\u202e',
        'é',
        '漢字',
        '👨‍👩‍👧',
        '\ufe0f',
        '\ud800',
        ' BTC ',
      ),
      { maxLength: 20 },
    )
    .map((parts) => parts.join('')),
);

const value = fc.double();
const tone = fc.constantFrom('good' as const, 'caution' as const, 'bad' as const, 'neutral' as const);
const series = fc.array(
  fc.record(
    {
      name: text,
      points: fc.array(fc.tuple(value, value), { maxLength: 100 }),
      shape: fc.constantFrom('line' as const, 'bars' as const),
      candles: fc.array(fc.tuple(value, value, value, value), { maxLength: 100 }),
      tone,
    },
    { requiredKeys: ['name', 'points'] },
  ),
  { maxLength: 3 },
);
const marks = fc.array(
  fc.record({ name: text, value, to: value, tone }, { requiredKeys: ['name', 'value'] }),
  {
    maxLength: 2,
  },
);
export const chart: fc.Arbitrary<Chart<string>> = fc.record(
  {
    title: text,
    unit: text,
    series,
    marks,
    below: fc.record({ unit: text, series, marks }, { requiredKeys: ['unit', 'series'] }),
    lanes: fc.array(
      fc.record({ name: text, unit: text, series, marks }, { requiredKeys: ['name', 'unit', 'series'] }),
      {
        maxLength: 2,
      },
    ),
    bands: fc.array(fc.record({ name: text, from: value, to: value, tone }), { maxLength: 4 }),
    moments: fc.array(fc.record({ name: text, at: value, tone }, { requiredKeys: ['name', 'at'] }), {
      maxLength: 4,
    }),
  },
  { requiredKeys: ['title', 'unit', 'series'] },
);

export const card: fc.Arbitrary<Card<string>> = fc.record(
  {
    title: text,
    summary: text,
    severity: fc.constantFrom('info' as const, 'warning' as const, 'critical' as const),
    status: fc.constantFrom('firing' as const, 'updated' as const, 'resolved' as const),
    links: fc.array(
      fc.record(
        { label: text, url: fc.oneof(fc.webUrl({ validSchemes: ['https', 'http'] }), text), button: text },
        { requiredKeys: ['label', 'url'] },
      ),
      { maxLength: 4 },
    ),
    facts: fc.array(fc.record({ name: text, value: text }), { maxLength: 6 }),
    table: fc.record({
      columns: fc.array(text, { maxLength: 5 }),
      rows: fc.array(fc.array(text, { maxLength: 6 }), { maxLength: 6 }),
    }),
    chart,
    actions: fc.array(fc.record({ label: text, command: text }), { maxLength: 3 }),
    file: fc.record({ name: text, text }),
    dataTime: value,
    source: text,
  },
  { requiredKeys: ['title'] },
);
