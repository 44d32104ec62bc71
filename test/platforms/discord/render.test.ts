import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Card } from '#src/card/card.ts';
import { plainLine } from '#src/card/plain.ts';
import { sayCard } from '#src/card/say-card.ts';
import { plainReader } from '#src/language/say.ts';
import { lines, msg, typed } from '#src/language/text.ts';
import { isSameMark, markOf, readMark } from '#src/platforms/discord/mark.ts';
import { renderDiscord } from '#src/platforms/discord/render.ts';
import { bare, code, line, lineWriter, noCommandIds, split } from '#src/platforms/discord/text.ts';
import { pinged, readMessage } from '#test/support/discord/message.ts';
import { card as anyCard, text } from '../../card/arbitrary.ts';

const options = {};
const mark = markOf({ id: 'aB3-_xyZ', version: 'v123' });

/** Text with a meaning in Discord: mark-up, mentions, links, emojis. */
const markup = fc
  .array(
    fc.constantFrom(
      '**',
      '__',
      '~~',
      '||',
      '`',
      '```',
      '\\',
      '<@1>',
      '<@&222222222222222222>',
      '<#3>',
      '<t:0:R>',
      '@everyone',
      '@here',
      '[a](https://b.c)',
      'https://d.e',
      ':smile:',
      '# ',
      '- ',
      '> ',
      '>>> ',
      '-# ',
      '1. ',
      '\n',
      'BTC',
      ' ',
      '<a:b:1>',
      '_x_',
      '*',
      'a',
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));
const hostile = fc.oneof(text, markup, fc.string({ maxLength: 3_000 }), fc.constant('x'.repeat(10_000)));
const huge: fc.Arbitrary<Card<string>> = fc.record(
  {
    title: hostile,
    summary: hostile,
    severity: fc.constantFrom('info' as const, 'warning' as const, 'critical' as const),
    facts: fc.array(fc.record({ name: hostile, value: hostile }), { maxLength: 40 }),
    table: fc.record({
      columns: fc.array(hostile, { maxLength: 8 }),
      rows: fc.array(fc.array(hostile, { maxLength: 8 }), { maxLength: 60 }),
    }),
    actions: fc.array(fc.record({ label: hostile, command: hostile }), { maxLength: 40 }),
    dataTime: fc.double(),
    source: hostile,
  },
  { requiredKeys: ['title'] },
);

/** Returns what Discord shows of Markdown that contains nothing but escapes; undefined if it contains mark-up. */
function plain(markdown: string): string | undefined {
  const rest = markdown.replaceAll(/\\[^0-9A-Za-z\s]/g, ' ');
  if (/[*_~`|<>[\]@\\]/.test(rest)) return undefined;
  if (/:\/\/|:[\w+-]+:/.test(rest)) return undefined;
  if (/^(#{1,3}|-#|[-+]|\d+\.) /m.test(markdown)) return undefined;
  return markdown.replaceAll(/\\([^0-9A-Za-z\s])/g, '$1');
}

/** Returns what a reader sees of a card on all its pages, without mark-up and without separators of lines and cells. */
const shownOf = (card: Card<string>): string => {
  const embeds = renderDiscord(card, options).map(({ embeds: [embed] }) => embed);
  const [{ title, fields = [] } = { title: '' }] = embeds;
  return comparable(
    [
      title,
      ...embeds.map(({ description = '' }) => description),
      ...fields.flatMap(({ name, value }) => [name, value]),
    ]
      .join('\n')
      .replaceAll(/\\([^0-9A-Za-z\s])/g, '$1'),
  );
};
const comparable = (given: string): string => code(given).replaceAll(/[\s*·\\-]/g, '');

describe('a card in Discord', () => {
  it('is accepted page by page whatever it contains, mentions nobody, and keeps its mark', () => {
    const check = (card: Card<string>) => {
      const pages = renderDiscord(card, { ...options, mark });
      for (const message of pages) {
        const read = readMessage(message);
        if ('status' in read) throw new Error(JSON.stringify(read));
        expect(pinged({ ...read, content: undefined })).toEqual([]);
      }
      expect(readMark(pages[0].components)).toEqual(mark);
    };
    fc.assert(fc.property(anyCard, check), { numRuns: 300 });
    fc.assert(fc.property(huge, check), { numRuns: 50 });
  });

  it('loses no content: every cell, fact and line is on one of its pages', () => {
    const check = (card: Card<string>) => {
      const shown = shownOf(card);
      const { title, summary = '', facts = [], table = { rows: [] } } = card;
      const said = [
        title,
        ...summary.split('\n'),
        ...facts.flatMap(({ name, value }) => [name, ...value.split('\n')]),
        ...table.rows.flat(),
      ];
      for (const each of said) expect(shown.includes(comparable(each)), each).toBe(true);
    };
    fc.assert(fc.property(anyCard, check), { numRuns: 300 });
    fc.assert(fc.property(huge, check), { numRuns: 50 });
  });

  it.each([
    [
      'figures are a table where a phone has room for it',
      {
        columns: ['Market', 'Rate', 'z'],
        rows: [
          ['BTC', '0.0100%', '2.1'],
          ['1000PEPE', '-0.1%', '–'],
        ],
      },
      ['```', 'Market       Rate    z', 'BTC       0.0100%  2.1', '1000PEPE    -0.1%    –', '```'],
    ],
    [
      'words are a list: the first in bold, then the rest under its heading',
      {
        columns: ['Alert', 'Severity', 'Status'],
        rows: [
          ['BTC funding', 'Critical', ''],
          ['ETH OI', 'Info', 'Firing'],
        ],
      },
      ['- **BTC funding** · Severity: Critical', '- **ETH OI** · Severity: Info · Status: Firing'],
    ],
    [
      'a second column alone needs no heading',
      { columns: ['Command', 'What it does'], rows: [['help', 'All commands']] },
      ['- **help** · All commands'],
    ],
    [
      'a row of one cell among longer ones is a heading',
      {
        columns: ['Command', 'What it does'],
        rows: [
          ['The market', ''],
          ['/funding', 'Funding'],
        ],
      },
      ['**The market**', '- **/funding** · Funding'],
    ],
  ])('%s', (_rule, table, lines) => {
    expect(renderDiscord({ title: 'x', table })[0].embeds[0].description?.split('\n')).toEqual(lines);
  });

  it('shows text literally: nothing in it becomes mark-up, wherever it is cut', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 2, max: 300 }), (given, max) => {
        const shown = line(given, max);
        expect(shown.length).toBeLessThanOrEqual(max);
        expect(plain(shown), shown).toBeDefined();
        const whole = line(given, 100_000);
        expect(plain(whole)).toBe(bare(given, 100_000));
      }),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(hostile, fc.integer({ min: 3, max: 300 }), (given, max) => {
        for (const part of split(lineWriter({}, noCommandIds)(plainLine(given)), max)) {
          expect(part.length).toBeLessThanOrEqual(max);
          expect(plain(part), given).toBeDefined();
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['**bold** _x_', '\\*\\*bold\\*\\* \\_x\\_'],
    ['@everyone <@1>', '\\@everyone \\<\\@1\\>'],
    ['see https://a.b', 'see https\\://a.b'],
    ['# no heading', '\\# no heading'],
    ['- no list', '\\- no list'],
    ['1. no list', '1\\. no list'],
    ['-0.015% at 14:05', '-0.015% at 14:05'],
    [':smile: #1', '\\:smile: #1'],
  ])('%s is escaped', (given, expected) => {
    expect(line(given, 100)).toBe(expected);
  });

  describe('a command that the card names', () => {
    const reader = { ...plainReader, slash: 'options' as const };
    const example = typed('funding btc', 'funding symbol:btc');
    const card: Card = {
      title: msg('Try {example}', { example }),
      summary: lines(
        msg('Ask for each by itself: {example}.', { example }),
        msg('"{list}" shows them, {other} does not.', { list: typed('alert list'), other: typed('alert') }),
        'Written by others: </help:1> /funding symbol:bt /fundings',
      ),
      facts: [{ name: 'Usage', value: typed('silence [kind…] [for]', 'silence [kind…] [for]') }],
      table: { columns: ['Command', 'What'], rows: [[typed('help'), 'this']] },
    };
    const ids = new Map([
      ['funding', '100000000000000001'],
      ['alert list', '100000000000000002'],
      ['silence', '100000000000000003'],
      ['help', '100000000000000004'],
    ]);

    it('opens by a click, with its options behind it; not in titles, where Discord shows no mention', () => {
      const [{ embeds }] = renderDiscord(sayCard(card, reader), { ids });
      expect(embeds[0]).toMatchObject({
        title: 'Try /funding symbol:btc',
        description: [
          'Ask for each by itself: </funding:100000000000000001> `symbol:btc`.',
          '</alert list:100000000000000002> shows them, `/alert` does not.',
          'Written by others: \\</help:1\\> /funding symbol:bt /fundings',
          '- **</help:100000000000000004>** · this',
        ].join('\n'),
        fields: [{ value: '</silence:100000000000000003> `[kind…] [for]`' }],
      });
    });

    it('is code where no id is known, and a plain word for a reader without slash commands', () => {
      const [{ embeds }] = renderDiscord(sayCard(card, reader));
      expect(embeds[0].description).toContain(
        'Ask for each by itself: `/funding symbol:btc`.\n`/alert list`',
      );
      const [{ embeds: others }] = renderDiscord(sayCard(card, plainReader), { ids });
      expect(others[0].description).toContain('Ask for each by itself: funding btc.\n"alert list"');
    });

    it('keeps every limit however many there are, and is never cut in two', () => {
      const hint = fc
        .tuple(fc.constantFrom(...ids.keys(), 'x', 'unknown'), text)
        .map(([name, rest]) => typed(`${name} ${rest}`));
      fc.assert(
        fc.property(fc.array(fc.tuple(hint, hostile), { minLength: 1, maxLength: 300 }), (parts) => {
          const hints = msg(parts.map((_, n) => `{h${n}} {t${n}}`).join(' '), {
            ...Object.fromEntries(
              parts.flatMap(([h, t], n) => [
                [`h${n}`, h],
                [`t${n}`, t.slice(0, 99)],
              ]),
            ),
          });
          const said = sayCard(
            {
              title: 'x',
              summary: hints,
              facts: [{ name: 'y', value: hints }],
              table: { columns: ['a', 'b'], rows: [[hints, hints]] },
            },
            reader,
          );
          for (const message of renderDiscord(said, { ids })) {
            const read = readMessage(message);
            if ('status' in read) throw new Error(JSON.stringify(read));
            const shown = [
              message.embeds[0].description ?? '',
              ...(message.embeds[0].fields ?? []).map(({ value }) => value),
            ];
            for (const each of shown)
              expect(each.replaceAll(/\\./g, '')).not.toMatch(
                /<(?!\/[a-z ]+:\d{18}>)|(?<!<\/[a-z ]+:\d{18})>/,
              );
          }
        }),
        { numRuns: 100 },
      );
    });
  });

  it('has a colour for its severity, another one when resolved, and says both in words', () => {
    const [critical] = renderDiscord({ title: 'x', severity: 'critical', status: 'firing' }, options)[0]
      .embeds;
    const [resolved] = renderDiscord({ title: 'x', severity: 'critical', status: 'resolved' }, options)[0]
      .embeds;
    expect(critical.author).toEqual({ name: 'Critical, Firing' });
    expect(resolved.color).not.toBe(critical.color);
  });

  it('says when its data is from, how old it is and its source', () => {
    const dataTime = Date.UTC(2026, 2, 14, 9, 30);
    const card = { title: 'x', dataTime, source: 'simulated, 240 ×' };
    const [{ embeds }] = renderDiscord(card, { now: dataTime + 180_000, mark });
    expect(embeds[0].footer?.text).toBe('as of 14 Mar 2026, 09:30 UTC · 3 min old · simulated, 240 ×');
  });

  it('has a button for each action, and a menu if there are many', () => {
    const actions = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ label: `Do ${index}`, command: `do ${index}` }));
    const rows = (count: number) =>
      renderDiscord({ title: 'x', actions: actions(count) }, options)[0].components;
    expect(rows(6).map(({ components }) => components.length)).toEqual([5, 1]);
    expect(rows(6)[0]?.components[0]).toEqual({ type: 2, style: 2, label: 'Do 0', custom_id: 'c:do 0' });
    expect(rows(12)[0]?.components[0]).toMatchObject({ type: 3, options: { length: 12 } });
    const weighed = (['main', 'danger'] as const).map((weight) => ({
      label: weight,
      command: weight,
      weight,
    }));
    expect(renderDiscord({ title: 'x', actions: weighed })[0].components[0]?.components).toMatchObject([
      { style: 1 },
      { style: 4 },
    ]);
    expect(rows(0)).toEqual([]);
  });

  it.each([
    ['a post and what it says', { id: 'a', version: 'a' }],
    ['another post', { id: 'b', version: 'a' }],
    ['another version', { id: 'a', version: 'b' }],
  ])('is recognized by ids that Discord stores: %s', (_rule, of) => {
    const [{ components }] = renderDiscord({ title: 'x' }, { mark: markOf(of) });
    const { post, version } = markOf(of);
    expect(components).toMatchObject([{ id: post, components: [{ id: version }] }]);
    expect(post).not.toBe(version);
    const others = ['a', 'b'].flatMap((id) => ['a', 'b'].map((each) => ({ id, version: each })));
    const same = others.filter((each) => isSameMark(markOf(each), markOf(of)));
    expect(same).toEqual([of]);
  });

  it('has no mark if it need not be found, and reads none from messages of others', () => {
    const actions = [{ label: 'Why', command: 'why' }];
    expect(readMark(renderDiscord({ title: 'x', actions })[0].components)).toBeUndefined();
    for (const others of [undefined, [], [{ type: 10, id: 1, content: 'x' }], [{ id: 'x', components: [] }]])
      expect(readMark(others)).toBeUndefined();
  });

  it('continues on further pages if it is long, each with its number and the total', () => {
    const rows = Array.from({ length: 500 }, (_, index) => [`S${index}USDT`, 'firing']);
    const pages = renderDiscord({ title: 'x', table: { columns: ['Alert', 'Status'], rows } }, { mark });
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.map(({ embeds }) => embeds[0].footer?.text)).toEqual(
      pages.map((_, index) => `Page ${index + 1} of ${pages.length}`),
    );
  });
});
