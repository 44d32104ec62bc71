import type { MarketClock, WallClock } from '#src/runtime/clock.ts';
import { hour } from '#src/runtime/units.ts';
import type { Transport } from '#src/service/exchanges/transport.ts';
import type { Market } from '#src/service/simulation/market.ts';
import { syntheticMarket } from '#src/service/simulation/synthetic.ts';
import { createAnswers } from '#test/support/venues/answers.ts';

/** An answered request, timed by the stand-in's clock. */
export interface Asked {
  readonly at: number;
  readonly path: string;
  readonly symbol: string | null;
  readonly status: number;
  /** Weight used in this minute with it; 0 for what has no such header. */
  readonly used: number;
}

/**
 * Creates venues without a socket. Rate limits are enforced and responses take 150 ms. Binance publishes rows of /futures/data
 * late, refuses one symbol, and has odd single rows. The market is flat: only the number of rows matters.
 */
export function standIn(options: {
  readonly clock: MarketClock;
  readonly wall: WallClock;
  readonly symbols: number;
  readonly publication: number;
}) {
  const { clock, wall, symbols, publication } = options;
  const market = flatMarket(symbols);
  const answer = createAnswers({ market, clock, wall, limited: true, publicationDelay: publication });
  const refused = market.instruments.at(-1)?.symbol;
  const asked: Asked[] = [];
  const transport: Transport = {
    async get(_endpoint, { target, post }) {
      const { pathname: path, searchParams } = target;
      const symbol = searchParams.get('symbol');
      await wall.sleep(75);
      const { status, body, headers } =
        symbol === refused && path === '/futures/data/topLongShortPositionRatio'
          ? { status: 400, body: '{"code":-1121,"msg":"Invalid symbol."}', headers: {} }
          : answer(target, post);
      const used = Number(headers['x-mbx-used-weight-1m'] ?? 0);
      asked.push({ at: wall.now(), path, symbol, status, used });
      await wall.sleep(75);
      return { status, headers, text: path === '/fapi/v1/premiumIndex' ? withOddRow(body) : body };
    },
    close: async () => {},
  };
  return { transport, asked, listed: market.instruments.map(({ symbol }) => symbol) };
}

/** Empties a funding rate, as an exchange has been seen to do for single symbols. */
const withOddRow = (body: string) => body.replace(/"lastFundingRate":"[^"]+"/, '"lastFundingRate":""');

/** The most that requests cost together in any window of `per` ms; each costs 1 unless it says. */
export function mostWithin(asked: readonly { at: number; cost?: number }[], per: number): number {
  let [most, sum, first] = [0, 0, 0];
  for (const { at, cost = 1 } of asked) {
    sum += cost;
    for (let oldest = asked[first]; oldest !== undefined && oldest.at <= at - per; oldest = asked[first]) {
      sum -= oldest.cost ?? 1;
      first += 1;
    }
    most = Math.max(most, sum);
  }
  return most;
}

function flatMarket(symbols: number): Market {
  const { instruments, ...rest } = syntheticMarket({
    seed: 7,
    symbols: Math.max(30, Math.min(100, symbols)),
  });
  const listed = instruments.slice(0, symbols);
  const more = Array.from({ length: Math.max(0, symbols - 100) }, (_, index) => index);
  const [first] = instruments;
  const every =
    <Row>(step: number, row: (time: number) => Row) =>
    (from: number, to: number) => {
      const rows: Row[] = [];
      for (let time = Math.ceil(from / step) * step; time <= to; time += step) rows.push(row(time));
      return rows;
    };
  return {
    ...rest,
    instruments: [
      ...listed,
      ...(first === undefined ? [] : more.map((index) => ({ ...first, symbol: `MORE${index}USDT` }))),
    ],
    earliest: Date.UTC(2023, 0, 1),
    price: () => 100,
    candles: (symbol, { from, to }) =>
      every(hour, (time) => ({
        symbol,
        time,
        open: 100,
        high: 101,
        low: 99,
        close: 100,
        volume: 10,
        takerBuy: 5,
        quoteVolume: 1_000,
      }))(from, to),
    settlements: (symbol, { from, to }) =>
      every(8 * hour, (time) => ({ symbol, time, rate: 0.0001 }))(from, to),
    mark: (symbol, time) => ({ symbol, time, markPrice: 100, indexPrice: 100, estFunding: 0.0001 }),
    openInterest: (symbol, time) => ({ symbol, time, contracts: 1_000, valueUsd: 100_000 }),
    ratios: () => ({ top: 0.6, global: 0.55 }),
    topOfBook: () => ({ bidPrice: 99, bidQuantity: 1, askPrice: 101, askQuantity: 1 }),
    liquidations: () => [],
    chain: () => [],
    fearGreed: () => [],
    stablecoins: () => [],
    outages: () => [],
  };
}
