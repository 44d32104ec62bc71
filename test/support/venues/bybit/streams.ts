import { z } from 'zod';
import { minute } from '#src/runtime/units.ts';
import {
  createLiquidationReader,
  parsed,
  type SimulatedSocketsOptions,
  type Sockets,
  startSockets,
} from '../sockets.ts';
import { contractsOf } from './contracts.ts';

const request = z.union([
  z.object({ op: z.enum(['subscribe', 'unsubscribe']), args: z.array(z.string()).min(1) }),
  z.object({ op: z.literal('ping') }),
]);
/** Wall ms without a message from the subscriber after which its socket is closed. */
const maxSilence = minute;

/** Simulates Bybit's public WebSocket of linear contracts: sends the liquidations of subscribed contracts. */
export function startBybitStreams({ market, now, fault }: SimulatedSocketsOptions): Sockets {
  const topics = new Map(
    [...contractsOf(market)].map(([name, { symbol }]) => [`allLiquidation.${name}`, { name, symbol }]),
  );
  const readLiquidations = createLiquidationReader({ market, now });

  return startSockets({
    fault,
    sendEvents(subscribers) {
      const wanted = subscribers.some((subscriber) => subscriber.topics.size > 0);
      const bySymbol = Map.groupBy(readLiquidations(wanted), ({ symbol }) => symbol);
      for (const subscriber of subscribers) {
        if (subscriber.msSinceReceived() > maxSilence) subscriber.close('no ping');
        for (const topic of subscriber.topics) {
          const { name, symbol } = topics.get(topic) ?? {};
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
