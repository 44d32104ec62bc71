import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chart } from '#src/alert/alert.ts';
import { describeChart } from '#src/chart/plain-chart.ts';
import { plainReader } from '#src/language/say.ts';
import { hour } from '#src/runtime/units.ts';
import { chart as anyChart } from '#test/card/arbitrary.ts';

const start = Date.UTC(2025, 10, 21, 12);
const chart = (values: readonly number[], more: Partial<Chart<string>> = {}): Chart<string> => ({
  title: 'Price',
  unit: 'USDT',
  series: [{ name: 'BTCUSDT', points: values.map((value, index) => [start + index * hour, value]) }],
  ...more,
});
const said = (of: Chart<string>) => describeChart(of, plainReader);

describe('a chart in words', () => {
  it.each([
    [
      'says where it rose',
      [100, 90, 140],
      'BTCUSDT (USDT) rose from 100.00 to 140.00, between 90 and 140.00.',
    ],
    [
      'says where it fell',
      [140, 150, 100],
      'BTCUSDT (USDT) fell from 140.00 to 100.00, between 100.00 and 150.00.',
    ],
    [
      'makes no trend of little',
      [100, 150, 101],
      'ended about where it began: from 100.00 to 101.00, between',
    ],
    ['says where nothing moved', [100, 100], 'BTCUSDT (USDT) stayed at 100.00.'],
    ['knows a single value', [100], 'BTCUSDT (USDT): 100.00, a single value.'],
    ['knows when there is none', [], 'Price. BTCUSDT (USDT): no data.'],
    ['leaves out what is no number', [Number.NaN, 100, 200], 'rose from 100.00 to 200.00'],
  ])('%s', (_, values, expected) => {
    expect(said(chart(values))).toContain(expected);
  });

  it('says when it begins and ends, in the reader’s time zone', () => {
    expect(describeChart(chart([1, 2]), { language: 'en', timeZone: 'Asia/Tokyo' })).toContain(
      '21 Nov 2025, 21:00 GMT+9 to 21 Nov 2025, 22:00 GMT+9',
    );
  });

  it('says what is marked, what the bands are, and what the lower panel shows', () => {
    const bands = [
      { name: 'Risk on', tone: 'good', from: start, to: start + 3 * hour },
      { name: 'Risk off', tone: 'bad', from: start + 3 * hour, to: start + 4 * hour },
    ] as const;
    const text = said(
      chart([1, 2, 3, 3, 3], {
        marks: [{ name: 'stop', value: 2.5 }],
        bands,
        moments: [1, 2].map((at) => ({ name: 'fired', at: start + at * hour })),
        below: {
          unit: '%',
          series: [
            {
              name: 'rate',
              points: [
                [start, 1],
                [start + hour, 3],
              ],
            },
          ],
        },
      }),
    );
    expect(text).toContain('Line at 2.5: stop.');
    expect(text).toContain('Of the time: Risk on 75%, Risk off 25%; last Risk off.');
    expect(text).toContain('Marked 2 times: fired.');
    expect(text).toContain('rate rose from 1.00% to 3.00%');
  });

  it('counts the time between bands, and does not report a band that is over as the current one', () => {
    const bands = [{ name: 'Degraded', tone: 'caution', from: start, to: start + hour }] as const;
    expect(said(chart([100, 90, 100, 100, 100], { bands }))).toContain('Of the time: Degraded 25%.');
  });

  it('is one line that Discord accepts, whatever the chart', () => {
    fc.assert(
      fc.property(anyChart, (any) => {
        const text = said(any);
        expect(Array.from(text).length).toBeLessThanOrEqual(1_000);
        expect(text).not.toMatch(/[\p{Cc}\u202e\u2028]/u);
      }),
    );
  });
});
