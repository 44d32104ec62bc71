import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { averages } from '#src/service/collecting/collectors/book.ts';
import { csvMacro, parseCloses } from '#src/service/exchanges/macro.ts';
import { fetchNewestFirst } from '#src/service/exchanges/rows.ts';
import * as payload from '#src/service/venues/binance/payloads.ts';
import { describeWith, recordings } from '#test/support/needs.ts';

const listed = (symbol: string, more: object = {}) => ({
  symbol,
  contractType: 'PERPETUAL',
  status: 'TRADING',
  quoteAsset: 'USDT',
  onboardDate: 5,
  ...more,
});
const wanted = new Set(['BTCUSDT']);

describe('Binance payloads', () => {
  it('listings contain every perpetual against USDT and USDC, with its status and what it is where it is no coin', () => {
    const symbols = [
      listed('BTCUSDT', { deliveryDate: 4_133_404_800_000 }),
      listed('ENDSUSDT', { deliveryDate: 9_000 }),
      listed('ODDUSDT', { status: 'UNHEARD_OF' }),
      listed('NEXTUSDT_260626', { contractType: '', status: 'PENDING_TRADING' }),
      listed('BTCUSDT_260626', { contractType: 'CURRENT_QUARTER' }),
      listed('TSLAUSDT', { contractType: 'TRADIFI_PERPETUAL', underlyingType: 'EQUITY' }),
      listed('SAMSUNGUSDT', { contractType: 'TRADIFI_PERPETUAL', underlyingType: 'KR_EQUITY' }),
      listed('XAUUSDT', { contractType: 'TRADIFI_PERPETUAL', underlyingType: 'COMMODITY' }),
      listed('NEWSUSDT', { contractType: 'TRADIFI_PERPETUAL', underlyingType: 'UNHEARD_OF' }),
      listed('LUNAUSDT', { status: 'SETTLING' }),
      listed('BTCUSDC', { quoteAsset: 'USDC' }),
      listed('ETHBTC', { quoteAsset: 'BTC' }),
      listed('BTCDOMUSDT', { underlyingType: 'INDEX' }),
      listed('OPENAIUSDT', { underlyingType: 'PREMARKET' }),
      listed('NEWUSDT', { contractType: '', status: 'PENDING_TRADING' }),
    ];
    expect(payload.listings.parse({ symbols }).rows).toEqual([
      { symbol: 'BTCUSDT', listed: 5 },
      { symbol: 'ENDSUSDT', listed: 5, ends: 9_000 },
      { symbol: 'TSLAUSDT', kind: 'STOCK', listed: 5 },
      { symbol: 'SAMSUNGUSDT', kind: 'STOCK', listed: 5 },
      { symbol: 'XAUUSDT', kind: 'COMMODITY', listed: 5 },
      { symbol: 'NEWSUSDT', kind: 'OTHER', listed: 5 },
      { symbol: 'LUNAUSDT', listed: 5, state: 'ENDED' },
      { symbol: 'BTCUSDC', listed: 5 },
      { symbol: 'BTCDOMUSDT', kind: 'INDEX', listed: 5 },
      { symbol: 'OPENAIUSDT', kind: 'PREMARKET', listed: 5 },
      { symbol: 'NEWUSDT', listed: 5, state: 'PENDING' },
    ]);
  });

  it('a kline is a candle: index 9 is taker buy volume, 7 the volume in USDT', () => {
    const kline = [1000, '1', '4', '0.5', '2', '10', 4599, '21', 3, '6', '13', '0'];
    expect(payload.klines('BTCUSDT').parse([kline]).rows).toEqual([
      {
        symbol: 'BTCUSDT',
        time: 1000,
        open: 1,
        high: 4,
        low: 0.5,
        close: 2,
        volume: 10,
        takerBuy: 6,
        quoteVolume: 21,
      },
    ]);
  });

  it.each([
    ['a price that became a number', [1000, 1, '4', '0.5', '2', '10', 4599, '21', 3, '6']],
    ['a price that is no number', [1000, 'x', '4', '0.5', '2', '10', 4599, '21', 3, '6']],
    ['an empty price', [1000, '', '4', '0.5', '2', '10', 4599, '21', 3, '6']],
    ['infinity', [1000, 'Infinity', '4', '0.5', '2', '10', 4599, '21', 3, '6']],
    ['too few fields', [1000, '1', '4']],
  ])('a kline not as promised is refused: %s', (_, kline) => {
    expect(payload.klines('BTCUSDT').safeParse([kline]).success).toBe(false);
  });

  it('settlements have their nominal second; a dividend is no settlement', () => {
    const row = { symbol: 'BTCUSDT', fundingTime: 28_800_007, fundingRate: '-0.00010000', markPrice: '' };
    expect(
      payload.settlements.parse([row, { ...row, rateType: 'Special' }, { ...row, rateType: 'Regular' }]).rows,
    ).toEqual([
      { symbol: 'BTCUSDT', time: 28_800_000, rate: -0.0001 },
      { symbol: 'BTCUSDT', time: 28_800_000, rate: -0.0001 },
    ]);
  });

  it.each([
    ['that sum to 1', '0.6', '0.4', 0.6],
    ['that do not are normalised', '0.6', '0.6', 0.5],
    ['of shorts alone', '0', '0.7', 0],
  ])('ratios %s', (_, longAccount, shortAccount, longRatio) => {
    const row = { symbol: 'BTCUSDT', timestamp: 900_000, longAccount, shortAccount };
    expect(payload.ratios.parse([row]).rows).toEqual([{ symbol: 'BTCUSDT', time: 900_000, longRatio }]);
  });

  it('ratios without any account are refused', () => {
    const row = { symbol: 'BTCUSDT', timestamp: 1, longAccount: '0', shortAccount: '0' };
    expect(payload.ratios.safeParse([row]).success).toBe(false);
  });

  it('in a list of everything only the wanted rows must be valid', () => {
    const row = { symbol: 'BTCUSDT', markPrice: '10', indexPrice: '9', lastFundingRate: '0.0001' };
    const dated = { symbol: 'BTCUSDT_260626', markPrice: '11', indexPrice: '9', lastFundingRate: '' };
    const marks = payload.marks(wanted, 300_000);
    expect(marks.parse([dated, row]).rows).toEqual([
      { symbol: 'BTCUSDT', time: 300_000, markPrice: 10, indexPrice: 9, estFunding: 0.0001 },
    ]);
    expect(marks.safeParse([{ ...row, markPrice: '' }]).success).toBe(false);
    expect(marks.safeParse({ code: 0 }).success).toBe(false);
  });

  it.each([
    ['more bids than asks', '3', '1', 0.5],
    ['asks alone', '0', '2', -1],
    ['an empty book', '0', '0', 0],
  ])('the imbalance of %s', (_, bidQty, askQty, imbalance) => {
    const row = { symbol: 'BTCUSDT', bidPrice: '1', askPrice: '2', bidQty, askQty };
    expect(payload.tops(wanted).parse([row]).rows).toMatchObject([{ imbalance }]);
  });
});

describe('a market without a price, which Binance gives as 0', () => {
  const other = { symbol: 'ETHUSDT', bidPrice: '1', bidQty: '1', askPrice: '2', askQty: '1' };

  it.each([
    ['bid', { bidPrice: '0.00', bidQty: '0.000' }],
    ['ask', { askPrice: '0.00', askQty: '0.000' }],
  ])('a book without a %s is left out of the minute’s average', (_, empty) => {
    const book = { ...other, symbol: 'BTCUSDT', ...empty };
    const { rows, dropped } = payload.tops(new Set(['BTCUSDT', 'ETHUSDT'])).parse([book, other]);
    expect([rows.map(({ symbol }) => symbol), dropped]).toEqual([['ETHUSDT'], 1]);
  });

  it.each(['markPrice', 'indexPrice'])('a mark without a %s is none', (field) => {
    const mark = { symbol: 'ETHUSDT', markPrice: '10', indexPrice: '9', lastFundingRate: '0.0001' };
    const settled = { ...mark, symbol: 'BTCUSDT', [field]: '0.00000000' };
    const { rows, dropped } = payload.marks(new Set(['BTCUSDT', 'ETHUSDT']), 1).parse([settled, mark]);
    expect([rows.map(({ symbol }) => symbol), dropped]).toEqual([['ETHUSDT'], 1]);
  });
});

describe('odd rows', () => {
  const good = { symbol: 'BTCUSDT', timestamp: 900_000, longAccount: '0.6', shortAccount: '0.4' };
  const odd = { ...good, longAccount: '0', shortAccount: '0' };

  it('one odd row of a hundred is dropped and counted, with its problem', () => {
    const answer = [...Array.from({ length: 99 }, () => good), odd];
    const { rows, dropped, example } = payload.ratios.parse(answer);
    expect([rows.length, dropped, example]).toEqual([99, 1, 'field "99": longs and shorts are both zero']);
  });

  it.each([
    ['an empty rate', { symbol: 'B', markPrice: '1', indexPrice: '1', lastFundingRate: '' }],
    ['a null price', { symbol: 'B', markPrice: null, indexPrice: '1', lastFundingRate: '0' }],
  ])('%s drops only its own row', (_, row) => {
    const well = { symbol: 'A', markPrice: '1', indexPrice: '1', lastFundingRate: '0' };
    const wanted = new Set(['A', 'B', 'C']);
    const { rows } = payload.marks(wanted, 1).parse([well, row, { ...well, symbol: 'C' }]);
    expect(rows.map(({ symbol }) => symbol)).toEqual(['A', 'C']);
  });

  it('an answer is refused only if most of its rows are odd', () => {
    expect(payload.ratios.parse([good, odd]).rows).toHaveLength(1);
    expect(payload.ratios.safeParse([good, odd, odd]).error?.issues[0]).toMatchObject({
      path: [1],
      message: 'longs and shorts are both zero',
    });
  });
});

it('an upstream that answers the same, whatever end it is asked for, is not asked for ever', async () => {
  const rows = [{ time: 3 }, { time: 4 }];
  let asked = 0;
  const fetch = async () => {
    asked += 1;
    if (asked > 5) throw new Error('asked for ever');
    return { rows, received: 2, dropped: 0, example: '' };
  };
  expect(await fetchNewestFirst({ from: 0, to: 5 }, { limit: 2, fetch })).toEqual(rows);
});

describe('the book', () => {
  it('is averaged over its minute, symbol by symbol', () => {
    const sample = (symbol: string, bidPrice: number, imbalance: number) => ({
      symbol,
      bidPrice,
      askPrice: bidPrice + 1,
      imbalance,
    });
    expect(averages([sample('A', 1, 1), sample('B', 5, 0), sample('A', 3, -0.5)], 60_000)).toEqual([
      { symbol: 'A', time: 60_000, bidPrice: 2, askPrice: 3, imbalance: 0.25 },
      { symbol: 'B', time: 60_000, bidPrice: 5, askPrice: 6, imbalance: 0 },
    ]);
    expect(averages([], 60_000)).toEqual([]);
  });
});

describe('macro series from CSV', () => {
  it('a close becomes known when its day is over; lines without a number are skipped', async () => {
    const text = 'DATE,OPEN,CLOSE\n01/05/2024,1,2.5\n2024-01-08,1,3\n2024-01-09,1,.\n\n';
    expect(parseCloses('vix', text)).toEqual([
      { symbol: 'vix', time: Date.UTC(2024, 0, 6), value: 2.5 },
      { symbol: 'vix', time: Date.UTC(2024, 0, 9), value: 3 },
    ]);
    const provider = csvMacro({ vix: text });
    expect(provider.series).toEqual(['vix']);
    expect(await provider.read('vix', { from: Date.UTC(2024, 0, 7), to: Date.UTC(2024, 0, 9) })).toHaveLength(
      1,
    );
    expect(await provider.read('dxy', { from: 0, to: 9e15 })).toEqual([]);
  });
});

describeWith('../shared/market-data', 'a recorded series of closes', () => {
  it('the VIX is read completely', () => {
    const text = readFileSync(join(recordings, 'vix-daily.csv'), 'utf8');
    const rows = parseCloses('vix', text);
    expect(rows).toHaveLength(text.trim().split('\n').length - 1);
    expect(rows.every(({ value }) => value > 5 && value < 100)).toBe(true);
  });
});
