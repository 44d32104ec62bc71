import type { AlertRow } from '#src/platforms/web/ports/alert-feed.ts';
import type { BoardEntries } from '#src/platforms/web/ports/board.ts';
import { hour, minute } from '#src/runtime/units.ts';
import { marketNow } from './console.ts';

const symbols = [
  'BTCUSDT',
  'ETHUSDT',
  '1000PEPEUSDT',
  'SOLUSDT',
  'AVAXUSDT',
  'LINKUSDT',
  'DOGEUSDT',
  'XRPUSDT',
];

/** A board of a market in which every value is known. */
export const someBoard = (): BoardEntries => ({
  ...Object.fromEntries(
    symbols.flatMap((symbol, n) => [
      [
        `market/${symbol}`,
        {
          symbol,
          price: 61_204.5 / 10 ** n,
          at: marketNow,
          change1h: n - 3.25,
          change24h: 12.5 - 3 * n,
          funding: (n - 3) * 0.00012,
          fundingAt: marketNow - 2 * hour,
          fundingHours: n % 2 === 0 ? 8 : 4,
          fundingZ: n - 3.1,
          interest1h: 3 - n,
          basis: 0.051 - n / 100,
          longShare: 0.62,
          longsLiquidated: n * 123_456,
          shortsLiquidated: n * 654_321,
        },
      ],
      [`trail/${symbol}`, Array.from({ length: 25 }, (_, at) => 100 + Math.sin(at / 3 + n) * 5)],
      [
        `settlements/${symbol}`,
        Array.from({ length: 30 }, (_, at) => [
          marketNow - (30 - at) * 8 * hour,
          Math.sin(at / 4 + n) * 0.0006,
        ]),
      ],
    ]),
  ),
  regime: {
    state: 'RISK_ON',
    probabilities: { RISK_ON: 0.86, RISK_OFF: 0.04, TRANSITION: 0.1 },
    since: marketNow - 3 * hour,
    at: marketNow,
  },
  past: {
    stretches: [
      [marketNow - 30 * 24 * hour, marketNow - 9 * 24 * hour, 'RISK_OFF', 0.7],
      [marketNow - 9 * 24 * hour, marketNow, 'RISK_ON', 0.86],
    ],
    price: Array.from({ length: 60 }, (_, n) => [marketNow - (60 - n) * 12 * hour, 50_000 + n * 150]),
  },
  tape: {
    events: Array.from({ length: 30 }, (_, n) => ({
      symbol: symbols[n % symbols.length] ?? '',
      side: n % 3 === 0 ? 'SHORT' : 'LONG',
      price: 61_204.5 / 10 ** (n % 8),
      usd: 1_234 * (n + 1) ** 2,
      at: marketNow - n * minute,
    })),
    longs: 4_100_000,
    shorts: 1_900_000,
  },
  seen: Object.fromEntries(
    ['price', 'funding', 'interest', 'liquidations'].map((figure) => [
      figure,
      { at: marketNow, every: 24 * hour },
    ]),
  ),
});

export const alertRow = (id: string, given: Partial<AlertRow> = {}): AlertRow => ({
  id,
  kind: 'oi-momentum',
  symbol: 'BTCUSDT',
  severity: 'warning',
  status: 'firing',
  revision: 1,
  title: 'BTC open interest falls fast: −2.31% in 5 min, price +0.84%',
  groupName: 'OI unwinds',
  startsAt: marketNow - 12 * minute,
  updatedAt: marketNow - minute,
  endsAt: null,
  delivery: 'sent',
  ...given,
});
