import { z } from 'zod';
import { second } from '#src/runtime/units.ts';
import {
  createLiquidationReader,
  parsed,
  type SimulatedSocketsOptions,
  type Sockets,
  type Subscriber,
  startSockets,
} from '../sockets.ts';
import { instruments, swapsOf } from './swaps.ts';

const request = z.object({
  op: z.enum(['subscribe', 'unsubscribe']),
  args: z
    .array(z.object({ channel: z.string(), instType: z.string().optional(), instId: z.string().optional() }))
    .min(1),
});
const channels: readonly string[] = ['instruments', 'liquidation-orders'];
/** Wall ms without a message from the subscriber after which its socket is closed. */
const maxSilence = 30 * second;

/** Wall ms between two tickers of an instrument; OKX sends one every 100 ms in which it changed. */
const tickerInterval = 250;
const tickerTopic = 'tickers ';

/** Simulates OKX's public WebSocket: sends tickers and liquidations of perpetuals. No simulated perpetual changes its size. */
export function startOkxStreams({
  market,
  now,
  fault,
  listsInstruments = false,
}: SimulatedSocketsOptions): Sockets {
  const swaps = swapsOf(market);
  const bySymbol = new Map([...swaps.values()].map((swap) => [swap.instrument.symbol, swap]));
  const readLiquidations = createLiquidationReader({ market, now });

  const sentTickers = new WeakMap<Subscriber, Map<string, string>>();
  let tickersAt = Number.NEGATIVE_INFINITY;
  const sendTicker = (subscriber: Subscriber, name: string) => {
    const swap = swaps.get(name);
    if (swap === undefined) return;
    const time = Math.floor(now());
    const last = String(market.price(swap.instrument.symbol, time) / swap.coins);
    const sent = sentTickers.get(subscriber) ?? new Map();
    sentTickers.set(subscriber, sent);
    if (sent.get(name) === last) return;
    sent.set(name, last);
    const data = [{ instType: 'SWAP', instId: name, last, lastSz: '1', ts: String(time) }];
    subscriber.send({ arg: { channel: 'tickers', instId: name }, data });
  };

  return startSockets({
    fault,
    sendEvents(subscribers) {
      const areTickersDue = performance.now() - tickersAt >= tickerInterval;
      if (areTickersDue) tickersAt = performance.now();
      const wanted = subscribers.some((subscriber) => subscriber.topics.has('liquidation-orders'));
      const liquidations = readLiquidations(wanted);
      for (const subscriber of subscribers) {
        if (subscriber.msSinceReceived() > maxSilence) subscriber.close('no ping');
        for (const topic of areTickersDue ? subscriber.topics : [])
          if (topic.startsWith(tickerTopic)) sendTicker(subscriber, topic.slice(tickerTopic.length));
        if (!subscriber.topics.has('liquidation-orders')) continue;
        for (const { symbol, time, side, price, quantity } of liquidations) {
          const swap = bySymbol.get(symbol);
          if (swap === undefined) continue;
          const { name, coins, contract } = swap;
          const family = name.replace(/-SWAP$/, '');
          const details = [
            {
              bkLoss: '0',
              bkPx: String(price / coins),
              ccy: '',
              posSide: side === 'LONG' ? 'long' : 'short',
              side: side === 'LONG' ? 'sell' : 'buy',
              sz: String((quantity * coins) / contract),
              ts: String(time),
            },
          ];
          subscriber.send({
            arg: { channel: 'liquidation-orders', instType: 'SWAP' },
            data: [{ details, instFamily: family, instId: name, instType: 'SWAP', uly: family }],
          });
        }
      }
    },
    onMessage(subscriber, text) {
      if (text === 'ping') return subscriber.send('pong');
      const asked = request.safeParse(parsed(text));
      if (!asked.success) {
        return subscriber.send({ event: 'error', code: '60012', msg: `Invalid request: ${text}` });
      }
      for (const arg of asked.data.args) {
        const { channel, instType, instId = '' } = arg;
        if (channel === 'tickers' && swaps.has(instId)) {
          const { op } = asked.data;
          subscriber.send({ event: op, arg, connId: 'simulated' });
          subscriber.topics[op === 'subscribe' ? 'add' : 'delete'](`${tickerTopic}${instId}`);
          continue;
        }
        if (!channels.includes(channel) || instType !== 'SWAP') {
          const of = instId === '' ? `instType:${instType}` : `instId:${instId}`;
          const msg = `Wrong URL or channel:${channel},${of} doesn't exist.`;
          subscriber.send({ event: 'error', code: '60018', msg });
          continue;
        }
        subscriber.send({ event: asked.data.op, arg, connId: 'simulated' });
        if (asked.data.op === 'unsubscribe') subscriber.topics.delete(channel);
        else {
          subscriber.topics.add(channel);
          if (channel === 'instruments' && listsInstruments)
            subscriber.send({ arg, data: instruments(swaps.values()) });
        }
      }
    },
  });
}
