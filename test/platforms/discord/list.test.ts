import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Card } from '#src/card/card.ts';
import { renderList } from '#src/platforms/discord/list.ts';
import { code } from '#src/platforms/discord/text.ts';
import { readMessage } from '#test/support/discord/message.ts';
import { text } from '../../card/arbitrary.ts';

const rules: Card<string> = {
  title: 'Alerts in this chat',
  table: {
    columns: ['Id', 'When', 'Markets'],
    rows: [
      ['1', 'funding z-score above 2.5', 'BTC'],
      ['2', 'price below 50,000.00', 'ETH'],
      ['3', 'one of many', 'all markets'],
    ],
    commands: ['alert show id=1', 'alert show id=2'],
  },
  actions: [
    { label: 'Show 1', command: 'alert show id=1' },
    { label: 'Show 2', command: 'alert show id=2' },
    { label: 'New alert', command: 'alert new' },
  ],
  source: 'simulated, 240 ×',
};

const long = (command: string) => `l:${command.length}-${command.slice(0, 20)}`;
const lists: fc.Arbitrary<Card<string>> = fc
  .record({
    title: text,
    summary: text,
    columns: fc.array(text, { minLength: 1, maxLength: 4 }),
    rows: fc.array(fc.array(fc.oneof(text, fc.string({ maxLength: 600 })), { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 14,
    }),
    facts: fc.array(fc.record({ name: text, value: text }), { maxLength: 3 }),
  })
  .map(({ columns, rows, ...card }) => ({
    ...card,
    table: { columns, rows, commands: rows.map((_, row) => `show ${row}`) },
    actions: rows.map((_, row) => ({ label: `Show ${row}`, command: `show ${row}` })),
  }));
const comparable = (given: string): string => code(given).replaceAll(/[\s*·\\-]/g, '');

describe('a list in Discord', () => {
  it('has the button of each row beside it, and the others below', () => {
    expect(renderList(rules)).toEqual({
      flags: 1 << 15,
      components: [
        {
          type: 17,
          accent_color: expect.any(Number),
          components: [
            { type: 10, content: '### Alerts in this chat' },
            {
              type: 9,
              components: [{ type: 10, content: '**1** · When: funding z-score above 2.5 · Markets: BTC' }],
              accessory: { type: 2, style: 2, label: 'Show 1', custom_id: 'c:alert show id=1' },
            },
            {
              type: 9,
              components: [{ type: 10, content: '**2** · When: price below 50,000.00 · Markets: ETH' }],
              accessory: { type: 2, style: 2, label: 'Show 2', custom_id: 'c:alert show id=2' },
            },
            { type: 10, content: '**3** · When: one of many · Markets: all markets' },
            { type: 10, content: '-# simulated, 240 ×' },
            {
              type: 1,
              components: [{ type: 2, style: 2, label: 'New alert', custom_id: 'c:alert new' }],
            },
          ],
        },
      ],
    });
  });

  it.each([
    ['nothing to press', { ...rules, actions: [] }],
    ['no list', { title: 'x', actions: rules.actions ?? [] }],
    ['too much to say', { ...rules, summary: 'word '.repeat(900) }],
    [
      'too many rows',
      {
        ...rules,
        table: {
          columns: ['Id'],
          rows: Array.from({ length: 40 }, (_, row) => [`${row}`]),
          commands: ['alert new'],
        },
      },
    ],
  ])('remains an embed if there is %s', (_why, card) => {
    expect(renderList(card)).toBeUndefined();
  });

  it('is accepted whatever it contains, and loses no content', () => {
    fc.assert(
      fc.property(lists, (card) => {
        const list = renderList(card, { idForLongCommand: long });
        if (list === undefined) return;
        const read = readMessage(list);
        if ('status' in read) throw new Error(JSON.stringify(read));
        const shown = comparable((read.texts ?? []).join('\n').replaceAll(/\\([^0-9A-Za-z\s])/g, '$1'));
        for (const each of [
          card.title,
          ...(card.summary ?? '').split('\n'),
          ...(card.table?.rows.flat() ?? []),
        ])
          expect(shown.includes(comparable(each)), each).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
