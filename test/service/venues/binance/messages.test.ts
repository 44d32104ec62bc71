import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseForceOrders } from '#src/service/venues/binance/messages.ts';
import { describeWith, recordings } from '#test/support/needs.ts';

const event = (order: object = {}, extra: object = {}) => ({
  e: 'forceOrder',
  E: 1568014460893,
  ...extra,
  o: {
    s: 'BTCUSDT',
    S: 'SELL',
    o: 'LIMIT',
    f: 'IOC',
    q: '0.014',
    p: '9910',
    ap: '9905.5',
    X: 'FILLED',
    l: '0.002',
    z: '0.014',
    T: 1568014460893,
    ...order,
  },
});
const row = { symbol: 'BTCUSDT', time: 1568014460893, side: 'LONG', price: 9905.5, quantity: 0.014 };

describe('the liquidation stream', () => {
  it.each([
    ['SELL closed a LONG; price is ap, quantity z, time T', event(), [row]],
    ['BUY closed a SHORT', event({ S: 'BUY' }), [{ ...row, side: 'SHORT' }]],
    ['wrapped by a combined stream', { stream: '!forceOrder@arr', data: event() }, [row]],
    ['several in a list', [event(), event()], [row, row]],
    ['st 1 is USD-M', event({}, { st: 1 }), [row]],
    ['st 2 is COIN-M: not ours', event({}, { st: 2 }), []],
    ['st within the order counts likewise', event({ st: 2 }), []],
    ['an acknowledgement holds none', { result: null, id: 1 }, []],
    ['another event holds none', { e: 'markPriceUpdate', p: '1' }, []],
    ['null holds none', null, []],
    ['one that nothing of was filled yet is none', event({ ap: '0', z: '0' }), []],
    ['one without a price costs its own row', [event({ ap: '0' }), event()], [row]],
  ])('%s', (_, message, expected) => {
    expect(parseForceOrders(JSON.stringify(message))).toEqual(expected);
  });

  it.each([
    ['a price that is a number', event({ ap: 9905.5 })],
    ['a side that is neither', event({ S: 'HOLD' })],
    ['no order', { e: 'forceOrder' }],
    ['an empty quantity', event({ z: '' })],
  ])('an invalid liquidation is an error: %s', (_, message) => {
    expect(() => parseForceOrders(JSON.stringify(message))).toThrow();
  });

  it('any JSON gives rows or an error of this parser', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseForceOrders(text)).toEqual([]);
      }),
    );
  });
});

describeWith('../shared/market-data', 'a recorded stream', () => {
  it('4,000 lines of other streams are read and contain none', () => {
    const file = join(recordings, 'binance_usdm_raw_stream_btcusdt_20240808.ndjson.gz');
    const lines = gunzipSync(readFileSync(file)).toString().trim().split('\n');
    expect(lines).toHaveLength(4_000);
    expect(lines.flatMap((line) => parseForceOrders(line.slice(line.indexOf(' ') + 1)))).toEqual([]);
  });
});
