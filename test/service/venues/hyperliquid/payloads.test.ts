import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wallClock } from '#src/runtime/clock.ts';
import { openHyperliquid } from '#src/service/venues/hyperliquid/client.ts';
import * as payload from '#src/service/venues/hyperliquid/payloads.ts';
import { coinOf, symbolOf } from '#src/service/venues/hyperliquid/symbols.ts';
import { recorded } from '../../../fixtures/hyperliquid-payloads.ts';

const json = (name: keyof typeof recorded): unknown => JSON.parse(recorded[name]);

describe('recorded payloads of Hyperliquid', () => {
  it('perpetuals now: open interest in coins, funding an hour; a delisted one is named as one', () => {
    expect(payload.contexts.parse(json('contexts'))).toMatchObject({
      dropped: 0,
      rows: [
        {
          symbol: 'BTCUSDT',
          number: 0,
          markPrice: 81_327.7,
          indexPrice: 81_293,
          rate: 0.0000125,
          contracts: 42_602.10526,
          volume: 3_042_689_368.5903397,
        },
        { symbol: 'ETHUSDT' },
        { symbol: '1000PEPEUSDT', number: 3, markPrice: 0.003844, contracts: 9_503_644_164 },
      ],
      ended: [{ symbol: 'MATICUSDT', number: 2 }],
    });
  });

  it('margin tiers: maintenance is half of the least initial margin; a table of one tier is not listed', () => {
    const of = (coin: string) => payload.marginTiers(coin).parse(json('meta'));
    expect(of('BTC')).toEqual({
      unit: 'USD',
      tiers: [
        { upTo: 150_000_000, maintenanceRate: 0.0125, maxLeverage: 40 },
        { maintenanceRate: 0.025, maxLeverage: 20 },
      ],
    });
    expect(of('XMR')?.tiers).toEqual([{ maintenanceRate: 0.1, maxLeverage: 5 }]);
    expect([of('MATIC'), of('NOSUCH')]).toEqual([undefined, undefined]);
  });

  it('settlements have their exact hour, even if they were stamped some milliseconds later', () => {
    expect(payload.settlements('BTCUSDT').parse(json('settlements')).rows).toEqual([
      { symbol: 'BTCUSDT', time: 1_777_428_000_000, rate: 0.0000009372 },
      { symbol: 'BTCUSDT', time: 1_777_431_600_000, rate: -0.0000093058 },
    ]);
  });

  it('a candle contains nothing about takers: half of its volume is assumed', () => {
    expect(payload.candles('X').parse(json('candles')).rows).toEqual([
      {
        symbol: 'X',
        time: 1_786_192_200_000,
        open: 329.51,
        high: 329.58,
        low: 329.47,
        close: 329.55,
        volume: 43.237,
        takerBuy: 21.6185,
        quoteVolume: expect.closeTo(43.237 * 329.5275, 6),
      },
    ]);
  });

  it('the server time', () => {
    expect(payload.status.parse(json('status'))).toBe(1_788_312_923_270);
  });

  it('the best quotes; a one-sided book gives none, and neither does an acknowledgement', () => {
    const [top] = payload.parseQuotes(recorded.quote);
    expect(top).toEqual({
      symbol: 'BTCUSDT',
      bidPrice: 81_213,
      askPrice: 81_214,
      imbalance: expect.closeTo((15.8 - 2.4) / 18.2, 9),
    });
    expect(payload.parseQuotes(recorded.halfQuote)).toEqual([]);
    expect(payload.parseQuotes('{"channel":"pong"}')).toEqual([]);
    const acknowledged = { channel: 'subscriptionResponse', data: { method: 'subscribe' } };
    expect(payload.parseQuotes(JSON.stringify(acknowledged))).toEqual([]);
    expect(() => payload.parseQuotes('{"channel":"error","data":"Invalid subscription"}')).toThrow(
      /Invalid subscription/,
    );
  });
});

describe('odd answers', () => {
  it('two lists of different length are refused, because coins would get each other’s numbers', () => {
    const [meta, contexts] = json('contexts') as [object, unknown[]];
    expect(() => payload.contexts.parse([meta, contexts.slice(1)])).toThrow(/differ in length/);
  });

  it.each([
    ['is missing', []],
    ['has none', [[56, { marginTiers: [] }]]],
    ['begins above 0', [[56, { marginTiers: [{ lowerBound: '1.0', maxLeverage: 40 }] }]]],
  ])(
    'a table of margin tiers that %s is refused, because the smallest margin would be guessed',
    (_, marginTables) => {
      const meta = { universe: [{ name: 'BTC', maxLeverage: 40, marginTableId: 56 }], marginTables };
      expect(payload.marginTiers('BTC').safeParse(meta).success).toBe(false);
    },
  );

  it('one row without a price is dropped, and the others keep their positions', () => {
    const [meta, [, ...contexts]] = json('contexts') as [object, unknown[]];
    const { rows, dropped } = payload.contexts.parse([meta, [null, ...contexts]]);
    expect([rows.map(({ symbol }) => symbol), dropped]).toEqual([['ETHUSDT', '1000PEPEUSDT'], 1]);
  });
});

it('a market without a price is in no list of prices: 0 says that there is none', async () => {
  const [meta, [first, ...contexts]] = json('contexts') as [object, object[]];
  const text = JSON.stringify([meta, [{ ...first, markPx: '0.0' }, ...contexts]]);
  const { signal } = new AbortController();
  const transport = { get: async () => ({ status: 200, headers: {}, text }), close: async () => {} };
  const client = openHyperliquid({ url: 'http://x', wall: wallClock, signal, transport });
  const wanted = ['BTCUSDT', 'ETHUSDT'];
  expect((await client.marks(wanted, 5)).map(({ symbol }) => symbol)).toEqual(['ETHUSDT']);
  expect((await client.openInterest(wanted, 5)).map(({ symbol }) => symbol)).toEqual(['ETHUSDT']);
});

it('every listed coin with a pair is found again by that pair', () => {
  const name = fc.stringMatching(/^(k?[A-Z]|[02-9])[A-Z0-9]{0,8}$/);
  fc.assert(fc.property(name, (coin) => coinOf(symbolOf(coin) ?? '') === coin));
  expect(['0G', '2Z', '4', '1INCH'].map(symbolOf)).toEqual(['0GUSDT', '2ZUSDT', '4USDT', '1INCHUSDT']);
  expect(['@107', 'xyz:TSLA', 'FRIEND-OTB', '1000X'].map(symbolOf)).toEqual(Array(4).fill(undefined));
});

describe('one bad row costs that row', () => {
  const [meta, all] = json('contexts') as [{ universe: readonly object[] }, readonly object[]];
  it.each<[string, object, number]>([
    ['a coin whose delisting is null is traded', { isDelisted: null }, 0],
    ['a coin without a name is left out', { name: null }, 1],
  ])('%s', (_, entry, dropped) => {
    const [first, ...rest] = meta.universe;
    const parsed = payload.contexts.parse([{ ...meta, universe: [{ ...first, ...entry }, ...rest] }, all]);
    expect(parsed.dropped).toBe(dropped);
    expect(parsed.rows.map(({ number }) => number).slice(0, 2)).toEqual(dropped === 0 ? [0, 1] : [1, 3]);
  });

  it('a book of nothing holds no quote', () => {
    expect(payload.parseQuotes('{"channel":"bbo","data":{"coin":"BTC","time":1,"bbo":null}}')).toEqual([]);
    expect(payload.parseQuotes('{"channel":"bbo","data":{"coin":"BTC","time":1,"bbo":[null,null]}}')).toEqual(
      [],
    );
  });

  it('a coin that nobody holds has a mark and no open interest', () => {
    const [first, ...rest] = all;
    const { rows } = payload.contexts.parse([meta, [{ ...first, openInterest: '0.0' }, ...rest]]);
    expect(rows[0]).toMatchObject({ symbol: 'BTCUSDT', markPrice: expect.any(Number) });
    expect(rows[0]?.contracts).toBeUndefined();
  });
});
