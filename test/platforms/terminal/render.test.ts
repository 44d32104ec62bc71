import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Card } from '#src/card/card.ts';
import { width } from '#src/card/width.ts';
import { renderText } from '#src/platforms/terminal/render.ts';
import { card } from '../../card/arbitrary.ts';

const unsafe = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const options = { columns: 60 };

describe('renderText', () => {
  test('never throws, never exceeds the width and never outputs a control character', () => {
    fc.assert(
      fc.property(card, fc.integer({ min: 1, max: 120 }), (given, columns) => {
        const lines = renderText(given, { columns }).split('\n');
        expect(lines.filter((line) => width(line) > columns)).toEqual([]);
        expect(lines.filter((line) => unsafe.test(line))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('adds nothing but colour escapes when colour is on', () => {
    fc.assert(
      fc.property(card, (given) => {
        const coloured = renderText(given, { ...options, color: true });
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes are what is tested
        expect(coloured.replaceAll(/\x1b\[(0|2|1|1;3[1236])m/g, '')).toBe(renderText(given, options));
      }),
    );
  });

  test('shows every part, with tables and facts aligned', () => {
    const given: Card<string> = {
      title: 'Funding extremes',
      summary: 'Two markets stand out.',
      severity: 'warning',
      facts: [
        { name: 'Threshold', value: '|z| > 1.5' },
        { name: 'Count', value: '2' },
      ],
      table: {
        columns: ['Market', 'Rate'],
        rows: [
          ['BTCUSDT', '+0.0100%'],
          ['漢字USDT', '−0.5%'],
        ],
      },
      chart: {
        title: 'Rate',
        unit: '%',
        series: [
          {
            name: 'rate',
            points: [
              [0, 1],
              [1, 2],
              [2, 3],
            ],
          },
        ],
      },
      actions: [{ label: 'Mute', command: 'silence funding-extreme 4h' }],
      dataTime: Date.UTC(2025, 10, 21, 14, 5),
      source: 'simulated, 240 ×',
    };
    expect(renderText(given, options).split('\n')).toEqual([
      '[warning] Funding extremes',
      'Two markets stand out.',
      'Threshold  |z| > 1.5',
      'Count      2',
      'Market        Rate',
      'BTCUSDT   +0.0100%',
      '漢字USDT     −0.5%',
      'Rate, 1.00 to 3.00 %',
      '▁▅█',
      '› Mute: silence funding-extreme 4h',
      'as of 21 Nov 2025, 14:05 UTC · simulated, 240 ×',
    ]);
  });

  test('shows times in the requested time zone, across daylight-saving changes', () => {
    const at = (dataTime: number) =>
      renderText(
        { title: 't', dataTime, reader: { language: 'en', timeZone: 'Europe/Berlin' } },
        { columns: 80 },
      );
    expect(at(Date.UTC(2025, 9, 26, 0, 30))).toContain('02:30 CEST');
    expect(at(Date.UTC(2025, 9, 26, 1, 30))).toContain('02:30 CET');
  });

  test('breaks long words and cuts long tables with an ellipsis', () => {
    const line = renderText({ title: 'x'.repeat(25) }, { columns: 10 });
    expect(line.split('\n')).toEqual(['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)]);
    const table = { columns: ['a long heading', 'another one'], rows: [['a cell that is long', 'b']] };
    const [, heading] = renderText({ title: 't', table }, { columns: 20 }).split('\n');
    expect(heading).toBe('a long h…  another …');
  });

  test('a table of more columns than fit is a list in which no cell is lost', () => {
    const columns = ['Market', ...Array.from({ length: 12 }, (_, index) => `Column ${index}`)];
    const row = ['BTCUSDT', ...Array.from({ length: 12 }, (_, index) => `value ${index}`)];
    const lines = renderText({ title: 't', table: { columns, rows: [row] } }, { columns: 30 }).split('\n');
    expect(lines.slice(0, 3)).toEqual(['t', 'BTCUSDT', 'Column 0   value 0']);
    expect(lines.at(-1)).toBe('Column 11  value 11');
  });

  test('a fact of several lines keeps them', () => {
    const facts = [{ name: 'Past', value: 'said 45%\nsaid 55%' }];
    expect(renderText({ title: 't', facts }, options)).toBe('t\nPast  said 45%\n      said 55%');
  });

  test('a command and the source of the data are broken into lines and never cut', () => {
    const command = 'alert create when="funding.z > 2.5 && oi.ratePct > 1" top20';
    const given = { title: 't', actions: [{ label: 'Save', command }], source: 'simulated, 240 ×' };
    const lines = renderText(given, { columns: 20 }).split('\n');
    expect(lines.slice(1).join(' ')).toBe(`› Save: ${command} simulated, 240 ×`);
  });

  test('names the series of both panels of a chart, each in its unit', () => {
    const points = [1, 2].map((value) => [value, value] as const);
    const chart = {
      title: 'Interest',
      unit: 'contracts',
      series: [{ name: 'BTC', points }],
      below: { unit: '%', series: [{ name: 'rate', points }] },
    };
    expect(renderText({ title: 't', chart }, options).split('\n').slice(1)).toEqual([
      'Interest: BTC, 1.00 to 2.00 contracts',
      '▁█',
      'Interest: rate, 1.00 to 2.00 %',
      '▁█',
    ]);
  });

  test('zero has no sign in a chart whose values are negative', () => {
    const points = [-20, -0].map((value, at) => [at, value] as const);
    const chart = { title: 'Longs', unit: 'USD', series: [{ name: 'longs', points }] };
    expect(renderText({ title: 't', chart }, options).split('\n')[1]).toBe('Longs, −20.00 to 0 USD');
  });

  test('millions in a chart have three digits', () => {
    const points = [3_520_747_910.49, 3_673_208_852.63].map((value, at) => [at, value] as const);
    const chart = { title: 'Interest', unit: 'USD', series: [{ name: 'BTC', points }] };
    expect(renderText({ title: 't', chart }, options).split('\n')[1]).toBe('Interest, 3.52B to 3.67B USD');
  });

  test('a file of several lines keeps them, and its indentation, so that it can be copied', () => {
    const text =
      '- at: terminal\n  alerts:\n    - when: funding.z > 2.5 && oi.ratePct > 1 && basis.pct > 0.1\n';
    const file = { name: 'tocsin.yaml', text };
    const lines = renderText({ title: 't', file }, { columns: 40 }).split('\n').slice(1);
    expect(lines.slice(0, 2)).toEqual(['- at: terminal', '  alerts:']);
    expect(parse(lines.join('\n'))).toEqual(parse(text));
  });
});
