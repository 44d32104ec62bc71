import { describe, expect, it } from 'vitest';
import { day, hour } from '#src/runtime/units.ts';
import { hindsight, hindsightFinalAge } from '#src/service/analytics/hindsight.ts';
import { hourlyCloses, regimeRecord } from '#src/service/analytics/regime-record.ts';
import type { RegimeRow } from '#src/service/archive/archive.ts';
import { trendingBars } from './bars.ts';

const bars = trendingBars(3, 120 * 24);
const candles = {
  time: Float64Array.from(bars, ({ time }) => time),
  close: Float64Array.from(bars, ({ close }) => close),
};
const path = hindsight(bars.map(({ close }) => close));
const publishedAs = (say: (truth: number) => number) =>
  bars.map(({ time }, i): RegimeRow => {
    const state = say(path[i] ?? 0);
    const [riskOn, riskOff] = [state === 1 ? 0.8 : 0.1, state === -1 ? 0.8 : 0.1];
    return { symbol: 'BTCUSDT', time, riskOn, riskOff, state, trend: 0, volatilityPercentile: 50, model: 1 };
  });

describe('the record of published probabilities', () => {
  it('judges the published hours that are old enough, and no others', () => {
    const record = regimeRecord({ published: publishedAs((truth) => truth), candles });
    const last = bars.at(-1)?.time ?? 0;
    expect(record?.hours).toBe((last - (bars[0]?.time ?? 0) - hindsightFinalAge) / hour + 1);
    expect(Date.parse(record?.to ?? '')).toBe(last - 60 * day + hour);
  });

  it('says by state and tenth what was said and what was found', () => {
    const record = regimeRecord({ published: publishedAs((truth) => truth), candles });
    expect(record).toMatchObject({ agreement: 1, brier: 0.06 });
    expect(record?.reliability).toHaveLength(3 + new Set(path.slice(0, record?.hours)).size);
    for (const { said, found } of record?.reliability ?? []) expect(found).toBe(said > 0.5 ? 1 : 0);
    const wrong = regimeRecord({ published: publishedAs((truth) => -truth || 1), candles });
    expect(wrong?.agreement).toBe(0);
    expect(wrong?.brier).toBeGreaterThan(wrong?.baseRatesBrier ?? 2);
  });

  it('is not there before an hour can be judged', () => {
    const published = publishedAs((truth) => truth).slice(-10 * 24);
    expect(regimeRecord({ published, candles })).toBeUndefined();
    expect(
      regimeRecord({ published: [], candles: { time: new Float64Array(), close: new Float64Array() } }),
    ).toBeUndefined();
  });

  it('carries the close over missing hours', () => {
    const time = Float64Array.of(0, hour, 4 * hour);
    expect(hourlyCloses({ time, close: Float64Array.of(1, 2, 3) })).toEqual([1, 2, 2, 2, 3]);
    expect(hourlyCloses({ time, close: Float64Array.of(0, 2, Number.NaN) })).toEqual([2, 2]);
  });
});
