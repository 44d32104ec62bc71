import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { hour } from '#src/runtime/units.ts';
import { readLiquidations } from '#src/service/venues/okx/messages.ts';
import * as payload from '#src/service/venues/okx/payloads.ts';
import { coinsIn, contractOf, indexOf, nameOf } from '#src/service/venues/okx/symbols.ts';
import type { ContractSizes } from '#src/service/venues/venue.ts';
import { recorded } from '../../../fixtures/okx-payloads.ts';

const json = (name: keyof typeof recorded) => JSON.parse(recorded[name]);
const listOf = (...data: readonly unknown[]) => ({ code: '0', msg: '', data });
const btc = { symbol: 'BTCUSDT', coins: 1 };
const wanted = new Set(['BTCUSDT', 'SOLUSDT', 'TRBUSDT', '1000PEPEUSDT']);

describe('recorded payloads of OKX', () => {
  it('the server time', () => expect(payload.serverTime.parse(json('time'))).toBe(1_786_204_129_995));

  it('listings: perpetuals against USDT', () => {
    expect(payload.listings.parse(json('instruments'))).toMatchObject({
      rows: [{ symbol: 'ETHUSDT', listed: 1_573_557_408_000 }],
      dropped: 0,
    });
  });

  it('a listing whose times cannot be read costs itself, and one without them is of an unknown time', () => {
    const listing = JSON.parse(recorded.instruments).data[1];
    const odd = { ...listing, listTime: 'soon' };
    const none = { ...listing, listTime: '', expTime: '' };
    const { rows, dropped } = payload.listings.parse(listOf(odd, none, listing));
    expect([dropped, rows.map(({ listed }) => listed)]).toEqual([1, [0, 1_573_557_408_000]]);
  });

  it('margin tiers: by contracts, ascending; one that is invalid spoils them all', () => {
    const [small, large] = [
      { most: 2_000, maintenanceRate: 0.01, maxLeverage: 75 },
      { most: 4_000, maintenanceRate: 0.015, maxLeverage: 50 },
    ];
    const answer = json('tiers');
    expect(payload.positionTiers.parse(answer).rows).toEqual([small, large]);
    const [first, ...others] = answer.data;
    expect(payload.positionTiers.parse({ ...answer, data: [...others, first] }).rows).toEqual([small, large]);
    const data = [{ ...first, mmr: '' }, ...others, ...others];
    expect(payload.positionTiers.safeParse({ ...answer, data }).success).toBe(false);
  });

  it('volume comes in coins and is stored in USDT; the best quotes', () => {
    const answer = listOf(json('ticker'));
    expect(payload.volumes.parse(answer).rows).toEqual([
      { symbol: 'SOLUSDT', volume: 186.09 * 5_891_121.44, price: 186.09 },
    ]);
    expect(payload.tops(wanted).parse(answer).rows).toEqual([
      {
        symbol: 'SOLUSDT',
        bidPrice: 186.07,
        askPrice: 186.08,
        imbalance: expect.closeTo((21.05 - 125.61) / 146.66, 9),
      },
    ]);
  });

  it('candles ascend, with their volume in coins and in USDT, and contain nothing about takers', () => {
    const [first, second] = payload.candles(btc).parse(json('candles')).rows;
    expect(first).toEqual({
      symbol: 'BTCUSDT',
      time: 1_747_093_980_000,
      open: 102_806,
      high: 102_820.5,
      low: 102_783.1,
      close: 102_806.1,
      volume: 71.6404,
      takerBuy: 35.8202,
      quoteVolume: 7_364_701.57952,
    });
    expect(second?.time).toBe(1_747_094_040_000);
    expect(payload.closes(btc).parse(json('closes')).rows).toEqual([
      { time: 1_789_242_180_000, close: 77_047.8 },
    ]);
    expect(payload.closes(btc).parse(json('indexCloses')).rows).toEqual([
      { time: 1_789_242_180_000, close: 77_079.2 },
    ]);
  });

  it('open interest in coins: the present, and the past at the end of its interval', () => {
    expect(payload.openInterests(wanted, 5).parse(json('interest')).rows).toEqual(
      [{ symbol: 'BTCUSDT', time: 5, contracts: 963_996.9581, valueUsd: 88_957_542_893.77193 }].map(
        (row) => ({ ...row, contracts: expect.closeTo(row.contracts, 3) }),
      ),
    );
    expect(payload.pastInterests(btc, hour).parse(json('pastInterests')).rows).toEqual([
      {
        symbol: 'BTCUSDT',
        time: 1_789_239_600_000 + hour,
        contracts: expect.closeTo(27_523.9951, 4),
        valueUsd: expect.closeTo(2_121_056_862.7957, 3),
      },
    ]);
  });

  it('marks, indexes and running rates; settlements where they are given', () => {
    expect(payload.markPrices(wanted).parse(json('mark')).rows).toEqual([
      { symbol: 'BTCUSDT', price: 84_660.1 },
    ]);
    expect(payload.indexPrices(wanted).parse(listOf(json('index'))).rows).toEqual([
      { symbol: 'BTCUSDT', price: 84_631.5 },
    ]);
    const rates = payload.fundingRates(wanted).parse(listOf(json('funding'), json('fundingOfFourHours')));
    expect(rates.rows).toEqual([
      {
        symbol: 'BTCUSDT',
        rate: 0.0000616430459607,
        hours: 8,
        settled: { symbol: 'BTCUSDT', time: 1_785_542_400_000, rate: 0.0000539822210069 },
      },
      { symbol: 'TRBUSDT', rate: -0.0031, hours: 4, settled: undefined },
    ]);
  });

  it('an interval that no market has is unknown, so that no answer with it is malformed', () => {
    const funding = json('fundingOfFourHours');
    const hoursAfter = (ms: number) => {
      const nextFundingTime = String(Number(funding.fundingTime) + ms);
      return payload.fundingRates(wanted).parse(listOf({ ...funding, nextFundingTime })).rows[0]?.hours;
    };
    expect([0.5, 1, 2, 8, 24, 48, 0, -8].map((hours) => hoursAfter(hours * hour))).toEqual([
      ...[0, 1, 2, 8, 24],
      ...[0, 0, 0],
    ]);
  });

  it('settlements ascend, at the rate that was paid', () => {
    expect(payload.settlements(btc).parse(json('settlements')).rows).toEqual([
      { symbol: 'BTCUSDT', time: 1_704_038_400_000, rate: -0.00002 },
      { symbol: 'BTCUSDT', time: 1_704_067_200_000, rate: 0.00015 },
    ]);
  });

  it('a ratio of longs to shorts becomes the longs’ share', () => {
    const time = 1_701_417_600_000 + hour;
    expect(payload.ratios(btc, hour).parse(json('ratios')).rows).toEqual([
      { symbol: 'BTCUSDT', time, longRatio: 0.1236 / (1 + 0.1236) },
      { symbol: 'BTCUSDT', time, longRatio: 1.1739 / (1 + 1.1739) },
    ]);
  });
});

describe('coins that the archive counts in thousands', () => {
  const pepe = { symbol: '1000PEPEUSDT', coins: 1_000 };
  it('prices are multiplied by a thousand, and quantities divided', () => {
    const [candle] = payload
      .candles(pepe)
      .parse(listOf(['0', '0.000004', '0.000005', '0.000003', '0.0000045', '2', '20000000', '90', '1'])).rows;
    expect(candle).toMatchObject({ open: 0.004, volume: 20_000, quoteVolume: 90 });
    const interest = { instId: 'PEPE-USDT-SWAP', oi: '3', oiCcy: '30000000', oiUsd: '120', ts: '0' };
    expect(payload.openInterests(wanted, 5).parse(listOf(interest)).rows).toEqual([
      { symbol: '1000PEPEUSDT', time: 5, contracts: 30_000, valueUsd: 120 },
    ]);
    const mark = { instId: 'PEPE-USDT-SWAP', markPx: '0.0000045', ts: '0' };
    expect(payload.markPrices(wanted).parse(listOf(mark)).rows[0]?.price).toBeCloseTo(0.0045, 9);
  });

  it('every perpetual against USDT is found again by its pair', () => {
    const coin = fc.oneof(
      fc.stringMatching(/^[A-Z][A-Z0-9]{0,8}$/),
      fc.constantFrom('PEPE', 'MOG', 'BABYDOGE'),
    );
    fc.assert(
      fc.property(
        coin,
        (name) => nameOf(contractOf(`${name}-USDT-SWAP`)?.pair ?? '') === `${name}-USDT-SWAP`,
      ),
    );
    expect(['BTC-USD-SWAP', 'BTC-USDT', 'BTC-USDT-260626'].map(contractOf)).toEqual(Array(3).fill(undefined));
    expect([indexOf('1000PEPEUSDT'), coinsIn('1000PEPEUSDT'), coinsIn('BTCUSDT')]).toEqual([
      'PEPE-USDT',
      1_000,
      1,
    ]);
  });
});

describe('liquidations', () => {
  const reading = (sizes: ContractSizes = new Map()) => ({
    sizes,
    onDropped: vi.fn<(example: string) => void>(),
    onUnsized: vi.fn<(contract: string) => void>(),
  });
  const event = (...data: readonly unknown[]) =>
    JSON.stringify({ arg: { channel: 'liquidation-orders', instType: 'SWAP' }, data });
  const detail = { bkPx: '82655.7', side: 'sell', posSide: 'long', sz: '8.55', ts: '1791565600771' };
  const btcRow = {
    symbol: 'BTCUSDT',
    time: 1_791_565_600_771,
    side: 'LONG',
    price: 82_655.7,
    quantity: expect.closeTo(0.0855, 9),
  };

  it('sizes are in contracts, whose worth is known before or pushed when it changes; a sold position was long', () => {
    const known = reading(new Map([['BTC-USDT-SWAP', 0.01]]));
    expect(readLiquidations(recorded.liquidation, known)).toEqual([btcRow]);
    const pushed = reading();
    expect(readLiquidations(recorded.contracts, pushed)).toEqual([]);
    expect(readLiquidations(recorded.liquidation, pushed)).toEqual([btcRow]);
    const net = recorded.liquidation.replace(
      '"posSide":"long","side":"sell"',
      '"posSide":"net","side":"buy"',
    );
    expect(readLiquidations(net, known)).toMatchObject([{ side: 'SHORT' }]);
  });

  it.each<[string, object]>([
    ['a contract of unknown size', { instId: 'NEW-USDT-SWAP', details: [detail] }],
    ['nothing liquidated', { instId: 'BTC-USDT-SWAP', details: [{ ...detail, sz: '0' }] }],
    ['no price', { instId: 'BTC-USDT-SWAP', details: [{ ...detail, bkPx: '' }] }],
    ['a price of 0', { instId: 'BTC-USDT-SWAP', details: [{ ...detail, bkPx: '0' }] }],
    ['no details', { instId: 'BTC-USDT-SWAP', details: null }],
  ])('%s costs its own row and not its message', (_, row) => {
    const known = reading(new Map([['BTC-USDT-SWAP', 0.01]]));
    const text = event(row, { instId: 'BTC-USDT-SWAP', details: [detail] });
    expect(readLiquidations(text, known)).toEqual([btcRow]);
  });

  it('other quote currencies, acknowledgements and pongs give none; a refused subscription is reported', () => {
    const inverse = recorded.liquidation.replace('"instId":"BTC-USDT-SWAP"', '"instId":"BTC-USD-SWAP"');
    const acknowledged = '{"event":"subscribe","arg":{"channel":"liquidation-orders","instType":"SWAP"}}';
    expect(['pong', acknowledged, inverse].flatMap((text) => readLiquidations(text, reading()))).toEqual([]);
    expect(() => readLiquidations(recorded.refused, reading())).toThrow(/doesn't exist/);
  });
});

it.each<[string, number, string, number]>([
  ['well', 200, recorded.settlements, 200],
  ['an unknown instrument', 200, recorded.unknown, 400],
  ['too many, whatever the order of its fields', 200, recorded.tooMany, 429],
  ['its servers are busy', 200, '{"code":"50013","msg":"Systems are busy","data":[]}', 500],
  ['a status of its own', 451, '', 451],
])('an error is in the body: %s', (_, status, text, meant) => {
  expect(payload.effectiveStatus({ status, text })).toBe(meant);
});

it.each<[string, object]>([
  ['one of a category nobody knows', { instCategory: '9' }],
  ['one against another coin', { instId: 'ETH-EUR-SWAP' }],
  ['one before its market', { ruleType: 'pre_market' }],
  ['one for tests', { state: 'test' }],
])('%s is not listed', (_, given) => {
  const [, eth] = json('instruments').data;
  expect(payload.listings.parse(listOf({ ...eth, ...given })).rows).toEqual([]);
});

it.each([
  ['a coin', { instCategory: '1' }, { symbol: 'ETHUSDT', kind: undefined }],
  ['one against USDC', { instId: 'ETH-USDC-SWAP' }, { symbol: 'ETHUSDC', kind: undefined }],
  ['a stock', { instCategory: '3' }, { symbol: 'ETHUSDT', kind: 'STOCK' }],
  ['gold', { instCategory: '4' }, { symbol: 'ETHUSDT', kind: 'COMMODITY' }],
  ['a currency', { instCategory: '5' }, { symbol: 'ETHUSDT', kind: 'OTHER' }],
])('%s is listed as what it is', (_, given, listed) => {
  const [, eth] = json('instruments').data;
  expect(payload.listings.parse(listOf({ ...eth, ...given })).rows).toMatchObject([listed]);
});

it.each(['suspend', 'rebase', 'post_only'])('one in the state %s stays listed', (state) => {
  const [, eth] = json('instruments').data;
  expect(payload.listings.parse(listOf({ ...eth, state })).rows).toMatchObject([{ symbol: 'ETHUSDT' }]);
});

it('one that has no category before it opens is listed as one to come', () => {
  const [, eth] = json('instruments').data;
  const given = { ...eth, state: 'preopen', instCategory: '', ctVal: '' };
  expect(payload.listings.parse(listOf(given)).rows).toMatchObject([{ symbol: 'ETHUSDT', state: 'PENDING' }]);
  expect(payload.listings.parse(listOf({ ...given, state: 'live' })).rows).toEqual([]);
});

it('a listing says whether it is traded already, and when it ends', () => {
  const [, eth] = json('instruments').data;
  const given = { ...eth, state: 'preopen', expTime: '1790928000000' };
  expect(payload.listings.parse(listOf(given, { ...eth, state: 'suspend' })).rows).toEqual([
    { symbol: 'ETHUSDT', listed: 1_573_557_408_000, state: 'PENDING', ends: 1_790_928_000_000 },
    { symbol: 'ETHUSDT', listed: 1_573_557_408_000 },
  ]);
});

it.each([
  ['BTC-USDC-SWAP', 'BTCUSDC', 'BTC-USDC'],
  ['PEPE-USDC-SWAP', '1000PEPEUSDC', 'PEPE-USDC'],
])('%s is the pair %s, and has the index %s', (name, pair, index) => {
  expect([contractOf(name)?.pair, nameOf(pair), indexOf(pair)]).toEqual([pair, name, index]);
});
