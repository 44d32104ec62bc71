import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Card } from '#src/card/card.ts';
import { sayCard } from '#src/card/say-card.ts';
import { time } from '#src/language/format.ts';
import { plainReader } from '#src/language/say.ts';
import { lines, listOf, msg } from '#src/language/text.ts';
import { callbackData, type Press, readCallbackData } from '#src/platforms/telegram/callback-data.ts';
import { maxCaption, maxText, renderTelegram } from '#src/platforms/telegram/render.ts';
import { parseHtml } from '#test/support/telegram/html.ts';
import { card } from '../../card/arbitrary.ts';

const options = { limit: maxText };
const length = (text: string) => [...text].length;
/** Text as hostile as possible where mark-up and mentions have a meaning. */
const hostile = fc
  .array(
    fc.constantFrom(
      '<b>',
      '</b>',
      '<',
      '>',
      '&',
      '&lt;',
      '"',
      '<a href="x">',
      '@durov',
      ' @all ',
      'evil.com',
      ' t.me/x ',
      ' 127.0.0.1 ',
      'https://b.c',
      '😀',
      'x'.repeat(50),
    ),
    { maxLength: 80 },
  )
  .map((parts) => parts.join(''));

const hostileCard = fc.record(
  {
    title: hostile,
    summary: hostile,
    facts: fc.array(fc.record({ name: hostile, value: hostile }), { maxLength: 8 }),
    table: fc.record({
      columns: fc.array(hostile, { maxLength: 3 }),
      rows: fc.array(fc.array(hostile, { maxLength: 4 }), { maxLength: 9 }),
    }),
    actions: fc.array(fc.record({ label: hostile, command: hostile }), { maxLength: 10 }),
    source: hostile,
    dataTime: fc.oneof(fc.integer(), fc.integer({ min: 0, max: 2e12 })),
  },
  { requiredKeys: ['title'] },
);

test('a fact of several lines keeps them', () => {
  const facts = [{ name: 'Past', value: 'said 45%\nsaid 55%' }];
  expect(renderTelegram({ title: 't', facts }, options).html).toContain('<b>Past</b>: said 45%\nsaid 55%');
});

describe('renderTelegram', () => {
  test('never exceeds the limit, never breaks a tag, is never empty and mentions nobody', () => {
    fc.assert(
      fc.property(
        fc.oneof(card, hostileCard),
        fc.constantFrom(maxText, maxCaption),
        fc.boolean(),
        (given, limit, alert) => {
          const { html, keyboard } = renderTelegram(alert ? { ...given, severity: 'info' } : given, {
            limit,
            timesUntil: Date.now(),
          });
          const { text, entities } = parseHtml(html);
          expect(length(text)).toBeLessThanOrEqual(limit);
          expect(text).not.toBe('');
          const types = new Set(entities.map(({ type }) => type));
          for (const type of 'bold italic pre code bot_command date_time expandable_blockquote'.split(' '))
            types.delete(type);
          if ('links' in given) types.delete('text_link');
          expect([...types]).toEqual([]);
          for (const button of keyboard.flat()) {
            expect(button.text).not.toBe('');
            if ('url' in button) expect(button.url).toMatch(/^https:/);
            else expect(Buffer.byteLength(button.callback_data)).toBeLessThanOrEqual(64);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('shows every part, with a narrow table aligned', () => {
    const given: Card<string> = {
      title: 'Funding extremes',
      summary: 'Two markets <stand> out.',
      severity: 'warning',
      facts: [{ name: 'Threshold', value: '|z| > 1.5' }],
      table: {
        columns: ['Market', 'Rate'],
        rows: [
          ['BTCUSDT', '+0.0100%'],
          ['漢字USDT', '-0.5%'],
        ],
      },
      actions: [
        { label: 'Mute for 4 h', command: 'silence funding-extreme 4h' },
        { label: 'Long', command: `silence ${'x'.repeat(80)}` },
      ],
      dataTime: Date.UTC(2025, 10, 21, 14, 5),
      source: 'simulated, 240 ×',
    };
    const { html, keyboard, cut } = renderTelegram(given, options);
    expect(html.split('\n')).toEqual([
      '<b>🟠 Funding extremes</b>',
      'Two markets &lt;stand&gt; out.',
      '<b>Threshold</b>: |z| &gt; 1.5',
      '<pre>Market        Rate',
      'BTCUSDT   +0.0100%',
      '漢字USDT     -0.5%</pre>',
      `Long: <code>/silence ${'x'.repeat(80)}</code>`,
      '<i>as of 21 Nov 2025, 14:05 UTC · simulated, 240 ×</i>',
    ]);
    const long = { text: 'Long', callback_data: expect.stringMatching(/^#[\w-]{22}$/) };
    expect(keyboard).toEqual([
      [{ text: 'Mute for 4 h', callback_data: '>silence funding-extreme 4h' }, long],
    ]);
    expect(cut).toBe(false);
  });

  test('shows the time of the data in each reader’s time zone, if Telegram can', () => {
    const dataTime = Date.UTC(2025, 10, 21, 14, 5, 7);
    const given = { title: 't', dataTime, source: 'simulated' };
    const shown = (timesUntil?: number) =>
      renderTelegram(given, { ...options, timesUntil }).html.split('\n')[1];
    expect(shown(dataTime)).toBe(
      '<i>as of </i><i><tg-time unix="1763733907" format="Dt">21 Nov 2025, 14:05 UTC</tg-time></i><i> · simulated</i>',
    );
    expect(shown(dataTime - 1)).toBe('<i>as of 21 Nov 2025, 14:05 UTC · simulated</i>');
    expect(shown()).toBe(shown(dataTime - 1));
  });

  test('shows each time on a card in the reader’s time zone, with unchanged text', () => {
    const [begun, ends] = [Date.UTC(2025, 10, 21, 14, 5, 7), Date.UTC(2025, 10, 22)];
    const card = (rows: number): Card => ({
      title: msg('Muted until {until}', { until: time(ends) }),
      summary: lines(msg('Since {since}', { since: time(begun) }), 'a name: 21 Nov 2025'),
      facts: [{ name: 'From, to', value: listOf([time(begun), time(ends)]) }],
      table: {
        columns: ['Who', 'What they did', 'When'],
        rows: Array.from({ length: rows }, () => ['ada', 'said in words '.repeat(3), time(begun)]),
      },
      dataTime: ends,
    });
    const reader = { language: 'en', timeZone: 'Asia/Tokyo' };
    const shown = (rows: number, timesUntil?: number) =>
      parseHtml(renderTelegram(sayCard(card(rows), reader), { ...options, timesUntil }).html);
    const { text, entities } = shown(2, ends);
    expect(text).toBe(shown(2).text);
    const told = entities.filter(({ type }) => type === 'date_time');
    expect(told.map(({ unixTime = 0 }) => unixTime * 1_000)).toEqual(
      [ends, begun, begun, ends, begun, begun, ends].map((at) => Math.floor(at / 1_000) * 1_000),
    );
    for (const { offset, length: size, unixTime } of told)
      expect([...text].slice(offset, offset + size).join('')).toBe(
        unixTime === ends / 1_000 ? '22 Nov 2025, 09:00 GMT+9' : '21 Nov 2025, 23:05 GMT+9',
      );
    expect(shown(2).entities.some(({ type }) => type === 'date_time')).toBe(false);
    // The times of a list have no entities of their own, because a message can have only a hundred.
    const many = shown(41, ends).entities;
    expect(many.filter(({ type }) => type === 'date_time')).toHaveLength(5);
    expect(shown(40, ends).entities.length).toBeLessThanOrEqual(100);
  });

  test('shows each time on a card as itself where its text ends with the text of another time', () => {
    const days = [1, 21, 11].map((date) => Date.UTC(2025, 10, date, 16));
    const said = sayCard({ title: 'History', summary: lines(...days.map(time)) }, plainReader);
    const { text, entities } = parseHtml(
      renderTelegram(said, { ...options, timesUntil: Math.max(...days) }).html,
    );
    expect(
      entities
        .filter(({ type }) => type === 'date_time')
        .map(({ offset, length: size, unixTime }) => [text.slice(offset, offset + size), unixTime]),
    ).toEqual([
      ['1 Nov 2025, 16:00 UTC', 1_762_012_800],
      ['21 Nov 2025, 16:00 UTC', 1_763_740_800],
      ['11 Nov 2025, 16:00 UTC', 1_762_876_800],
    ]);
  });

  test('makes no time entity of a text that is cut, because an app would show the whole time', () => {
    const at = Date.UTC(2025, 10, 21, 14, 5);
    const said = sayCard({ title: 'x'.repeat(80), summary: time(at) }, { language: 'en', timeZone: 'UTC' });
    const kept = (limit: number) => parseHtml(renderTelegram(said, { limit, timesUntil: at }).html);
    expect(kept(103).entities.some(({ type }) => type === 'date_time')).toBe(true);
    expect(kept(100).text).toMatch(/21 Nov.*…$/);
    expect(kept(100).entities.some(({ type }) => type === 'date_time')).toBe(false);
  });

  test('folds a long list, and not what is around it', () => {
    const rows = (count: number) =>
      Array.from({ length: count }, (_, row) => [`Row ${row}`, 'said in words'.repeat(3)]);
    const shown = (count: number) =>
      renderTelegram(
        { title: 't', table: { columns: ['What', 'How'], rows: rows(count) }, source: 'live' },
        options,
      ).html;
    expect(shown(5)).not.toContain('blockquote');
    expect(shown(6)).toMatch(
      /^<b>t<\/b>\n<blockquote expandable><b>Row 0<\/b> .*<b>Row 5<\/b> [^<]*<\/blockquote>\n<i>live<\/i>$/s,
    );
    const { text, entities } = parseHtml(shown(6));
    expect(entities.filter(({ type }) => type === 'expandable_blockquote')).toHaveLength(1);
    expect(text.match(/Row \d/g)).toHaveLength(6);
    const long = renderTelegram(
      { title: 't', table: { columns: ['What', 'How'], rows: rows(200) } },
      options,
    );
    expect(long.html).toMatch(/<\/blockquote>\n… and \d+ more$/);
  });

  test('colours the buttons for the main action and for deleting', () => {
    const actions = [
      { label: 'Save', command: 'save', weight: 'main' as const },
      { label: 'Delete', command: 'delete', weight: 'danger' as const },
      { label: 'Why', command: 'why' },
    ];
    const { keyboard } = renderTelegram({ title: 't', actions }, options);
    expect(keyboard.flat().map(({ text, style }) => [text, style])).toEqual([
      ['Save', 'primary'],
      ['Delete', 'danger'],
      ['Why', undefined],
    ]);
  });

  test('turns a table too wide for a phone into a list in which nothing is cut', () => {
    const table = {
      columns: ['Id', 'Kinds', 'Quiet hours'],
      rows: [['m1', 'funding-extreme, liquidation-burst', '22:00-07:00 Europe/Berlin']],
    };
    expect(renderTelegram({ title: 't', table }, options).html).toBe(
      '<b>t</b>\n<b>m1</b> · Kinds: funding-extreme, liquidation-burst · Quiet hours: 22:00-07:00 Europe/Berlin',
    );
  });

  test('cuts a text that is too long, and still names the source', () => {
    const { html, cut } = renderTelegram(
      { title: 't', summary: '&'.repeat(5_000), source: 'simulated' },
      { ...options, limit: maxCaption },
    );
    expect(cut).toBe(true);
    expect(length(parseHtml(html).text)).toBe(maxCaption);
    expect(html).toMatch(/&amp;…\n<i>simulated<\/i>$/);
  });

  test('marks an ended alert', () => {
    expect(renderTelegram({ title: 'a < b', url: 'https://t.me/c/1/2' }, options).html).toBe(
      '<b><a href="https://t.me/c/1/2">a &lt; b</a></b>',
    );
    expect(renderTelegram({ title: 't', severity: 'critical', status: 'resolved' }, options).html).toBe(
      '<b>✅ t</b>',
    );
  });
});

describe('callback data', () => {
  const press: fc.Arbitrary<Press> = fc.oneof(
    fc.record({
      act: fc.constantFrom('run' as const, 'replace' as const),
      line: fc.string({ minLength: 1 }),
    }),
    fc.record({ act: fc.constant('lead' as const), step: fc.nat(9), line: fc.string({ minLength: 1 }) }),
  );

  test('comes back unchanged, or is not made at all', () => {
    fc.assert(
      fc.property(press, (given) => {
        const data = callbackData(given);
        if (data === undefined) expect(Buffer.byteLength(given.line)).toBeGreaterThan(63);
        else expect(readCallbackData(data)).toEqual(given);
      }),
    );
  });

  test('fits into the 64 bytes of a button for a market with a non-ASCII name', () => {
    const line = 'silence 我踏马来了USDT 4h liquidation-burst';
    const data = callbackData({ act: 'run', line });
    expect(readCallbackData(data ?? '')).toEqual({ act: 'run', line });
    expect(callbackData({ act: 'run', line: `coin ${'牛'.repeat(20)}USDT` })).toBeUndefined();
  });

  test('is not read from garbage', () => {
    for (const data of ['', '>', '=', '7', 'x', '?help', '\n'])
      expect(readCallbackData(data)).toBeUndefined();
  });
});
