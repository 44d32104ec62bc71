import { z } from 'zod';
import { minute } from '#src/runtime/units.ts';
import {
  parsed,
  type SimulatedSocketsOptions,
  type Sockets,
  type Subscriber,
  startSockets,
} from '../sockets.ts';
import { coinsOf } from './coins.ts';

const request = z.union([
  z.object({
    method: z.enum(['subscribe', 'unsubscribe']),
    subscription: z.object({ type: z.literal('bbo'), coin: z.string() }),
  }),
  z.object({ method: z.literal('ping') }),
]);

/** Wall ms without a message to the subscriber after which its socket is closed. */
const maxSilence = minute;

/** Simulates Hyperliquid's WebSocket: sends the top of the book of each subscribed coin once per market minute. */
export function startHyperliquidStreams({ market, now, fault }: SimulatedSocketsOptions): Sockets {
  const coins = coinsOf(market);
  let sentMinute = Math.floor(now() / minute);

  const sendBook = (subscriber: Subscriber, coin: string) => {
    const instrument = coins.get(coin);
    if (instrument === undefined) return;
    const time = sentMinute * minute;
    const { bidPrice, bidQuantity, askPrice, askQuantity } = market.topOfBook(instrument.symbol, time);
    const level = (px: number, sz: number) => ({
      px: px.toFixed(instrument.priceDecimals),
      sz: String(sz),
      n: 1,
    });
    const bbo = [level(bidPrice, bidQuantity), level(askPrice, askQuantity)];
    subscriber.send({ channel: 'bbo', data: { coin, time, bbo } });
  };

  return startSockets({
    fault,
    sendEvents(subscribers) {
      const minuteNow = Math.floor(now() / minute);
      for (const subscriber of subscribers) {
        if (subscriber.msSinceSent() > maxSilence) subscriber.close('Inactive');
        else if (minuteNow > sentMinute) for (const coin of subscriber.topics) sendBook(subscriber, coin);
      }
      sentMinute = Math.max(sentMinute, minuteNow);
    },
    onMessage(subscriber, text) {
      const asked = request.safeParse(parsed(text));
      if (!asked.success) return subscriber.send({ channel: 'error', data: `Invalid request: ${text}` });
      if (asked.data.method === 'ping') return subscriber.send({ channel: 'pong' });
      const { method, subscription } = asked.data;
      if (!coins.has(subscription.coin)) {
        const data = `Invalid subscription ${JSON.stringify(subscription)}`;
        return subscriber.send({ channel: 'error', data });
      }
      subscriber.send({ channel: 'subscriptionResponse', data: { method, subscription } });
      if (method === 'unsubscribe') subscriber.topics.delete(subscription.coin);
      else {
        subscriber.topics.add(subscription.coin);
        sendBook(subscriber, subscription.coin);
      }
    },
  });
}
