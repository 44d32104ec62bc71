import { describe, expect, it } from 'vitest';
import { atr, type Bar, bollinger, ema, macd, rsi, vwap } from '#src/rules/indicators.ts';
import { recordedBars } from '../support/recorded-market.ts';

/** The recorded years: closes, and bars whose ranges follow from the closes beside them. */
const closes = recordedBars().map(({ close }) => close);
const bars = closes.map((close, index): Bar => {
  const open = closes[index - 1] ?? close;
  return {
    high: Math.max(open, close) * (1 + ((index * 7) % 11) / 5_000),
    low: Math.min(open, close) * (1 - ((index * 5) % 13) / 5_000),
    close,
    volume: 100 + ((index * 31) % 97),
  };
});

// The definitions, each value computed anew from the whole past, as a textbook gives them.
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]) => sum(values) / values.length;
const at = (values: readonly number[], index: number) => values[index] ?? Number.NaN;

function exponential(values: readonly number[], length: number, weight: number): number[] {
  const results: number[] = [];
  for (const [index, value] of values.entries())
    results.push(index === 0 ? value : weight * value + (1 - weight) * at(results, index - 1));
  return results.map((value, index) => (index + 1 < length ? Number.NaN : value));
}
const reference = (values: readonly number[], length: number) =>
  exponential(values, length, 2 / (length + 1));

/** Wilder's smoothing: the mean of the first `length` values, from then on a part of each further one. */
function wilder(values: readonly number[], length: number): number[] {
  const first = mean(values.slice(0, length));
  const rest = exponential([first, ...values.slice(length)], 1, 1 / length);
  return [...Array<number>(length - 1).fill(Number.NaN), ...rest];
}

/** The largest relative difference, and whether both know the same values. */
function differs(given: readonly number[], expected: readonly number[]) {
  expect(given).toHaveLength(expected.length);
  let largest = 0;
  for (const [index, value] of expected.entries()) {
    expect(Number.isNaN(at(given, index))).toBe(Number.isNaN(value));
    if (!Number.isNaN(value))
      largest = Math.max(largest, Math.abs(at(given, index) - value) / Math.max(1, Math.abs(value)));
  }
  return largest;
}

describe(`over ${closes.length} recorded hours every indicator equals its definition to 1e-9`, () => {
  it.each([20, 50, 200])('EMA %i', (length) => {
    expect(differs(ema(closes, length), reference(closes, length))).toBeLessThan(1e-9);
  });

  it('RSI 14', () => {
    const moves = closes.slice(1).map((close, index) => close - at(closes, index));
    const gains = wilder(
      moves.map((move) => Math.max(0, move)),
      14,
    );
    const losses = wilder(
      moves.map((move) => Math.max(0, -move)),
      14,
    );
    const expected = gains.map((gain, index) => (100 * gain) / (gain + at(losses, index)));
    expect(differs(rsi(closes, 14), [Number.NaN, ...expected])).toBeLessThan(1e-9);
  });

  it('ATR 14', () => {
    const ranges = bars.map(({ high, low }, index) => {
      const before = bars[index - 1]?.close;
      return before === undefined ? high - low : Math.max(high, before) - Math.min(low, before);
    });
    expect(differs(atr(bars, 14), wilder(ranges, 14))).toBeLessThan(1e-9);
  });

  it('Bollinger bands, 20 and 2', () => {
    const expected = closes.map((_, index) => {
      const window = closes.slice(Math.max(0, index - 19), index + 1);
      const middle = window.length < 20 ? Number.NaN : mean(window);
      const deviation = Math.sqrt(mean(window.map((value) => (value - middle) ** 2)));
      return { upper: middle + 2 * deviation, lower: middle - 2 * deviation, middle };
    });
    const given = bollinger(closes, { length: 20, deviations: 2 });
    for (const name of ['upper', 'middle', 'lower'] as const)
      expect(
        differs(
          given.map((row) => row[name]),
          expected.map((row) => row[name]),
        ),
      ).toBeLessThan(1e-9);
  });

  it('MACD 12, 26, 9', () => {
    const short = exponential(closes, 1, 2 / 13);
    const long = exponential(closes, 1, 2 / 27);
    const lines = short.map((value, index) => (index < 25 ? Number.NaN : value - at(long, index)));
    const signals = [...lines.slice(0, 25), ...exponential(lines.slice(25), 1, 2 / 10)];
    const given = macd(closes, { short: 12, long: 26, signal: 9 });
    expect(
      differs(
        given.map((row) => row.macd),
        lines,
      ),
    ).toBeLessThan(1e-9);
    expect(
      differs(
        given.map((row) => row.signal),
        signals,
      ),
    ).toBeLessThan(1e-9);
    expect(
      differs(
        given.map((row) => row.histogram),
        lines.map((line, index) => line - at(signals, index)),
      ),
    ).toBeLessThan(1e-9);
  });

  it('VWAP', () => {
    const expected = bars.slice(0, 2_000).map((_, index) => {
      const seen = bars.slice(0, index + 1);
      const traded = seen.map(({ high, low, close, volume }) => ((high + low + close) / 3) * volume);
      return sum(traded) / sum(seen.map(({ volume }) => volume));
    });
    expect(differs(vwap(bars.slice(0, 2_000)), expected)).toBeLessThan(1e-9);
  });
});
