import { z } from 'zod';
import { minute } from '../../../runtime/units.ts';
import { type PlayedSockets, parsed, type Sockets, type Subscriber, startSockets } from '../sockets.ts';
import { coinsOf } from './coins.ts';

const request = z.union([
  z.object({
    method: z.enum(['subscribe', 'unsubscribe']),
    subscription: z.object({ type: z.literal('bbo'), coin: z.string() }),
  }),
  z.object({ method: z.literal('ping') }),
]);

/** Wall ms without a message to the subscriber after which its socket is closed. */
const quiet = minute;

/** Simulates Hyperliquid's WebSocket: sends the top of the book of each subscribed coin once per market minute. */
export function startHyperliquidStreams({ market, now, fault }: PlayedSockets): Sockets {
  const coins = coinsOf(market);
  let turned = Math.floor(now() / minute);

  const tell = (subscriber: Subscriber, coin: string) => {
    const instrument = coins.get(coin);
    if (instrument === undefined) return;
    const time = turned * minute;
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
    look(subscribers) {
      const minuteNow = Math.floor(now() / minute);
      for (const subscriber of subscribers) {
        if (subscriber.unsent() > quiet) subscriber.close('Inactive');
        else if (minuteNow > turned) for (const coin of subscriber.topics) tell(subscriber, coin);
      }
      turned = Math.max(turned, minuteNow);
    },
    hear(subscriber, text) {
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
        tell(subscriber, subscription.coin);
      }
    },
  });
}
