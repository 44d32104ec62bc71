import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Change, revise } from '#src/alert/alert.ts';
import { type Style, templateParts } from '#src/alert/style.ts';
import { alertCard, noticesOf } from '#src/card/alert-card.ts';
import { sayCard } from '#src/card/say-card.ts';
import { styledCard } from '#src/card/styled-card.ts';
import { plainReader } from '#src/language/say.ts';
import { checkedTemplate, gallery, readStyle } from '#src/places/templates.ts';
import { renderDiscord } from '#src/platforms/discord/render.ts';
import { maxText, renderTelegram } from '#src/platforms/telegram/render.ts';
import { minute } from '#src/runtime/units.ts';
import { pinged, readMessage } from '#test/support/discord/message.ts';
import { parseHtml } from '#test/support/telegram/html.ts';

const now = Date.UTC(2025, 10, 21, 14, 5);
const change: Change = {
  status: 'firing',
  labels: { kind: 'price-move', symbol: 'BTCUSDT' },
  severity: 'warning',
  annotations: {
    title: 'BTC rose 4.1% in 1 h',
    summary: 'That is far more than usual.',
    facts: [{ name: 'Usual move', value: '0.4%' }],
    dataTime: now,
    market: {
      price: 42_000,
      change1hPct: 4.1,
      change24hPct: -3.4,
      first: { what: 'basis', lead: 10 * minute },
      pages: [{ title: 'Binance', url: 'https://www.binance.com/en/futures/BTCUSDT' }],
    },
  },
};
const alert = revise(undefined, change, now);
if (alert === null) throw new Error('the sample is no alert');
const told = { source: 'simulated, 240 ×', lateBy: 20 * minute };
const card = sayCard(alertCard([alert], told), plainReader);

const styled = (style: Style, over: Partial<Parameters<typeof styledCard>[1]> = {}) =>
  styledCard(card, { style, alerts: [alert], record: undefined, notices: noticesOf(told), ...over });
const own = (template: string): Style => ({ name: 'own', template });

describe('a style', () => {
  test('minimal: the title and the price, what is late and simulated, and the buttons', () => {
    expect(styled({ name: 'minimal' })).toMatchObject({
      title: 'BTC rose 4.1% in 1 h',
      summary: '42,000.00 · up 4.1% in 1 h · down 3.4% in 24 h\nDelivered 20 min late.',
      source: 'simulated, 240 ×',
      actions: card.actions,
    });
    expect(styled({ name: 'minimal' }).facts).toBeUndefined();
  });

  test.each<[string, string, { title: string; summary?: string }]>([
    [
      'parts and words stand where it puts them',
      '{market} {kind}!\\n{price}, {change24h}',
      { title: 'BTC Price move!', summary: '42,000.00, down 3.4% in 24 h' },
    ],
    [
      'a line whose parts say nothing is left out',
      '{title}\\nRecord: {record}\\n{price}',
      { title: 'BTC rose 4.1% in 1 h', summary: '42,000.00' },
    ],
    [
      'a separator beside a part that says nothing is left out',
      '{title}\\n{record} · {price} · {record}',
      { title: 'BTC rose 4.1% in 1 h', summary: '42,000.00' },
    ],
    ['what is no name in braces is text', 'a { b } {} {1}', { title: 'a { b } {} {1}' }],
    [
      'as many characters are used as fit every platform',
      `a\\n${'x'.repeat(1_499)}`,
      { title: 'a', summary: 'x'.repeat(1_499) },
    ],
    [
      'more are not',
      `a\\n${'x'.repeat(1_500)}`,
      {
        title: 'BTC rose 4.1% in 1 h',
        summary: expect.stringContaining('template was not used: the text is too long'),
      },
    ],
  ])('%s', (_, template, expected) => {
    const { title, summary } = styled(own(template), { notices: [] });
    expect({ title, ...(summary !== undefined && { summary }) }).toEqual(expected);
  });

  test('facts that the template tells itself do not stand twice, and the others do', () => {
    const names = (template: string) => styled(own(template)).facts?.map(({ name }) => name);
    expect(names('{title}\\n{facts}')).toEqual(['Price', 'Usual move', 'Moved first']);
    expect(names('{title} {price} {first}\\n{facts}')).toEqual(['Usual move']);
  });

  test.each<[string, string, string]>([
    ['an unknown part, as of a later version', '{title} {secret}', '{secret}'],
    ['a title that says nothing', '{record}', 'its first line is empty'],
    ['a text too long for one post', `{title}\\n${'{why} '.repeat(80)}`, 'the text is too long'],
  ])('a template with %s falls back to the usual post and says so', (_, template, problem) => {
    const { title, facts, summary } = styled(own(template));
    expect({ title, facts }).toEqual({ title: card.title, facts: card.facts });
    expect(summary).toBe(`${card.summary}\nThis chat’s template was not used: ${problem}.`);
  });

  test('colour and footer go with every style; a footer leads to its page', () => {
    const footer = { text: 'Our desk', url: 'https://example.org/' };
    for (const name of ['normal', 'minimal'] as const) {
      const look = styled({ name, color: 0x30a46c, footer });
      expect(look).toMatchObject({ color: 0x30a46c });
      expect(look.links?.at(-1)).toEqual({ label: 'Our desk', url: 'https://example.org/' });
      expect(renderDiscord(look)[0].embeds[0]).toMatchObject({ color: 0x30a46c });
      expect(renderTelegram(look, { limit: maxText }).html).toContain(
        '<a href="https://example.org/">Our desk</a>',
      );
    }
    expect(styled({ name: 'normal', footer: { text: 'Our desk' } }).summary).toMatch(/\nOur desk$/);
  });
});

describe('what a template may be', () => {
  test.each<[string, Parameters<typeof readStyle>[0], RegExp]>([
    [
      'an unknown part',
      { template: '{title} {secret}' },
      /no part {secret} in a post. There are: {title}, {market}/,
    ],
    ['no first line', { template: '\\n{title}' }, /first line/],
    ['too many parts', { template: '{price} '.repeat(31) }, /30 parts/],
    ['too many lines', { template: 'a\\n'.repeat(25) }, /20 lines/],
    ['a template and another style', { style: 'minimal', template: '{title}' }, /leave one of the two out/],
    ['its own style without a template', { style: 'own' }, /Give the template/],
    ['a colour that is none', { color: 'red' }, /#RRGGBB/],
    ['a footer that leads to no page', { footer: 'Us http://example.org' }, /https/],
    ['a footer that leads to a page with a password', { footer: 'Us https://a:b@example.org' }, /https/],
    ['a footer that is too long', { footer: 'x'.repeat(101) }, /100 characters/],
  ])('%s is refused with what would be right', (_, given, problem) => {
    expect(() => readStyle(given, undefined)).toThrow(problem);
  });

  test('every template of the gallery is one, and shows the sample', () => {
    for (const [name, text] of Object.entries(gallery)) {
      expect(checkedTemplate(name)).toBe(text);
      expect(styled(own(text)).summary).not.toContain('was not used');
    }
  });

  test.each(['\u200b\n{price}', '\u2060\u00ad', '\u202e', '\\n{title}'])(
    'a title that nobody sees is none: %j',
    (template) => expect(() => checkedTemplate(template)).toThrow(/must not be empty/),
  );

  test('what is left out stays; the usual style is none', () => {
    const style = readStyle(
      { template: '{title}', color: '#30a46c', footer: 'Us https://example.org' },
      undefined,
    );
    expect(style).toEqual({
      name: 'own',
      template: '{title}',
      color: 0x30a46c,
      footer: { text: 'Us', url: 'https://example.org/' },
    });
    expect(readStyle({ color: null }, style ?? undefined)).toEqual({ ...style, color: undefined });
    expect(readStyle({ style: 'normal', color: null, footer: null }, style ?? undefined)).toBeNull();
    expect(readStyle({}, style ?? undefined)).toBeUndefined();
  });
});

const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...templateParts).map((part) => `{${part}}`) },
  fc.constantFrom(
    ...[
      '@everyone',
      '@here',
      '<@&1>',
      '<@1>',
      '<#1>',
      '</funding:1>',
      '[x](https://evil.example)',
      '||',
      '**',
      '`',
      '```',
    ],
    ...[
      '\\n',
      '\n',
      '\r\n',
      '> ',
      '# ',
      '-# ',
      '<b>',
      '</b>',
      '<a href="x">',
      '&amp;',
      '&',
      'tg://user?id=1',
      't.me/x',
    ],
    ...[
      '\u202e',
      '\u0000',
      '\ud800',
      'https://evil.example',
      'discord.gg/x',
      ' · ',
      '{',
      '}',
      '{}',
      '{{title}}',
    ],
  ),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
);

test('5,000 templates: none pings, none is refused by a platform, and none hides that data is simulated or late', () => {
  let used = 0;
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 25 }), fc.boolean(), (pieces, withFooter) => {
      let template: string;
      try {
        template = checkedTemplate(pieces.join(''));
      } catch {
        return;
      }
      used += 1;
      const footer = withFooter
        ? { text: pieces[0]?.slice(0, 100) || 'x', url: 'https://example.org/' }
        : undefined;
      const look = styled({ name: 'own', template, color: 1, footer });
      for (const page of renderDiscord(look, { mark: { post: 1, version: 2 } })) {
        const read = readMessage(page);
        if ('status' in read) throw new Error(JSON.stringify(read));
        expect(pinged({ ...read, content: undefined })).toEqual([]);
      }
      const discord = JSON.stringify(renderDiscord(look));
      const { html } = renderTelegram(look, { limit: maxText });
      const { text, entities } = parseHtml(html);
      const allowed = [
        'bold',
        'italic',
        'bot_command',
        'text_link',
        'date_time',
        'pre',
        'expandable_blockquote',
      ];
      expect(entities.map(({ type }) => type).filter((type) => !allowed.includes(type))).toEqual([]);
      for (const shown of [discord, text]) {
        expect(shown).toContain('simulated, 240 ×');
        expect(shown).toContain('Delivered 20 min late');
      }
    }),
    { numRuns: 5_000 },
  );
  expect(used).toBeGreaterThan(2_500);
});
