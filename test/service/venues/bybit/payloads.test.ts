import { describe, expect, it } from 'vitest';
import { parseLiquidations } from '#src/service/venues/bybit/messages.ts';
import * as payload from '#src/service/venues/bybit/payloads.ts';
import { nameOf, pairOf } from '#src/service/venues/bybit/symbols.ts';
import { recorded } from '../../../fixtures/bybit-payloads.ts';

const json = (name: keyof typeof recorded) => JSON.parse(recorded[name]);
const wanted = new Set(['BTCUSDT', '0GUSDT']);
const listOf = (...rows: readonly unknown[]) => ({ retCode: 0, result: { list: rows } });

describe('recorded payloads of Bybit', () => {
  it('marks: the wanted ones, with the rate of their own interval', () => {
    expect(payload.marks(wanted, 5).parse(json('tickers'))).toEqual({
      received: 2,
      dropped: 0,
      example: '',
      rows: [
        { symbol: 'BTCUSDT', time: 5, markPrice: 81_264.7, indexPrice: 81_294.13, estFunding: 0.0001 },
        { symbol: '0GUSDT', time: 5, markPrice: 0.2223, indexPrice: 0.2222, estFunding: 0.00005 },
      ],
    });
  });

  it('margin tiers: by value, ascending, as fractions', () => {
    expect(payload.riskLimits.parse(json('riskLimits'))).toEqual({
      unit: 'USD',
      tiers: [
        { upTo: 300_000, maintenanceRate: 0.0033, maxLeverage: 150 },
        { upTo: 2_000_000, maintenanceRate: 0.005, maxLeverage: 100 },
        { upTo: 2_600_000, maintenanceRate: 0.0056, maxLeverage: 90 },
      ],
    });
    expect(payload.riskLimits.parse(json('riskLimitsInPercent')).tiers).toEqual([
      { upTo: 150, maintenanceRate: 0.005, maxLeverage: 100 },
    ]);
  });

  it('a market without a price is in no list of prices: 0 says that there is none', () => {
    const ticker = { indexPrice: '100', fundingRate: '0.0001', openInterest: '8' };
    const answer = listOf(
      { ...ticker, symbol: 'BTCUSDT', markPrice: '0' },
      { ...ticker, symbol: '0GUSDT', markPrice: '100' },
    );
    for (const schema of [payload.marks(wanted, 5), payload.openInterests(wanted, 5)])
      expect(schema.parse(answer).rows.map(({ symbol }) => symbol)).toEqual(['0GUSDT']);
  });

  it('volumes and last prices of every perpetual, and of no dated future', () => {
    const { rows, dropped } = payload.volumes.parse(json('tickers'));
    expect([rows.map(({ symbol }) => symbol).sort(), dropped]).toEqual([
      ['0GUSDT', 'BTCUSDC', 'BTCUSDT', 'OPENAIUSDT'],
      0,
    ]);
    expect(rows.find(({ symbol }) => symbol === 'BTCUSDT')?.volume).toBe(5_819_942_674.0481);
  });

  it('open interest of one side, given as such or as half of both', () => {
    const said = payload.openInterests(wanted, 5).parse(listOf(json('ticker'))).rows;
    expect(said).toEqual([
      { symbol: 'BTCUSDT', time: 5, contracts: 29_986.128, valueUsd: 29_986.128 * 63_560.8 },
    ]);
    const halved = payload.openInterests(wanted, 5).parse(json('tickers')).rows;
    expect(halved.map(({ contracts }) => contracts)).toEqual([57_519.325 / 2, 10_016_488.2 / 2]);
  });

  it('past open interest ascends, and the stamp in seconds is one in ms', () => {
    expect(payload.pastInterests.parse(json('interests')).rows).toEqual([
      { time: 1_789_458_000_000, contracts: 26_326.209 },
      { time: 1_789_458_300_000, contracts: 26_336.672 },
      { time: 1_789_458_600_000, contracts: 26_332.321 },
    ]);
  });

  it('the best quotes', () => {
    expect(payload.tops(wanted).parse(listOf(json('ticker'))).rows).toEqual([
      {
        symbol: 'BTCUSDT',
        bidPrice: 63_561.5,
        askPrice: 63_561.6,
        imbalance: expect.closeTo((1.76 - 4.69) / 6.45, 9),
      },
    ]);
  });

  it('the time of each market’s last settlement, by its own interval', () => {
    const { rows } = payload.intervals(wanted).parse(json('tickers'));
    expect(rows).toEqual([
      { symbol: 'BTCUSDT', hours: 8, settled: 1_789_833_600_000 - 8 * 3_600_000 },
      { symbol: '0GUSDT', hours: 4, settled: 1_789_833_600_000 - 4 * 3_600_000 },
    ]);
  });

  it('a candle has its volume in USDT and nothing about takers: half of its volume is assumed', () => {
    expect(payload.candles('ETHUSDT').parse(json('candles')).rows).toEqual([
      {
        symbol: 'ETHUSDT',
        time: 1_789_459_200_000,
        open: 2_481.5,
        high: 2_490.2,
        low: 2_477,
        close: 2_488.1,
        volume: 1_234.5,
        takerBuy: 617.25,
        quoteVolume: 3_067_890.1,
      },
    ]);
  });

  it('the server time', () => expect(payload.serverTime.parse(json('time'))).toBe(1_775_928_345_295));

  it('closes, ratios and settlements ascend', () => {
    expect(payload.closes.parse(json('closes')).rows).toEqual([
      { time: 1_789_242_600_000, close: 77_078.96 },
      { time: 1_789_242_660_000, close: 77_077.44 },
    ]);
    expect(payload.closes.parse(json('indexCloses')).rows).toEqual([
      { time: 1_789_242_660_000, close: 77_116.07 },
    ]);
    expect(payload.ratios('ETHUSDT').parse(json('ratios')).rows).toEqual([
      { symbol: 'ETHUSDT', time: 1_789_460_400_000, longRatio: 0.6784 },
    ]);
    expect(payload.settlements('BTCUSDT').parse(json('settlements')).rows).toEqual([
      { symbol: 'BTCUSDT', time: 1_709_856_000_000, rate: 0.00015 },
      { symbol: 'BTCUSDT', time: 1_709_884_800_000, rate: 0.0001 },
    ]);
  });

  it('a bought position that was liquidated is a long', () => {
    expect(parseLiquidations(recorded.liquidations)).toEqual([
      { symbol: 'BTCUSDT', time: 1_739_502_302_929, side: 'LONG', price: 96_250.5, quantity: 0.015 },
      { symbol: 'BTCUSDT', time: 1_739_502_303_011, side: 'SHORT', price: 97_410, quantity: 1.25 },
    ]);
    expect(parseLiquidations('{"success":true,"ret_msg":"pong","op":"ping"}')).toEqual([]);
    const odd = recorded.liquidations.replace(/"v":"[^"]*"/, '"v":"0"');
    expect(parseLiquidations(odd)).toMatchObject([{ side: 'SHORT' }]);
    expect(() => parseLiquidations(recorded.refused)).toThrow(/Invalid topic/);
  });
});

describe('listings', () => {
  const coin = { ...json('stock'), symbol: 'BTCUSDT', launchTime: '1585526400000', symbolType: '' };
  it.each<[string, object, number]>([
    ['a coin', {}, 1],
    ['a coin of its innovation zone', { symbolType: 'innovation' }, 1],
    ['one listed before there were zones', { symbolType: undefined }, 1],
    ['a stock', json('stock'), 1],
    ['a dated future', { contractType: 'LinearFutures' }, 0],
    ['one against USDC', { symbol: 'BTCPERP', quoteCoin: 'USDC' }, 1],
    ['one against another coin', { quoteCoin: 'EUR' }, 0],
    ['one of a type nobody knows', { symbolType: 'weather' }, 0],
    ['one before its market', { isPreListing: true }, 0],
    ['one of a status nobody knows', { status: 'Unheard' }, 0],
    ['one that will be traded', { status: 'PreLaunch' }, 1],
  ])('%s', (_, given, listed) => {
    const answer = { retCode: 0, result: { list: [{ ...coin, ...given }], nextPageCursor: '' } };
    expect(payload.listings.parse(answer)).toMatchObject({ rows: Array(listed).fill({}), dropped: 0 });
  });

  it.each([
    ['', undefined],
    ['etf', 'STOCK'],
    ['commodity', 'COMMODITY'],
    ['forex', 'OTHER'],
  ])('one of type "%s" is marked as what it is: %s', (symbolType, kind) => {
    const answer = { retCode: 0, result: { list: [{ ...coin, symbolType }], nextPageCursor: '' } };
    expect(payload.listings.parse(answer).rows.map((row) => row.kind)).toEqual([kind]);
  });

  it.each<[string, object, object]>([
    ['one that is traded has its interval', { fundingInterval: 240 }, { fundingHours: 4 }],
    ['one that will end has its date', { deliveryTime: '1790928000000' }, { ends: 1_790_928_000_000 }],
    ['one that will be traded is not yet', { status: 'PreLaunch' }, { state: 'PENDING' }],
    ['one that is no longer traded has ended', { status: 'Closed' }, { state: 'ENDED' }],
  ])('%s', (_, given, told) => {
    const plain = { ...coin, deliveryTime: '0', fundingInterval: 0 };
    const answer = { retCode: 0, result: { list: [{ ...plain, ...given }], nextPageCursor: '' } };
    const listed = { symbol: 'BTCUSDT', listed: 1_585_526_400_000 };
    expect(payload.listings.parse(answer).rows).toEqual([{ ...listed, ...told }]);
  });

  it('says where the next page begins', () => {
    const page = (nextPageCursor: unknown) =>
      payload.listings.parse({ retCode: 0, result: { list: [coin], nextPageCursor } }).next;
    expect([page('first%3DA'), page(''), page(null)]).toEqual(['first%3DA', undefined, undefined]);
  });
});

it.each<[string, number, string, number]>([
  ['well', 200, recorded.settlements, 200],
  ['an unknown symbol', 200, recorded.unknown, 400],
  ['too many', 200, recorded.tooMany, 429],
  ['its servers fail', 200, '{"retCode":10016,"retMsg":"svc error"}', 500],
  ['a path that it does not find', 200, '{"retCode":10017,"retMsg":"Route not found."}', 500],
  ['too many, in another order', 200, '{"retMsg":"Too many visits!","result":{},"retCode":10018}', 429],
  ['a code that is new', 200, '{"retCode":99999,"retMsg":"?"}', 500],
  ['a 403 for too many', 403, '{"retMsg":"access too frequent"}', 403],
  [
    'a country',
    403,
    '<H1>403 ERROR</H1> The Amazon CloudFront distribution is configured to block access from your country.',
    451,
  ],
  ['HTML of a proxy', 200, '<html>', 200],
])('an error is in the body: %s', (_, status, text, meant) => {
  expect(payload.effectiveStatus({ status, text })).toBe(meant);
});

it('one row without a rate is dropped, and the others stay', () => {
  const { rows, dropped } = payload
    .settlements('X')
    .parse(
      listOf(
        { fundingRate: '', fundingRateTimestamp: '1709884800000' },
        { fundingRate: '0.0001', fundingRateTimestamp: '1709856000000' },
      ),
    );
  expect([rows.length, dropped]).toEqual([1, 1]);
});

it('SHIB counts in thousands as elsewhere, and a unit that no other venue has is kept', () => {
  expect(['SHIB1000USDT', 'BTCUSDT', '10000SATSUSDT'].map(pairOf)).toEqual([
    '1000SHIBUSDT',
    'BTCUSDT',
    '10000SATSUSDT',
  ]);
  for (const name of ['SHIB1000USDT', '1000000BABYDOGEUSDT', '1000PEPEUSDT'])
    expect(nameOf(pairOf(name))).toBe(name);
});

it.each([
  ['BTCUSDT', 'BTCUSDT'],
  ['BTCPERP', 'BTCUSDC'],
  ['SHIB1000USDT', '1000SHIBUSDT'],
  ['SHIB1000PERP', '1000SHIBUSDC'],
  ['PERPUSDT', 'PERPUSDT'],
  ['USDCUSDT', 'USDCUSDT'],
])('%s is the pair %s, and is asked for by its own name', (name, pair) => {
  expect([pairOf(name), nameOf(pair)]).toEqual([pair, name]);
});
