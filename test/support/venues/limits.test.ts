import { describe, expect, it } from 'vitest';
import { minute } from '#src/runtime/units.ts';
import { createLimits } from '#test/support/venues/binance/limits.ts';

const data = '/futures/data/openInterestHist';
const begin = Date.UTC(2026, 8, 5, 12);

function address() {
  const wall = { at: begin, now: () => wall.at };
  const limits = createLimits(wall);
  const spend = (path: string, weight: number, times = 1) => {
    let status: number | undefined;
    for (let count = 0; count < times; count += 1) status = limits.spend(path, weight)?.status;
    return status;
  };
  return { wall, limits, spend };
}

describe('the limits per address, as the exchange keeps them', () => {
  it('count weight by the minute of the clock, shown in a header', () => {
    const { wall, limits, spend } = address();
    expect(spend('/fapi/v1/klines', 10, 240)).toBeUndefined();
    expect(limits.used('/fapi/v1/klines')).toBe(2_400);
    expect(spend('/fapi/v1/klines', 1)).toBe(429);
    wall.at += minute;
    expect(spend('/fapi/v1/klines', 10, 240)).toBeUndefined();
  });

  it('include separate pools for /futures/data and fundingRate, without a header', () => {
    const { wall, limits, spend } = address();
    expect(spend(data, 1, 1_000)).toBeUndefined();
    expect(spend(data, 1)).toBe(429);
    expect(spend('/fapi/v1/fundingRate', 1, 500)).toBeUndefined();
    expect(spend('/fapi/v1/fundingRate', 1)).toBe(429);
    expect(spend('/fapi/v1/fundingInfo', 1)).toBe(429);
    expect([limits.used(data), limits.used('/fapi/v1/fundingRate')]).toEqual([undefined, undefined]);
    wall.at += 5 * minute - 1;
    expect(spend(data, 1)).toBe(429);
    wall.at += 1;
    expect(spend(data, 1)).toBeUndefined();
  });

  it('lead to a ban for a client that continues after 429, and each request during the ban extends it', () => {
    const { wall, limits, spend } = address();
    spend(data, 1, 1_010);
    const end = () => {
      const body = JSON.stringify(limits.spend('/fapi/v1/time', 1)?.body);
      return Number(/banned until (\d+)/.exec(body)?.[1]);
    };
    expect(spend(data, 1)).toBe(418);
    expect(end()).toBe(begin + 4 * minute);
    expect(end()).toBe(begin + 8 * minute);
    wall.at = begin + 8 * minute;
    expect(spend('/fapi/v1/time', 1)).toBeUndefined();
  });
});
