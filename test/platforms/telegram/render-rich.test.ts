import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Card } from '#src/card/card.ts';
import { pictureId, renderRich } from '#src/platforms/telegram/render-rich.ts';
import { parseRichHtml, type RichBlock } from '#test/support/telegram/rich-html.ts';
import { card, text } from '../../card/arbitrary.ts';

const options = { timesUntil: undefined, picture: false };
const read = (given: Card<string>, picture = false) => {
  const { html, cut } = renderRich(given, { timesUntil: Date.now(), picture });
  return { ...parseRichHtml(html, new Set(picture ? [pictureId] : [])), html, cut };
};
const ofType = (blocks: readonly RichBlock[], type: string): RichBlock[] =>
  blocks.flatMap((block) => [...(block.type === type ? [block] : []), ...ofType(block.blocks, type)]);

/** Text as hostile as possible where mark-up and mentions have a meaning, and more of everything than a message can hold. */
const hostile = fc.oneof(
  text,
  fc.constantFrom(
    '</td></tr></table>',
    '<h1>x</h1>',
    '<u>x</u>',
    '&lt;b&gt;',
    '" onclick="',
    '@durov',
    'tg://photo?id=x',
    '😀',
  ),
);
const many = fc
  .tuple(
    fc.integer({ min: 0, max: 520 }),
    fc.integer({ min: 0, max: 25 }),
    hostile,
    fc.integer({ min: 1, max: 400 }),
  )
  .map(([rows, columns, said, times]) => ({
    title: said,
    summary: said.repeat(times),
    table: {
      columns: Array(columns).fill(said),
      rows: Array.from({ length: rows }, () => Array(columns).fill(said)),
    },
  }));

describe('a card as a rich message', () => {
  test('is within every limit, well formed, mentions nobody and is never empty, whatever it contains', () => {
    fc.assert(
      // The double's parser refuses what is longer, deeper, wider or otherwise different from what Telegram accepts.
      fc.property(
        fc.oneof({ weight: 9, arbitrary: card }, { weight: 1, arbitrary: many }),
        fc.boolean(),
        (given, picture) => {
          const { text: said, entities, html } = read(given, picture);
          expect(said).not.toBe('');
          const marked = new Set(entities.map(({ type }) => type));
          for (const type of ['b', 'bot_command', 'date_time']) marked.delete(type);
          if ('links' in given) marked.delete('text_link');
          expect([...marked]).toEqual([]);
          expect(html).not.toContain('\n');
        },
      ),
      { numRuns: 100 },
    );
  });

  test('has a heading, a line for each fact, its picture, a real table, and a footer', () => {
    const { html } = renderRich(
      {
        title: 'Funding extremes',
        summary: 'Two markets <stand> out.\nOf 400.',
        severity: 'warning',
        facts: [{ name: 'Threshold', value: '|z| > 1.5' }],
        table: {
          columns: ['Market', 'Rate'],
          rows: [
            ['BTC', '+0.0100%'],
            ['漢字', ''],
          ],
        },
        actions: [{ label: 'Long', command: `silence ${'x'.repeat(80)}` }],
        dataTime: Date.UTC(2025, 10, 21, 14, 5),
        source: 'simulated, 240 ×',
      },
      { timesUntil: Date.UTC(2026, 0), picture: true },
    );
    expect(html.split(/(?<=<\/h3>|<\/p>|\/>|<\/tr>|<\/table>)/)).toEqual([
      '<h3>🟠 Funding extremes</h3>',
      '<p>Two markets &lt;stand&gt; out.<br>Of 400.<br><b>Threshold</b>: |z| &gt; 1.5</p>',
      '<img src="tg://photo?id=chart"/>',
      '<table bordered striped><tr><th align="left">Market</th><th align="right">Rate</th></tr>',
      '<tr><td align="left"><b>BTC</b></td><td align="right">+0.0100%</td></tr>',
      '<tr><td align="left"><b>漢字</b></td><td align="right"></td></tr>',
      '</table>',
      `<p>Long: <code>/silence ${'x'.repeat(80)}</code></p>`,
      '<footer>as of <tg-time unix="1763733900" format="Dt">21 Nov 2025, 14:05 UTC</tg-time> · simulated, 240 ×</footer>',
    ]);
  });

  test('links to the URL of its card', () => {
    expect(renderRich({ title: 'On', url: 'https://t.me/c/1/2?a&b' }, options).html).toBe(
      '<h3><a href="https://t.me/c/1/2?a&amp;b">On</a></h3>',
    );
  });

  test.each([
    ['five wide rows are shown', 5, 40, 0],
    ['of six the sixth is folded', 6, 40, 1],
    ['narrow ones are all shown, as they are in a plain message', 12, 3, 0],
  ])('folds a list longer than a glance: %s', (_, count, width, folded) => {
    const rows = Array.from({ length: count }, (_each, row) => [`Row ${row}`, 'w'.repeat(width)]);
    const {
      blocks,
      text: said,
      cut,
    } = read({ title: 't', table: { columns: ['What', 'How it went'], rows } });
    const [details] = ofType(blocks, 'details');
    expect(details?.blocks.flatMap((each) => ofType([each], 'td')).length ?? 0).toBe(folded * 2);
    if (folded > 0) expect(details?.blocks[0]?.text).toBe(`… and ${folded} more`);
    expect(said.match(/Row \d+/g)).toHaveLength(count);
    expect(cut).toBe(false);
  });

  test.each([
    ['rows', 900, 1],
    ['characters', 300, 200],
  ])('with too many %s ends after a whole row, and says how many are missing', (_, count, width) => {
    const rows = Array.from({ length: count }, (_each, row) => [`Row ${row}.`, 'w'.repeat(width)]);
    const { text: said, cut } = read({ title: 't', table: { columns: [], rows }, source: 'live' });
    expect(cut).toBe(true);
    const shown = said.match(/Row \d+\.\tw+/g)?.length ?? 0;
    expect(shown).toBeGreaterThan(20);
    expect(said).toMatch(new RegExp(`… and ${count - shown} more\nlive$`));
  });

  test('puts columns beyond the twentieth into the last one', () => {
    const row = Array.from({ length: 25 }, (_, index) => `c${index}`);
    const { blocks } = read({ title: 't', table: { columns: row, rows: [row] } });
    const cells = ofType(blocks, 'td').map(({ text: said }) => said);
    expect(cells).toHaveLength(20);
    expect(cells.at(-1)).toBe('c19 · c20 · c21 · c22 · c23 · c24');
  });
});
