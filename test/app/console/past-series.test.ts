import { describe, expect, it, test } from 'vitest';
import { createPastSeries, withGaps } from '#src/app/console/past-series.ts';
import type { PastLines } from '#src/preview/past-lines.ts';
import { metricNames, metricOf } from '#src/rules/metrics.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { caller, commandContext } from '#test/support/commands.ts';
import { dataClient, now } from '#test/support/data.ts';

const read = (over: Parameters<typeof dataClient>[0] = {}, line: PastLines = async () => undefined) =>
  createPastSeries({
    contextOf: async () => commandContext({ data: dataClient(over), source: () => 'simulated' }),
    line,
  });

const candles = {
  symbol: 'BTCUSDT',
  interval: '1h',
  data: Array.from({ length: 200 }, (_, index) => {
    const close = String(100 + index);
    const open_time = iso(Math.floor(now / hour) * hour - (200 - index) * hour);
    return { open_time, o: close, h: close, l: close, c: close, v: '1', quote_volume: '1' };
  }),
};

describe('the past of a metric', () => {
  it('is what the service returns for the requested days, oldest first', async () => {
    const { points, ...said } = await read({ candles })({ metric: 'price.last', days: 3 }, caller);
    expect(said).toEqual({
      unit: 'USDT',
      window: { from: now - 72 * hour, to: now },
      source: 'simulated',
    });
    expect(points).toHaveLength(73);
    expect(points.slice(0, 2).map(([, value]) => value)).toEqual([228, 229]);
    expect(points.map(([at]) => at)).toEqual(points.map(([at]) => at).toSorted((a, b) => a - b));
  });

  it('comes from the archive as far as the service does not return it', async () => {
    const asked: unknown[] = [];
    const line: PastLines = async (about) => {
      asked.push(about);
      return [
        [now - 200 * hour, 0.1],
        [now - 20 * hour, 0.2],
        [now - minute, 0.3],
      ];
    };
    const { points } = await read({}, line)({ metric: 'basis.pct', days: 7 }, caller);
    expect(asked).toEqual([{ metric: 'basis.pct', symbol: 'BTCUSDT' }]);
    // The service returns two hours, and was not asked for more than seven days.
    expect(points.slice(0, 2).map(([, value]) => value)).toEqual([0.2, null]);
    expect(points.at(-1)?.[1]).toBe(0.0103);
    await read({ candles }, line)({ metric: 'price.last', days: 3 }, caller);
    expect(asked).toHaveLength(1);
  });

  it('is a list of points for every numeric metric, empty if the service has none', async () => {
    const numbers = metricNames.filter((name) => metricOf(name).labels === undefined);
    for (const metric of numbers) {
      const { points } = await read()({ metric, days: 30 }, caller);
      expect([metric, points.every(([at]) => at <= now)]).toEqual([metric, true]);
    }
  });

  test.each([
    [{ metric: 'price.lats', days: 30 }, 'price.last'],
    [{ metric: 'regime.state', days: 30 }, 'not a number'],
    [{ metric: 'price.last', symbol: 'NOPEUSDT', days: 30 }, 'NOPE'],
  ])('is refused with an explanation for %o', async (asked, said) => {
    await expect(read()(asked, caller)).rejects.toThrow(said);
  });

  it.each([
    [[], []],
    [
      [0, 1, 2, 9, 10],
      [0, 1, 2, null, 9, 10],
    ],
    [
      [0, 1, 2, 5, 6],
      [0, 1, 2, 5, 6],
    ],
  ])('has a gap where far more than the usual step is missing: %o', (times, values) => {
    const points = times.map((at) => [at * hour, at] as const);
    expect(withGaps(points).map(([, value]) => value)).toEqual(values);
  });
});
