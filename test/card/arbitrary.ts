import fc from 'fast-check';
import type { Chart } from '#src/alert/alert.ts';
import type { Card } from '#src/card/card.ts';

/** Text as hostile as data may be: escapes, controls, wide and combining characters, lone surrogates. */
export const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
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
const chart: fc.Arbitrary<Chart> = fc.record(
  {
    title: text,
    unit: text,
    series: fc.array(
      fc.record({ name: text, points: fc.array(fc.tuple(value, value), { maxLength: 100 }) }),
      {
        maxLength: 3,
      },
    ),
    marks: fc.array(fc.record({ name: text, value }), { maxLength: 2 }),
  },
  { requiredKeys: ['title', 'unit', 'series'] },
);

export const card: fc.Arbitrary<Card> = fc.record(
  {
    title: text,
    summary: text,
    severity: fc.constantFrom('info' as const, 'warning' as const, 'critical' as const),
    status: fc.constantFrom('firing' as const, 'updated' as const, 'resolved' as const),
    facts: fc.array(fc.record({ name: text, value: text }), { maxLength: 6 }),
    table: fc.record({
      columns: fc.array(text, { maxLength: 5 }),
      rows: fc.array(fc.array(text, { maxLength: 6 }), { maxLength: 6 }),
    }),
    chart,
    actions: fc.array(fc.record({ label: text, command: text }), { maxLength: 3 }),
    dataTime: value,
    source: text,
  },
  { requiredKeys: ['title'] },
);
