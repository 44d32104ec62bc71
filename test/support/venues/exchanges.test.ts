import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import type { z } from 'zod';
import { marketClock } from '#src/runtime/clock.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import type { Market, SimulatedOutage } from '#src/service/simulation/market.ts';
import { syntheticMarket } from '#src/service/simulation/synthetic.ts';
import { describeWith, recordings } from '#test/support/needs.ts';
import { type SimulatedExchanges, startExchanges } from '#test/support/venues/exchanges.ts';
import type { Fault } from '#test/support/venues/fault.ts';
import { binancePayloads, chainRow, forceOrder } from './payloads.ts';

const made = syntheticMarket({ seed: 11, symbols: 30 });
const begin = Date.parse('2023-03-10T10:07:30.000Z');

let outage: SimulatedOutage | undefined;
let fault: ((path: string) => Fault | undefined) | undefined;
const market: Market = { ...made, outages: () => (outage === undefined ? [] : [outage]) };
const wall = { time: 0, now: () => wall.time };
const clock = marketClock(wall, { market: begin, wall: 0, speed: 240 });
let exchanges: SimulatedExchanges;

// Market time never runs backwards in one exchange, so each test has its own exchange over the shared market.
beforeEach(async () => {
  wall.time = 0;
  outage = undefined;
  fault = undefined;
  exchanges = await startExchanges({ market, clock, wall, fault: (path) => fault?.(path) });
});
afterEach(() => exchanges.close());

const ask = async (path: string) => {
  const response = await fetch(exchanges.urls.venues.binance?.rest + path);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
};
/** Returns the answer with the type that the test expects; the schemas check its shape. */
const json = async <Answer = unknown>(path: string): Promise<Answer> => JSON.parse((await ask(path)).text);
type Kline = [number, ...string[]];

describe('payloads', () => {
  it.each(Object.entries(binancePayloads))('%s has the shape Binance documents', async (path, schema) => {
    schema.parse(await json(path));
  });

  it.each([
    ...Object.keys(binancePayloads),
    '/bybit/v5/market/tickers?category=linear',
    '/okx/api/v5/public/instruments?instType=SWAP',
    '/fapi/v1/klines?symbol=NOPE&interval=1h',
    '/nowhere',
  ])('%s is answered within this thread as over the network', async (path) => {
    const there = await ask(path);
    const { signal } = new AbortController();
    const target = new URL(exchanges.urls.venues.binance?.rest + path);
    const here = await exchanges.transport.get(path, { target, signal });
    expect({ status: here.status, text: here.text }).toEqual({ status: there.status, text: there.text });
    expect(here.text.length).toBeGreaterThan(0);
  });

  it('a posted request is answered within this thread as over the network', async () => {
    const target = new URL(`${exchanges.urls.venues.hyperliquid?.rest}/info`);
    const post = JSON.stringify({ type: 'metaAndAssetCtxs' });
    const there = await fetch(target, {
      method: 'POST',
      body: post,
      headers: { 'content-type': 'application/json' },
    });
    const here = await exchanges.transport.get('info', {
      target,
      post,
      signal: new AbortController().signal,
    });
    expect([here.status, here.text]).toEqual([there.status, await there.text()]);
    expect(here.status).toBe(200);
  });

  it('get_book_summary_by_currency has the shape Deribit documents, mark_iv in percent', async () => {
    const { jsonrpc, result } = await json<{
      jsonrpc: string;
      result: (z.output<typeof chainRow> & { mark_iv: number })[];
    }>('/api/v2/public/get_book_summary_by_currency?currency=ETH&kind=option');
    expect(jsonrpc).toBe('2.0');
    expect(result.length).toBeGreaterThan(300);
    for (const row of result) {
      chainRow.parse(row);
      expect(row.mark_iv).toBeGreaterThan(10);
      expect(row.mark_iv).toBeLessThan(400);
    }
    const expiries = new Set(result.map((row) => row.underlying_index));
    expect(expiries.size).toBeGreaterThan(7);
    expect([...expiries]).toContain('ETH-31MAR23');
  });

  it('alternative.me answers the newest first, as text', async () => {
    const { data } = await json<{ data: { value: string; timestamp: string }[] }>('/fng/?limit=3');
    expect(data).toHaveLength(3);
    expect(Number(data[0]?.timestamp)).toBeGreaterThan(Number(data[1]?.timestamp));
    expect(data[0]?.value).toMatch(/^\d+$/);
  });

  it('stablecoins answer the whole history', async () => {
    const rows = await json<{ totalCirculatingUSD: { peggedUSD: number } }[]>('/stablecoincharts/all');
    expect(rows).toHaveLength(69);
    expect(rows[0]?.totalCirculatingUSD.peggedUSD).toBeGreaterThan(1e11);
  });

  it('lists not only coins, but also instruments that must be filtered out', async () => {
    const { symbols } = await json<{ symbols: Record<string, string>[] }>('/fapi/v1/exchangeInfo');
    const kinds = symbols.map((row) => [row.contractType, row.status, row.quoteAsset].join(' '));
    expect(new Set(kinds)).toEqual(
      new Set([
        'PERPETUAL TRADING USDT',
        'CURRENT_QUARTER TRADING USDT',
        'TRADIFI_PERPETUAL TRADING USDT',
        ' PENDING_TRADING USDT',
        'PERPETUAL SETTLING USDT',
        'PERPETUAL TRADING USDC',
      ]),
    );
  });
});

describeWith('../shared/market-data', 'the same schemas hold for real recordings', () => {
  it('the Deribit chain', async () => {
    const text = await readFile(join(recordings, 'deribit_eth_option_chain_2024-01-08.csv'), 'utf8');
    const [header = '', ...lines] = text.trim().split('\n');
    const names = header.trim().split(',');
    const texts = new Set(['instrument_name', 'quote_currency', 'base_currency', 'underlying_index']);
    for (const line of lines) {
      const values = line.trim().split(',');
      const row = names.map((name, index) => {
        const value = values[index] ?? '';
        return [name, texts.has(name) ? value : value === '' ? null : Number(value)];
      });
      chainRow.parse(Object.fromEntries(row));
    }
    expect(lines).toHaveLength(684);
  });
});

describe('limits and windows', () => {
  it.each([
    ['/fapi/v1/klines?symbol=BTCUSDT&interval=1h', 500],
    ['/fapi/v1/klines?symbol=BTCUSDT&interval=1h&limit=1500', 1500],
    ['/fapi/v1/fundingRate?symbol=BTCUSDT', 100],
    ['/fapi/v1/fundingRate?symbol=BTCUSDT&limit=1000', 205],
    ['/futures/data/openInterestHist?symbol=BTCUSDT&period=5m', 30],
    ['/futures/data/openInterestHist?symbol=BTCUSDT&period=5m&limit=500', 500],
  ])('%s answers %i rows', async (path, count) => {
    expect(await json(path)).toHaveLength(count);
  });

  it.each([
    ['an unknown symbol', '/fapi/v1/klines?symbol=NOPE&interval=1h', -1121],
    ['no symbol', '/fapi/v1/klines?interval=1h', -1102],
    ['an unknown interval', '/fapi/v1/klines?symbol=BTCUSDT&interval=7h', -1120],
    ['a limit above the most', '/fapi/v1/klines?symbol=BTCUSDT&interval=1h&limit=1501', -1130],
    ['a limit that is no number', '/fapi/v1/fundingRate?limit=many', -1130],
    ['a time before the epoch', '/fapi/v1/fundingRate?startTime=-5', -1130],
    ['no period', '/futures/data/openInterestHist?symbol=BTCUSDT', -1102],
    ['a page above 500', '/futures/data/openInterestHist?symbol=BTCUSDT&period=5m&limit=501', -1130],
  ])('%s is refused in Binance’s words', async (_, path, code) => {
    const { status, text } = await ask(path);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toEqual({ code, msg: expect.any(String) });
  });

  it('an unknown path is 404', async () => expect((await ask('/fapi/v1/nope')).status).toBe(404));

  it('startTime answers from there on, endTime alone the newest up to there', async () => {
    const from = begin - 20 * day;
    const first = await json<Kline[]>(`/fapi/v1/klines?symbol=ETHUSDT&interval=1h&startTime=${from}&limit=3`);
    const start = Math.ceil(from / hour) * hour;
    expect(first.map(([time]) => time)).toEqual([start, start + hour, start + 2 * hour]);
    const last = await json<Kline[]>(`/fapi/v1/klines?symbol=ETHUSDT&interval=1h&endTime=${from}&limit=3`);
    expect(last.map(([time]) => time)).toEqual([start - 3 * hour, start - 2 * hour, start - hour]);
  });

  it('joined pages are complete, without gaps or duplicates', async () => {
    const rows: Kline[] = [];
    for (let from = 0; ; from = (rows.at(-1)?.[0] ?? 0) + 1) {
      const page = await json<Kline[]>(
        `/fapi/v1/klines?symbol=SOLUSDT&interval=1h&startTime=${from}&limit=400`,
      );
      rows.push(...page);
      if (page.length < 400) break;
    }
    expect(rows.map(([time]) => time)).toEqual(
      Array.from({ length: rows.length }, (_, index) => market.earliest + index * hour),
    );
    expect(rows.at(-1)?.[0]).toBe(Math.floor(begin / hour) * hour);
  });

  it('a daily candle is its 24 hourly ones', async () => {
    const from = Math.floor(begin / day) * day - day;
    const [dayRow = [0]] = await json<Kline[]>(
      `/fapi/v1/klines?symbol=BTCUSDT&interval=1d&startTime=${from}&limit=1`,
    );
    const hours = await json<Kline[]>(
      `/fapi/v1/klines?symbol=BTCUSDT&interval=1h&startTime=${from}&limit=24`,
    );
    const column = (index: number): number[] => hours.map((row) => Number(row[index]));
    expect(dayRow[1]).toBe(hours[0]?.[1]);
    expect(dayRow[4]).toBe(hours[23]?.[4]);
    expect(Number(dayRow[2])).toBe(Math.max(...column(2)));
    expect(Number(dayRow[3])).toBe(Math.min(...column(3)));
    expect(Number(dayRow[5])).toBeCloseTo(
      column(5).reduce((sum, value) => sum + value, 0),
      3,
    );
  });

  it('open interest reaches back one month, and a page that begins before is refused as a whole', async () => {
    const first = begin - 30 * day;
    const path = `/futures/data/openInterestHist?symbol=BTCUSDT&period=5m&startTime=${first}&limit=1`;
    const [row] = await json<{ timestamp: number }[]>(path);
    const { status, text } = await ask(path.replace(String(first), String(first - 1)));
    expect([status, JSON.parse(text).code]).toEqual([400, -1130]);
    expect(row?.timestamp).toBe(Math.ceil((begin - 30 * day) / (5 * minute)) * 5 * minute);
  });

  it('fundingRate without a symbol is of all symbols, by time', async () => {
    const settlement = Date.parse('2023-03-10T08:00:00.000Z');
    const rows = await json<{ symbol: string; fundingTime: number; rateType: string }[]>(
      `/fapi/v1/fundingRate?startTime=${settlement}&endTime=${settlement + 100}&limit=1000`,
    );
    const coins = new Set(market.instruments.map(({ symbol }) => symbol));
    expect(rows.filter(({ symbol }) => coins.has(symbol))).toHaveLength(30);
    // Binance's other markets are among them, and the dividends of stocks, which are not funding.
    expect(rows.map(({ symbol }) => symbol)).toEqual(expect.arrayContaining(['BTCUSDC', 'TSLAUSDT']));
    expect(rows.filter(({ rateType }) => rateType === 'Special')).toHaveLength(1);
    for (const { fundingTime } of rows) expect(Math.floor(fundingTime / 1000) * 1000).toBe(settlement);
  });

  it('tells the weight used within the wall minute', async () => {
    const used = async (path: string) => Number((await ask(path)).headers.get('x-mbx-used-weight-1m'));
    wall.time = 10 * minute;
    expect(await used('/fapi/v1/time')).toBe(1);
    expect(await used('/fapi/v1/klines?symbol=BTCUSDT&interval=1h&limit=1500')).toBe(11);
    wall.time = 11 * minute;
    expect(await used('/fapi/v1/time')).toBe(1);
  });
});

describe('beyond the present', () => {
  const far = begin + 30 * day;
  const timesOf = (value: unknown): number[] => {
    if (typeof value === 'number') return value > 1.6e12 && value < 4e12 ? [value] : [];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(timesOf) : [];
  };

  it.each([
    `/fapi/v1/fundingRate?startTime=${begin - day}&endTime=${far}&limit=1000`,
    `/futures/data/openInterestHist?symbol=BTCUSDT&period=5m&startTime=${begin - hour}&endTime=${far}&limit=500`,
    `/futures/data/topLongShortPositionRatio?symbol=BTCUSDT&period=15m&startTime=${begin - hour}&endTime=${far}`,
  ])('%s', async (path) => {
    const times = timesOf(await json(path));
    expect(times.length).toBeGreaterThan(0);
    expect(Math.max(...times)).toBeLessThanOrEqual(begin);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('the running candle covers the hour so far, and ends equal to the complete one', async () => {
    const path = `/fapi/v1/klines?symbol=BTCUSDT&interval=1h&startTime=${Math.floor(begin / hour) * hour}&limit=1`;
    const [running = [0]] = await json<Kline[]>(path);
    expect(Number(running[4])).toBe(made.price('BTCUSDT', begin));
    wall.time = hour / 240;
    const [complete = [0]] = await json<Kline[]>(path);
    expect(complete[0]).toBe(running[0]);
    expect(complete[1]).toBe(running[1]);
    expect(Number(complete[2])).toBeGreaterThanOrEqual(Number(running[2]));
    expect(Number(complete[3])).toBeLessThanOrEqual(Number(running[3]));
    expect(Number(complete[5])).toBeGreaterThan(Number(running[5]));
  });
});

/** Opens a socket and collects its messages; `until` waits for them. */
const listen = async (path: string) => {
  const socket = new WebSocket(exchanges.urls.venues.binance?.stream + path);
  onTestFinished(() => socket.terminate());
  const messages: unknown[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(data.toString())));
  await once(socket, 'open');
  const until = async (enough: (messages: unknown[]) => boolean) => {
    while (!enough(messages)) await once(socket, 'message');
    return messages;
  };
  return { messages, until };
};
/** Listens to what comes whatever happens to the stream of liquidations. */
const listenToPrices = () => listen('/market/stream?streams=!miniTicker@arr/!markPrice@arr@1s');
const ordersOf = (messages: unknown[]) =>
  messages.flatMap((message) => forceOrder.safeParse(message).data ?? []);

describe('streams', () => {
  it('the liquidation stream is the market’s, in order, with COIN-M mixed in', async () => {
    const { until } = await listen('/market/ws/!forceOrder@arr');
    wall.time = (3 * hour) / 240;
    // The first tick after the jump sends at most the last hour: a socket replays nothing.
    const due = made.liquidations(begin + 2 * hour + 1, begin + 3 * hour);
    const mine = (messages: unknown[]) => ordersOf(messages).filter(({ st }) => st === 1);
    const orders = mine(await until((messages) => mine(messages).length >= due.length));
    expect(
      orders.map(({ o }) => ({
        symbol: o.s,
        time: o.T,
        side: o.S === 'SELL' ? 'LONG' : 'SHORT',
        price: Number(o.ap),
        quantity: Number(o.z),
      })),
    ).toEqual(due);
  });

  it('prices are those of REST; of the traded markets as tickers, of all as marks', async () => {
    const { until } = await listenToPrices();
    wall.time = minute / 240;
    const said = (await until((messages) => messages.length >= 2)) as {
      stream: string;
      data: { s: string; c?: string; p?: string }[];
    }[];
    const told = said.map(({ stream, data }) => [
      stream,
      data.find(({ s: symbol }) => symbol === '牛来USDT'),
    ]);
    const [mark] = (await json<{ markPrice: string; symbol: string }[]>('/fapi/v1/premiumIndex')).filter(
      ({ symbol }) => symbol === '牛来USDT',
    );
    const ticker = await json<{ lastPrice: string }>(
      `/fapi/v1/ticker/24hr?symbol=${encodeURIComponent('牛来USDT')}`,
    );
    expect(told).toEqual([
      ['!miniTicker@arr', expect.objectContaining({ e: '24hrMiniTicker', c: ticker.lastPrice })],
      ['!markPrice@arr@1s', expect.objectContaining({ e: 'markPriceUpdate', p: mark?.markPrice })],
    ]);
  });

  it('the routes from before 2026 and the wrong route accept a connection and stay silent', async () => {
    const former = await listen('/ws/!forceOrder@arr');
    const wrong = await listen('/public/ws/!forceOrder@arr');
    const right = await listen('/market/ws/!forceOrder@arr');
    wall.time = hour / 240;
    await right.until((messages) => ordersOf(messages).length > 5);
    expect([former.messages, wrong.messages]).toEqual([[], []]);
  });
});

describe('faults', () => {
  it.each([
    ['binance', ['/fapi/v1/time', '/futures/data/openInterestHist?symbol=BTCUSDT&period=5m'], '/fng/'],
    ['openInterest', ['/futures/data/openInterestHist?symbol=BTCUSDT&period=5m'], '/fapi/v1/time'],
    ['deribit', ['/api/v2/public/get_book_summary_by_currency?currency=BTC&kind=option'], '/fapi/v1/time'],
    ['liquidations', [], '/fapi/v1/time'],
  ] as const)('an outage of %s answers 503 there and nowhere else', async (upstream, dead, alive) => {
    outage = { upstream, from: begin - minute, to: begin + minute };
    for (const path of dead) expect((await ask(path)).status).toBe(503);
    expect((await ask(alive)).status).toBe(200);
  });

  it('an outage of liquidations silences their stream', async () => {
    const { messages } = await listen('/market/ws/!forceOrder@arr');
    const witness = await listenToPrices();
    outage = { upstream: 'liquidations', from: begin - hour, to: begin + day };
    wall.time = hour / 240;
    await witness.until((said) => said.length > 0);
    expect(messages).toEqual([]);
    expect(made.liquidations(begin, begin + hour).length).toBeGreaterThan(5);
  });
});
