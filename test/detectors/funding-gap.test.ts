import { describe, expect, test } from 'vitest';
import type { EndpointAnswer } from '#src/contract/index.ts';
import detector from '#src/detectors/funding-gap.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import { brief, drive, looks, said } from './drive.ts';

const start = Date.UTC(2026, 0, 1);
type Row = EndpointAnswer<'fundingDispersion'>['data'][number];

const rowOf = (at: number, premiumPct: number | undefined, symbol = 'BTCUSDT'): Row => {
  const timestamp = iso(at);
  const gap = premiumPct !== undefined && {
    highest: 'hyperliquid',
    lowest: 'binance',
    gap8h: premiumPct / 100 / 1095,
    premiumPct,
  };
  return {
    symbol,
    legs: [
      {
        venue: 'hyperliquid',
        title: 'Hyperliquid',
        rate: 0.00005,
        hours: 1,
        annualizedPct: 43.8,
        timestamp,
      },
      { venue: 'binance', title: 'Binance USD-M', rate: 0.0001, hours: 8, annualizedPct: 10.95, timestamp },
    ],
    ...gap,
    timestamp,
  };
};
const answer = (...data: readonly Row[]): EndpointAnswer<'fundingDispersion'> => ({
  data: [...data],
  count: data.length,
});
/** Observes a quiet gap first, and then each value 5 minutes apart; null: the market is not in the answer. */
const run = (values: readonly (number | null)[], options: Record<string, unknown> = {}, age = 40_000) =>
  drive(
    detector,
    options,
    [2, ...values].map((value, index) => {
      const at = start + index * 5 * minute;
      const others = rowOf(at, 1, 'ETHUSDT');
      return [at + age, value === null ? answer(others) : answer(rowOf(at, value), others)] as const;
    }),
  ).changes.slice(1);

describe('a gap of funding between venues', () => {
  test.each<[string, (number | null)[], string]>([
    ['one that has stood for two looks is told', [25, 25], '. +info'],
    ['a look alone is not', [25, 2, 25], '. . .'],
    ['below what a trade costs there is nothing to tell', [19, 19, 19], '. . .'],
    ['the wider the more urgent', [70, 70, 210], '. +warning ~critical'],
    ['about the level it neither ends nor begins anew', [21, 21, 15, 21, 11, 21], '. +info . . . .'],
    ['it ends after three looks below half of where it begins', [30, 30, 5, 5, 5], '. +info . . -info'],
    ['where a venue falls silent nothing is known', [30, 30, null, null, null, null], '. +info . . . .'],
  ])('%s', (_rule, values, expected) => {
    expect(brief(run(values))).toEqual(expected);
  });

  test('is not reported again for hours after its end, unless it is wider than before', () => {
    const calm = [3, 3, 3];
    expect(looks(run([30, 30, ...calm, 30, 30])).at(-1)).toBe('.');
    expect(looks(run([30, 30, ...calm, 80, 80])).at(-1)).toBe('+warning');
  });

  test('ends for a market without two venues left, and says that this is why', () => {
    const at = start + 7 * hour;
    const quiet = [start, answer(rowOf(start, 2))] as const;
    const wide = [5, 10].map(
      (minutes) => [start + minutes * minute, answer(rowOf(start + minutes * minute, 30))] as const,
    );
    const after = [at, answer(rowOf(at, 1, 'ETHUSDT'))] as const;
    const { changes, state } = drive(detector, {}, [quiet, ...wide, after]);
    expect(brief(changes)).toEqual('. . +info -info');
    expect(changes[3]?.[0] && said(changes[3][0])).toMatchObject({
      title: 'no data for BTC since 1 Jan 2026, 00:10 UTC',
      summary: 'Whether it goes on is not known.',
    });
    expect(JSON.stringify(state)).not.toContain('BTCUSDT');
  });

  test('is unknown if its data is more than 15 minutes old', () => {
    expect(brief(run([50, 50], {}, 14 * minute))).toEqual('. +info');
    expect(brief(run([50, 50], {}, 16 * minute))).toEqual('. .');
  });

  test('says between which venues, what each pays by its own interval, and what is earned', () => {
    const change = run([32.85, 32.85])[1]?.[0];
    expect(change?.labels).toEqual({ kind: 'funding-gap', symbol: 'BTCUSDT' });
    expect(change && said(change)).toEqual({
      title: 'BTC funding gap: 32.9% a year between Hyperliquid and Binance USD-M',
      summary:
        'Short at Hyperliquid and long at Binance USD-M collects the difference while it lasts, before fees and the risk of two accounts.',
      facts: [
        { name: 'Hyperliquid', value: '+0.0050% per 1 h, +43.8% a year' },
        { name: 'Binance USD-M', value: '+0.0100% per 8 h, +10.9% a year' },
        { name: 'Gap in 8 h', value: '0.0300%' },
        { name: 'Fees of both legs', value: '0.20%, earned in 2 d 5 h at this gap' },
        { name: 'Carry in 30 days, net of fees', value: '+2.50%' },
      ],
    });
  });
});
