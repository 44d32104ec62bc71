import { WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { hour, minute, second } from '#src/runtime/units.ts';
import type { Liquidation } from '#src/service/archive/archive.ts';
import type { Instrument, Market } from '#src/service/simulation/market.ts';
import type { Fault } from '../fault.ts';
import { parsed, type Sockets } from '../sockets.ts';
import { untradedInstruments } from './exchange-info.ts';

/** Which streams a URL carries since 2026. URLs from before (`former`) and URLs of the wrong route never send an event. */
type Route = 'market' | 'public' | 'former';

interface Subscriber {
  readonly socket: WebSocket;
  readonly route: Route;
  /** Whether each message is wrapped together with the name of its stream. */
  readonly combined: boolean;
  readonly streams: Set<string>;
  readonly fault: Fault | undefined;
}

const request = z.object({
  method: z.enum(['SUBSCRIBE', 'UNSUBSCRIBE', 'LIST_SUBSCRIPTIONS']),
  params: z.array(z.string()).default([]),
  id: z.union([z.number(), z.string(), z.null()]),
});

const pathPattern = /^(?:\/(market|public))?\/(ws|stream)(?:\/(.+))?$/;

/** Wall ms between two ticks. At a high speed these are many market seconds; all events of that time are sent. */
const interval = 50;
const pingInterval = 3 * minute;
const priceStreams = ['!miniTicker@arr', '!markPrice@arr@1s'];
/** The least wall ms between two messages of prices, where market time runs faster than a second in this time. */
const leastPause = 250;

/** Returns a USD-M forceOrder event (`st` 1). SELL closes a long; `ap` is the average price, `z` the filled quantity. */
const forceOrder = ({ symbol, side, price, quantity, time }: Liquidation, decimals: number) => {
  const worse = side === 'LONG' ? 0.995 : 1.005;
  const size = String(quantity);
  return JSON.stringify({
    e: 'forceOrder',
    E: time + 2,
    st: 1,
    o: {
      s: symbol,
      S: side === 'LONG' ? 'SELL' : 'BUY',
      o: 'LIMIT',
      f: 'IOC',
      q: size,
      p: (price * worse).toFixed(decimals),
      ap: price.toFixed(decimals),
      X: 'FILLED',
      l: size,
      z: size,
      T: time,
    },
  });
};

/** Returns a COIN-M event (`st` 2, contracts of 100 USD). Since 2026 these share the stream; clients must ignore them. */
const coinMargined = ({ side, price, time }: Liquidation) =>
  JSON.stringify({
    e: 'forceOrder',
    E: time + 2,
    st: 2,
    o: {
      s: 'BTCUSD_PERP',
      ps: 'BTCUSD',
      S: side === 'LONG' ? 'SELL' : 'BUY',
      o: 'LIMIT',
      f: 'IOC',
      q: '12',
      p: price.toFixed(1),
      ap: price.toFixed(1),
      X: 'FILLED',
      l: '12',
      z: '12',
      T: time,
    },
  });

/** Simulates Binance's WebSocket streams. `now` returns the market time. */
export function startStreams(options: {
  readonly market: Market;
  readonly now: () => number;
  readonly fault: (path: string) => Fault | undefined;
}): Sockets {
  const { market, now } = options;
  const server = new WebSocketServer({ noServer: true });
  const subscribers = new Set<Subscriber>();
  const bySymbol = new Map(market.instruments.map((instrument) => [instrument.symbol, instrument]));
  let last = now();
  const [first] = market.instruments;
  /** The streams of all markets tell of those too that clients must ignore; their prices repeat the first coin's. */
  const pricedMarkets = [
    ...market.instruments.map((each) => ({ ...each, listed: each.symbol })),
    ...(first === undefined
      ? []
      : untradedInstruments.map(({ symbol }) => ({ ...first, symbol, listed: first.symbol }))),
  ];
  const lastPrices = new Map<string, string>();
  let pricedAt = { market: 0, wall: Number.NEGATIVE_INFINITY };

  const publish = (
    route: Route,
    { streams, message }: { readonly streams: readonly string[]; readonly message: string },
  ) => {
    for (const subscriber of subscribers) {
      if (subscriber.route !== route || subscriber.fault?.kind === 'hang') continue;
      for (const stream of streams) {
        if (!subscriber.streams.has(stream) || subscriber.socket.readyState !== WebSocket.OPEN) continue;
        const wrapped = subscriber.combined ? `{"stream":"${stream}","data":${message}}` : message;
        subscriber.socket.send(
          subscriber.fault?.kind === 'rewrite' ? subscriber.fault.rewrite(wrapped) : wrapped,
        );
      }
    }
  };

  const publishLiquidations = (from: number, to: number) => {
    const silent = market.outages(from, to).filter(({ upstream }) => upstream === 'liquidations');
    for (const event of market.liquidations(from, to)) {
      if (silent.some((outage) => event.time >= outage.from && event.time < outage.to)) continue;
      const symbolStream = `${event.symbol.toLowerCase()}@forceOrder`;
      const decimals = bySymbol.get(event.symbol)?.priceDecimals ?? 8;
      publish('market', { streams: ['!forceOrder@arr', symbolStream], message: forceOrder(event, decimals) });
      if (event.symbol === 'BTCUSDT' && event.time % 5 === 0) {
        publish('market', { streams: ['!forceOrder@arr'], message: coinMargined(event) });
      }
    }
  };

  /** Publishes the prices of the last second: of the traded markets as tickers, of all markets as marks. */
  const publishPrices = (time: number) => {
    const tickers: object[] = [];
    const marks: object[] = [];
    for (const { listed, symbol, priceDecimals } of pricedMarkets) {
      const { markPrice, indexPrice, estFunding } = market.mark(listed, time);
      const price = market.price(listed, time).toFixed(priceDecimals);
      const [o, h, l] = [price, price, price];
      if (lastPrices.get(symbol) !== price)
        tickers.push({ e: '24hrMiniTicker', E: time, s: symbol, c: price, o, h, l, v: '10', q: '1000' });
      lastPrices.set(symbol, price);
      marks.push({
        e: 'markPriceUpdate',
        E: time,
        s: symbol,
        p: markPrice.toFixed(8),
        i: indexPrice.toFixed(8),
        P: markPrice.toFixed(8),
        r: estFunding.toFixed(8),
        T: (Math.floor(time / (8 * hour)) + 1) * 8 * hour,
      });
    }
    if (tickers.length > 0)
      publish('market', { streams: ['!miniTicker@arr'], message: JSON.stringify(tickers) });
    publish('market', { streams: ['!markPrice@arr@1s'], message: JSON.stringify(marks) });
  };

  const publishBook = ({ symbol, priceDecimals, quantityDecimals }: Instrument, time: number) => {
    const top = market.topOfBook(symbol, time);
    const message = JSON.stringify({
      e: 'bookTicker',
      u: time / minute,
      s: symbol,
      b: top.bidPrice.toFixed(priceDecimals),
      B: top.bidQuantity.toFixed(quantityDecimals),
      a: top.askPrice.toFixed(priceDecimals),
      A: top.askQuantity.toFixed(quantityDecimals),
      T: time,
      E: time,
    });
    publish('public', { streams: ['!bookTicker', `${symbol.toLowerCase()}@bookTicker`], message });
  };

  const tick = () => {
    const to = now();
    // A socket replays nothing: after a long pause of the process only the last hour is sent.
    const from = Math.max(last, to - hour);
    if (to <= last) return;
    last = to;
    const routes = new Set([...subscribers].map(({ route }) => route));
    if (routes.has('market')) publishLiquidations(from + 1, to);
    const wantsPrices = [...subscribers].some(({ streams }) =>
      priceStreams.some((name) => streams.has(name)),
    );
    const isSecondOver = to - pricedAt.market >= second && performance.now() - pricedAt.wall >= leastPause;
    if (wantsPrices && isSecondOver) {
      publishPrices(Math.floor(to));
      pricedAt = { market: to, wall: performance.now() };
    }
    const minuteStart = Math.floor(to / minute) * minute;
    if (routes.has('public') && minuteStart > from) {
      for (const instrument of market.instruments) publishBook(instrument, minuteStart);
    }
  };
  const timer = setInterval(tick, interval);
  const pings = setInterval(() => {
    for (const { socket } of subscribers) socket.ping();
  }, pingInterval);

  const handleRequest = (subscriber: Subscriber, text: string) => {
    const asked = request.safeParse(parsed(text));
    if (!asked.success) {
      const msg = 'Invalid request: a method, params and an id are expected';
      subscriber.socket.send(JSON.stringify({ error: { code: 2, msg } }));
      return;
    }
    const { method, params, id } = asked.data;
    for (const stream of params) {
      if (method === 'SUBSCRIBE') subscriber.streams.add(stream);
      if (method === 'UNSUBSCRIBE') subscriber.streams.delete(stream);
    }
    const result = method === 'LIST_SUBSCRIPTIONS' ? [...subscriber.streams] : null;
    subscriber.socket.send(JSON.stringify({ result, id }));
  };

  return {
    upgrade(message, socket, head) {
      const url = URL.parse(message.url ?? '/', 'http://exchange');
      if (url === null) return void socket.destroy();
      const fault = options.fault(url.pathname);
      const [, route = 'former', kind, name] = pathPattern.exec(decoded(url.pathname)) ?? [];
      if (kind === undefined || fault?.kind === 'answer' || fault?.kind === 'reset') {
        if (fault?.kind !== 'reset') {
          const status = fault?.kind === 'answer' ? fault.status : 404;
          socket.write(`HTTP/1.1 ${status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
        }
        socket.destroy();
        return;
      }
      server.handleUpgrade(message, socket, head, (client) => {
        const names = name?.split('/') ?? url.searchParams.get('streams')?.split('/') ?? [];
        const subscriber: Subscriber = {
          socket: client,
          route: route as Route,
          combined: kind === 'stream',
          streams: new Set(names),
          fault,
        };
        subscribers.add(subscriber);
        client.on('message', (data) => handleRequest(subscriber, data.toString()));
        client.on('close', () => subscribers.delete(subscriber));
        client.on('error', () => client.terminate());
      });
    },
    close() {
      clearInterval(timer);
      clearInterval(pings);
      for (const { socket } of subscribers) socket.terminate();
      server.close();
    },
  };
}

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};
