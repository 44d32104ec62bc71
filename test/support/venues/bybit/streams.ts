import { z } from 'zod';
import { minute } from '#src/runtime/units.ts';
import {
  createLiquidationReader,
  parsed,
  type SimulatedSocketsOptions,
  type Sockets,
  type Subscriber,
  startSockets,
} from '../sockets.ts';
import { contractsOf } from './contracts.ts';

const request = z.union([
  z.object({ op: z.enum(['subscribe', 'unsubscribe']), args: z.array(z.string()).min(1) }),
  z.object({ op: z.literal('ping') }),
]);
/** Wall ms without a message from the subscriber after which its socket is closed. */
const maxSilence = minute;

/** Wall ms between two tickers of a contract; Bybit sends one every 100 ms. */
const tickerInterval = 250;

/**
 * Simulates Bybit's public WebSocket of linear contracts: sends the liquidations and the tickers of subscribed contracts, a
 * ticker whole after the subscription and then what of it has changed.
 */
export function startBybitStreams({ market, now, fault }: SimulatedSocketsOptions): Sockets {
  const topics = new Map(
    [...contractsOf(market)].flatMap(([name, { symbol }]) =>
      ['allLiquidation', 'tickers'].map(
        (channel): [string, { name: string; symbol: string; channel: string }] => [
          `${channel}.${name}`,
          { name, symbol, channel },
        ],
      ),
    ),
  );
  const sentTickers = new WeakMap<Subscriber, Map<string, Readonly<Record<string, string>>>>();
  let tickersAt = Number.NEGATIVE_INFINITY;
  const sendTicker = (subscriber: Subscriber, topic: string) => {
    const { name = '', symbol = '' } = topics.get(topic) ?? {};
    const time = Math.floor(now());
    const { markPrice, indexPrice } = market.mark(symbol, time);
    const ticker = {
      lastPrice: String(market.price(symbol, time)),
      markPrice: String(markPrice),
      indexPrice: String(indexPrice),
    };
    const sent = sentTickers.get(subscriber) ?? new Map();
    sentTickers.set(subscriber, sent);
    const before = sent.get(topic);
    sent.set(topic, ticker);
    const changed = Object.entries(ticker).filter(([field, value]) => before?.[field] !== value);
    if (changed.length === 0) return;
    const data = { symbol: name, ...Object.fromEntries(changed) };
    const type = before === undefined ? 'snapshot' : 'delta';
    subscriber.send({ topic, type, data, cs: 1, ts: time });
  };
  const readLiquidations = createLiquidationReader({ market, now });

  return startSockets({
    fault,
    sendEvents(subscribers) {
      const wanted = subscribers.some(({ topics }) =>
        [...topics].some((topic) => topic.startsWith('allLiquidation.')),
      );
      const bySymbol = Map.groupBy(readLiquidations(wanted), ({ symbol }) => symbol);
      const areTickersDue = performance.now() - tickersAt >= tickerInterval;
      if (areTickersDue) tickersAt = performance.now();
      for (const subscriber of subscribers) {
        if (subscriber.msSinceReceived() > maxSilence) subscriber.close('no ping');
        for (const topic of subscriber.topics) {
          const { name, symbol, channel } = topics.get(topic) ?? {};
          if (channel === 'tickers') {
            if (areTickersDue) sendTicker(subscriber, topic);
            continue;
          }
          const events = bySymbol.get(symbol ?? '');
          if (events === undefined) continue;
          const data = events.map(({ time, side, price, quantity }) => ({
            T: time,
            s: name,
            S: side === 'LONG' ? 'Buy' : 'Sell',
            v: String(quantity),
            p: String(price),
          }));
          subscriber.send({ topic, type: 'snapshot', ts: Math.floor(now()), data });
        }
      }
    },
    onMessage(subscriber, text) {
      const asked = request.safeParse(parsed(text));
      const respond = (success: boolean, more: object) =>
        subscriber.send({ success, ret_msg: '', conn_id: 'simulated', ...more });
      if (!asked.success) return respond(false, { ret_msg: 'Params error', op: '' });
      if (asked.data.op === 'ping') return respond(true, { ret_msg: 'pong', op: 'ping' });
      const { op, args } = asked.data;
      const wrong = args.filter((topic) => !topics.has(topic));
      if (wrong.length > 0) return respond(false, { ret_msg: `Invalid symbol :[${wrong.join(',')}]`, op });
      for (const topic of args) {
        if (op === 'subscribe') subscriber.topics.add(topic);
        else subscriber.topics.delete(topic);
      }
      respond(true, { op });
    },
  });
}
