import { hour, second } from '#src/runtime/units.ts';
import type { Liquidation } from '#src/service/archive/archive.ts';
import {
  createLiquidationReader,
  type SimulatedSocketsOptions,
  type Sockets,
  type Subscriber,
  startSockets,
} from '../sockets.ts';
import { untradedInstruments } from './exchange-info.ts';

const [orders, tickers, marks] = ['!forceOrder@arr', '!miniTicker@arr', '!markPrice@arr@1s'];
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

/**
 * Returns the streams that a URL names, each with whether it wraps its messages together with the stream's name. All streams of
 * whole markets are under /market since 2026: URLs from before and of another route never send an event.
 */
function streamsOf({ pathname, searchParams }: URL): string[] {
  const [, kind, name] = /^\/market\/(ws|stream)(?:\/(.+))?$/.exec(decodeURIComponent(pathname)) ?? [];
  const names = name ?? searchParams.get('streams') ?? '';
  return kind === undefined ? [] : names.split('/').map((each) => `${kind} ${each}`);
}

/** Simulates Binance's WebSocket streams of all markets. */
export function startStreams({ market, now, fault }: SimulatedSocketsOptions): Sockets {
  const bySymbol = new Map(market.instruments.map((instrument) => [instrument.symbol, instrument]));
  const [first] = market.instruments;
  /** The streams tell of those markets too that clients must ignore; their prices repeat the first coin's. */
  const pricedMarkets = [
    ...market.instruments.map((each) => ({ ...each, listed: each.symbol })),
    ...(first === undefined
      ? []
      : untradedInstruments.map(({ symbol }) => ({ ...first, symbol, listed: first.symbol }))),
  ];
  const lastPrices = new Map<string, string>();
  let pricedAt = { market: 0, wall: Number.NEGATIVE_INFINITY };
  const readLiquidations = createLiquidationReader({ market, now });

  const wants = (subscriber: Subscriber, stream: string | undefined) =>
    ['ws', 'stream'].find((kind) => subscriber.topics.has(`${kind} ${stream}`));
  const publish = (
    subscribers: readonly Subscriber[],
    { stream, message }: { readonly stream: string | undefined; readonly message: string },
  ) => {
    for (const subscriber of subscribers) {
      const kind = wants(subscriber, stream);
      if (kind !== undefined)
        subscriber.send(kind === 'ws' ? message : `{"stream":"${stream}","data":${message}}`);
    }
  };

  const publishLiquidations = (subscribers: readonly Subscriber[]) => {
    const events = readLiquidations(subscribers.some((each) => wants(each, orders) !== undefined));
    for (const event of events) {
      const silent = market.outages(event.time, event.time);
      if (silent.some(({ upstream, to }) => upstream === 'liquidations' && event.time < to)) continue;
      const decimals = bySymbol.get(event.symbol)?.priceDecimals ?? 8;
      publish(subscribers, { stream: orders, message: forceOrder(event, decimals) });
      if (event.symbol === 'BTCUSDT' && event.time % 5 === 0)
        publish(subscribers, { stream: orders, message: coinMargined(event) });
    }
  };

  /** Publishes the prices of the last second: of the traded markets as tickers, of all markets as marks. */
  const publishPrices = (subscribers: readonly Subscriber[], time: number) => {
    const traded: object[] = [];
    const marked: object[] = [];
    for (const { listed, symbol, priceDecimals } of pricedMarkets) {
      const { markPrice, indexPrice, estFunding } = market.mark(listed, time);
      const price = market.price(listed, time).toFixed(priceDecimals);
      const [o, h, l] = [price, price, price];
      if (lastPrices.get(symbol) !== price)
        traded.push({ e: '24hrMiniTicker', E: time, s: symbol, c: price, o, h, l, v: '10', q: '1000' });
      lastPrices.set(symbol, price);
      marked.push({
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
    if (traded.length > 0) publish(subscribers, { stream: tickers, message: JSON.stringify(traded) });
    publish(subscribers, { stream: marks, message: JSON.stringify(marked) });
  };

  return startSockets({
    fault,
    onOpen(subscriber, url) {
      for (const stream of streamsOf(url)) subscriber.topics.add(stream);
    },
    onMessage() {},
    sendEvents(subscribers) {
      publishLiquidations(subscribers);
      const wantsPrices = subscribers.some((each) => wants(each, tickers) ?? wants(each, marks));
      const isSecondOver =
        now() - pricedAt.market >= second && performance.now() - pricedAt.wall >= leastPause;
      if (!wantsPrices || !isSecondOver) return;
      publishPrices(subscribers, Math.floor(now()));
      pricedAt = { market: now(), wall: performance.now() };
    },
  });
}
