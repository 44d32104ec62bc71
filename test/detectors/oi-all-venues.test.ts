import { describe, expect, test } from 'vitest';
import type { EndpointAnswer } from '#src/contract/index.ts';
import detector from '#src/detectors/oi-all-venues.ts';
import { iso, minute } from '#src/runtime/units.ts';
import { brief, drive, said, saidOf } from './drive.ts';

const start = Date.UTC(2026, 0, 1);
const both = ['binance', 'hyperliquid'];

interface Given {
  readonly pct: number;
  readonly usd?: number;
  readonly venues?: string[];
}
function answer(at: number, given: Given | undefined): EndpointAnswer<'oiAggregate'> {
  const timestamp = iso(at);
  const legs = [
    { venue: 'binance', title: 'Binance USD-M', openInterest: 75, usd: 75e6, sharePct: 75, timestamp },
    { venue: 'hyperliquid', title: 'Hyperliquid', openInterest: 25, usd: 25e6, sharePct: 25, timestamp },
  ];
  const row = { symbol: 'BTCUSDT', totalUsd: 100e6, legs, timestamp };
  if (given === undefined) return { data: [row], count: 1 };
  const { pct, usd = pct * 2e6, venues = both } = given;
  return { data: [{ ...row, change1h: { pct, usd, venues } }], count: 1 };
}
const run = (values: readonly (number | Given | undefined)[], options: Record<string, unknown> = {}) =>
  drive(
    detector,
    options,
    [0.5, ...values].map((value, index) => {
      const at = start + index * 5 * minute;
      return [at + 45_000, answer(at, typeof value === 'number' ? { pct: value } : value)] as const;
    }),
  ).changes.slice(1);

describe('open interest over exchanges', () => {
  test.each<[string, (number | Given | undefined)[], string]>([
    ['what builds up for two looks is told', [6, 6], '. +warning'],
    ['so is what unwinds', [-6, -6], '. +warning'],
    ['a look alone is not', [6, 1, 6], '. . .'],
    [
      'little money is one position',
      [
        { pct: 6, usd: 4e6 },
        { pct: 6, usd: 4e6 },
      ],
      '. .',
    ],
    [
      'of one exchange alone oi-momentum tells',
      [
        { pct: 9, venues: ['binance'] },
        { pct: 9, venues: ['binance'] },
      ],
      '. .',
    ],
    ['where no leg is known at both ends nothing is known', [6, 6, undefined, undefined], '. +warning . .'],
    ['it gets worse', [6, 6, 13], '. +warning ~critical'],
    [
      'it ends after three looks below the exit, and not about the level',
      [6, 6, 3, 5, 1, 1, 1],
      '. +warning . . . . -warning',
    ],
    ['the other side ends it and begins its own', [6, 6, -6, -6], '. +warning . -warning+warning'],
  ])('%s', (_rule, values, expected) => {
    expect(brief(run(values))).toEqual(expected);
  });

  test('says how much it changed, where it is held, and which exchanges are compared', () => {
    const change = run([6.2, 6.2])[1]?.[0];
    expect(change?.labels).toEqual({ kind: 'oi-all-venues', symbol: 'BTCUSDT', signal: 'BUILDUP' });
    expect(change && said(change)).toEqual({
      title: 'BTC open interest builds up across exchanges: +6.2% in 1 h',
      summary:
        'Counted in coins over the exchanges known at both ends: neither the price nor positions that move between them make it.',
      facts: [
        { name: 'Opened in 1 h', value: '$12.4M' },
        { name: 'Open interest in all', value: '$100M' },
        { name: 'Binance USD-M', value: '$75M (75%)' },
        { name: 'Hyperliquid', value: '$25M (25%)' },
        { name: 'Compared', value: 'Binance USD-M, Hyperliquid' },
      ],
    });
  });

  test('says at its end that it turned round', () => {
    expect(saidOf(run([6, 6, -6, -6]), 'resolved')?.summary).toBe(
      'Open interest has turned round: it now unwinds instead.',
    );
  });

  test('says at its end that it is no longer known', () => {
    const hours = Array.from({ length: 6 * 12 + 2 }, () => undefined);
    expect(saidOf(run([6, 6, ...hours]), 'resolved')).toMatchObject({
      title: 'no data for BTC since 1 Jan 2026, 00:10 UTC',
      summary: 'Whether it goes on is not known.',
    });
  });
});
