import { describe, expect, it } from 'vitest';
import type { Change, Chart } from '#src/alert/alert.ts';
import { candleLengths } from '#src/contract/candle-interval.ts';
import { priceCharts } from '#src/pipeline/price-chart.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { day, hour, iso, minute } from '#src/runtime/units.ts';
import { change } from '../support/alerts.ts';

const now = Date.UTC(2026, 0, 5, 12, 3);
const { signal } = new AbortController();

const chartOver = (length: number, over: Partial<Chart> = {}): Chart => ({
  title: 'Funding of BTC',
  unit: '%',
  series: [
    { name: 'Funding', points: [0, 0.5, 1].map((part) => [now - (1 - part) * length, part] as const) },
  ],
  marks: [{ name: 'fires from', value: 0.7 }],
  ...over,
});
const charted = (chart: Chart | undefined, over: Partial<Change> = {}): Change => {
  const base = change({ symbol: 'BTCUSDT' });
  return { ...base, annotations: { ...base.annotations, ...(chart && { chart }) }, ...over };
};

function service() {
  const asked: string[] = [];
  const candles = async ({ symbol, interval, limit }: { symbol: string; interval: '5m'; limit: number }) => {
    asked.push(`${symbol} ${interval} ${limit}`);
    const length = candleLengths[interval];
    const to = Math.floor(now / length) * length - length;
    const data = Array.from({ length: limit }, (_, index) => {
      const price = { o: '1', h: '3', l: '0.5', c: '2', v: '10', quote_volume: '20' };
      return { open_time: iso(to - (limit - 1 - index) * length), ...price };
    });
    return { symbol, interval, data };
  };
  return { asked, data: { candles } as never };
}
const price = (changes: readonly Change[], data: never) => priceCharts(changes, { data, now, signal });

describe('the chart of an alert has the price, and below it what was judged', () => {
  it.each([
    [40 * minute, '5m'],
    [5 * hour, '5m'],
    [day, '30m'],
    [7 * day, '4h'],
    [60 * day, '1d'],
  ])('over %i ms by candles of %s', async (length, interval) => {
    const { asked, data } = service();
    const [told] = await price([charted(chartOver(length))], data);
    const { chart } = told?.annotations ?? {};
    expect(asked[0]).toContain(`BTCUSDT ${interval} `);
    expect([chart?.unit, chart?.title, chart?.series[0]?.name]).toEqual(['USDT', 'Funding of BTC', 'BTC']);
    expect(chart?.series[0]?.candles?.[0]).toEqual([1, 3, 0.5, 10]);
    expect(chart?.lanes?.[0]).toMatchObject({ name: 'Funding', unit: '%', marks: [{ value: 0.7 }] });
    const times = chart?.series[0]?.points.map(([at]) => at) ?? [];
    expect(times.length).toBeLessThanOrEqual(73);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(now - length);
  });

  it('an alert about many markets has the price of the market that its chart names, not the number of markets alone', async () => {
    const { data } = service();
    const about = charted(chartOver(hour, { priceOf: 'BTCUSDT' }), {
      labels: { kind: 'liquidation-cascade' },
    });
    const [told] = await price([about], data);
    expect(told?.annotations.chart?.series[0]?.name).toBe('BTC');
  });

  it.each([
    ['that shows a price already', charted(chartOver(hour, { unit: 'USDT' }))],
    ['that is not there', charted(undefined)],
    ['of no market', charted(chartOver(hour), { labels: { kind: 'data-quality' } })],
  ])('nothing is asked for a chart %s', async (_, one) => {
    const { asked, data } = service();
    expect(await price([one], data)).toEqual([one]);
    expect(asked).toEqual([]);
  });

  it('where no price can be had the chart stays as it was', async () => {
    const one = charted(chartOver(hour));
    const failing = { candles: () => Promise.reject(new ApiError('/candles', 'not_offered', 'no')) } as never;
    expect(await price([one], failing)).toEqual([one]);
  });

  it('of a storm of alerts, the most severe have it', async () => {
    const { asked, data } = service();
    const storm = Array.from({ length: 40 }, (_, index) =>
      charted(chartOver(hour), {
        labels: { kind: 'funding-extreme', symbol: `S${index}USDT` },
        severity: index === 30 ? 'critical' : 'info',
      }),
    );
    await price(storm, data);
    expect(asked).toHaveLength(5);
    expect(asked.some((line) => line.startsWith('S30USDT'))).toBe(true);
  });
});
