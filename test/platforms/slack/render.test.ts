import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Card } from '#src/card/card.ts';
import { renderSlack } from '#src/platforms/slack/render.ts';
import { codePoint } from '#test/support/code-point.ts';
import { alertCard } from '#test/support/console.ts';
import { blocks, linesOf } from '#test/support/slack.ts';
import { webUrl } from '#test/support/web-url.ts';

const shown = (card: Card<string>): string => linesOf(blocks.parse(renderSlack(card).blocks));

test('a card is a header with its severity, its text, its facts and its source', () => {
  expect(shown(alertCard).split('\n')).toEqual([
    '🔴 BTCUSDT funding is extreme: longs pay 0.091 %',
    'Critical · Firing',
    'Three standard deviations above its own last 30 days. Leverage leans long.',
    '*Rate* 0.0910 %',
    '*Annualised* 99.6 %',
    '*z-score* 3.42',
    '*Mean of 30 days* 0.0104 %',
    'as of 14 Mar 2026, 09:30 UTC · simulated, 240 ×',
  ]);
});

test.each([
  ['mentions', '<!channel> <@U0123456789> <!subteam^S012>', '<!channel> <@U0123456789> <!subteam^S012>'],
  ['links', '<https://evil.example|BTC>', '<https://evil.example|BTC>'],
  ['what is escaped already', '&lt;!channel&gt; &amp;', '&lt;!channel&gt; &amp;'],
])('%s from others are plain text', (_, text, expected) => {
  const { blocks: given, text: fallback } = renderSlack({
    title: text,
    summary: text,
    facts: [{ name: text, value: text }],
  });
  expect(linesOf(blocks.parse(given)).split('\n').slice(0, 2)).toEqual([expected, expected]);
  expect(fallback).not.toMatch(/[<>]/);
});

test('emphasis, code and emojis from others in facts are plain text', () => {
  const { blocks: given } = renderSlack({
    title: 'x',
    facts: [{ name: '*a*', value: '_b_ ~c~ `d` :smile: 12:30' }],
  });
  expect(JSON.stringify(given)).not.toMatch(/[_~`]b|:smile:|\*\*/);
  expect(linesOf(blocks.parse(given))).toContain('12:30');
});

test('a card’s web address is linked, and no other kind of URL', () => {
  const link = (url: string) => shown({ title: 'x', url }).split('\n').slice(1);
  expect(link('https://example.com/a?b=1&c=<2>|3')).toEqual([
    '<https://example.com/a?b=1&c=%3C2%3E%7C3|example.com>',
  ]);
  expect(link('javascript:alert(1)')).toEqual([]);
});

test('a title too long for a header is repeated in full below it', () => {
  const title = 'word '.repeat(60).trim();
  expect(shown({ title }).split('\n')[1]).toBe(title);
});

test('Slack accepts any card, with as much of it as has room', () => {
  const text = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 400 }),
    fc.constantFrom(
      '<!here>',
      '&',
      '&amp;',
      '<>'.repeat(900),
      'x'.repeat(9_000),
      '\ud83d\ude00'.repeat(2_000),
      '\n',
      '',
    ),
  );
  const card: fc.Arbitrary<Card<string>> = fc.record(
    {
      title: text,
      summary: text,
      severity: fc.constantFrom('info' as const, 'warning' as const, 'critical' as const),
      status: fc.constantFrom('firing' as const, 'resolved' as const),
      facts: fc.array(fc.record({ name: text, value: text }), { maxLength: 60 }),
      table: fc.record({
        columns: fc.array(text, { maxLength: 3 }),
        rows: fc.array(fc.array(text, { maxLength: 3 }), { maxLength: 60 }),
      }),
      url: webUrl,
      source: text,
    },
    { requiredKeys: ['title'] },
  );
  fc.assert(
    fc.property(card, (each) => {
      const message = renderSlack(each);
      const all = blocks.parse(message.blocks);
      const size = all
        .flatMap((one) => ('text' in one ? [one.text] : 'fields' in one ? one.fields : one.elements))
        .reduce((sum, one) => sum + one.text.length, 0);
      expect(size).toBeLessThanOrEqual(13_200);
      expect(message.text.length).toBeLessThanOrEqual(3_000);
      expect(message.text).not.toMatch(/[<>]|&(?!(?:amp|lt|gt);)/);
      expect(message.text.isWellFormed()).toBe(true);
    }),
    { numRuns: 60 },
  );
});
