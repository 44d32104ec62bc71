import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  averageIv,
  isMonthly,
  maxPain,
  nearestMonthly,
  type OptionQuote,
  parseInstrument,
  summariseChain,
} from '#src/service/analytics/options.ts';
import { chain } from '#src/service/exchanges/deribit.ts';
import { describeWith, recordings } from '#test/support/needs.ts';

const expiry = Date.UTC(2024, 0, 26, 8);
const quote = (
  kind: 'C' | 'P',
  strike: number,
  openInterest: number,
  impliedVolatility?: number,
): OptionQuote => ({
  expiry,
  strike,
  kind,
  openInterest,
  impliedVolatility,
});

describe('option analytics', () => {
  it.each([
    ['ETH-26JAN24-1200-P', { expiry, strike: 1200, kind: 'P' }],
    ['BTC-9FEB24-40000-C', { expiry: Date.UTC(2024, 1, 9, 8), strike: 40000, kind: 'C' }],
    ['XRP_USDC-30JUN24-0d625-C', { expiry: Date.UTC(2024, 5, 30, 8), strike: 0.625, kind: 'C' }],
    ['ETH-PERPETUAL', undefined],
    ['ETH-26JAN24', undefined],
    ['ETH-26XXX24-1200-P', undefined],
    ['', undefined],
  ])('an instrument name contains its terms: %s', (name, terms) => {
    expect(parseInstrument(name)).toEqual(terms);
  });

  it.each([
    ['one call and one put at the same strike: that strike', [quote('C', 100, 5), quote('P', 100, 5)], 100],
    ['calls alone: the lowest strike, where none pays', [quote('C', 90, 1), quote('C', 100, 1)], 90],
    ['puts alone: the highest', [quote('P', 90, 1), quote('P', 100, 1)], 100],
    ['of equals the lowest', [quote('P', 90, 1), quote('C', 110, 1)], 90],
    ['by hand: at 110 calls are paid 10, at 100 puts 20', [quote('C', 100, 1), quote('P', 110, 2)], 110],
    ['no open interest: none', [quote('C', 100, 0)], undefined],
    ['no quote: none', [], undefined],
  ])('max pain: %s', (_, quotes, expected) => {
    expect(maxPain(quotes)).toBe(expected);
  });

  it('max pain is a listed strike that no other beats', () => {
    const quotes = fc.array(
      fc.record({
        kind: fc.constantFrom('C' as const, 'P' as const),
        strike: fc.integer({ min: 1, max: 30 }),
        openInterest: fc.integer({ min: 0, max: 100 }),
      }),
      { minLength: 1, maxLength: 20 },
    );
    fc.assert(
      fc.property(quotes, (drawn) => {
        const all = drawn.map((terms): OptionQuote => ({ ...terms, expiry, impliedVolatility: undefined }));
        const paid = (at: number) =>
          all.reduce(
            (sum, { kind, strike, openInterest }) =>
              sum + openInterest * Math.max(0, kind === 'C' ? at - strike : strike - at),
            0,
          );
        const found = maxPain(all);
        if (found === undefined) return all.every(({ openInterest }) => openInterest === 0);
        return all.every(({ strike }) => paid(found) <= paid(strike));
      }),
    );
  });

  it('average IV is weighted by open interest and ignores strikes without it', () => {
    expect(averageIv([quote('C', 1, 3, 40), quote('P', 1, 1, 80), quote('P', 2, 100)])).toBe(50);
    expect(averageIv([quote('C', 1, 3)])).toBeUndefined();
    expect(averageIv([quote('C', 1, 0, 40)])).toBeUndefined();
  });

  it('the nearest monthly expiry is the next last Friday; without one the next of any', () => {
    const day = (month: number, date: number) => Date.UTC(2024, month, date, 8);
    expect([day(0, 26), day(1, 23), day(0, 19), day(0, 25)].map(isMonthly)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    const expiries = [day(2, 29), day(0, 12), day(0, 26), day(0, 19)];
    expect(nearestMonthly(expiries, day(0, 8))).toBe(day(0, 26));
    expect(nearestMonthly(expiries, day(0, 26))).toBe(day(2, 29));
    expect(nearestMonthly([day(0, 12), day(0, 10)], day(0, 8))).toBe(day(0, 10));
    expect(nearestMonthly([], day(0, 8))).toBeUndefined();
  });

  it('a chain that lacks a value gives no row', () => {
    expect(summariseChain([quote('C', 100, 1)], expiry - 1)).toBeUndefined();
    expect(summariseChain([quote('C', 100, 1, 50)], expiry)).toBeUndefined();
    expect(summariseChain([quote('C', 100, 1, 50), quote('P', 90, 2, 80)], expiry - 1)).toEqual({
      callOI: 1,
      putOI: 2,
      maxPain: 90,
      avgIV: 70,
    });
  });
});

describeWith('../shared/market-data', 'the recorded ETH chain of 2024-01-08', () => {
  const read = (name: string) => readFileSync(join(recordings, name), 'utf8');

  it('open interest, put/call ratio and max pain of every expiry equal the reference', () => {
    const [heading = '', ...lines] = read('deribit_eth_option_chain_2024-01-08.csv').trim().split('\n');
    const names = heading.split(',');
    const result = lines.map((line) => {
      const cells = line.split(',');
      const cell = (name: string) => cells[names.indexOf(name)] ?? '';
      return { instrument_name: cell('instrument_name'), open_interest: Number(cell('open_interest')) };
    });
    const quotes = chain.parse({ jsonrpc: '2.0', result });
    expect(quotes).toHaveLength(684);

    const reference: Record<string, { n: number; callOI: number; putOI: number; maxPain: number }> =
      JSON.parse(read('deribit_eth_max_pain_reference.json'));
    for (const [name, expected] of Object.entries(reference)) {
      const expiry = parseInstrument(`ETH-${name}-1-C`)?.expiry;
      if (expiry === undefined) continue;
      const own = quotes.filter((quote) => quote.expiry === expiry);
      const sum = (kind: string) =>
        own.reduce((total, quote) => (quote.kind === kind ? total + quote.openInterest : total), 0);
      expect({ name, n: own.length, callOI: sum('C'), putOI: sum('P'), maxPain: maxPain(own) }).toEqual({
        name,
        n: expected.n,
        callOI: expected.callOI,
        putOI: expected.putOI,
        maxPain: expected.maxPain,
      });
    }
    expect(Object.keys(reference).filter((name) => parseInstrument(`ETH-${name}-1-C`))).toHaveLength(11);
  });
});
