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
    subscription: z.object({ type: z.enum(['bbo', 'activeAssetCtx']), coin: z.string() }),
  }),
  z.object({ method: z.literal('ping') }),
]);

/** Wall ms without a message to the subscriber after which its socket is closed. */
const maxSilence = minute;

/** Wall ms between two contexts of a coin. */
const contextInterval = 500;

/**
 * Simulates Hyperliquid's WebSocket: sends the top of the book of each subscribed coin once per market minute, and its context
 * twice a second.
 */
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

  let contextsAt = Number.NEGATIVE_INFINITY;
  const sendContext = (subscriber: Subscriber, coin: string) => {
    const instrument = coins.get(coin);
    if (instrument === undefined) return;
    const { markPrice, indexPrice, estFunding } = market.mark(instrument.symbol, Math.floor(now()));
    const ctx = {
      ...{ markPx: String(markPrice), oraclePx: String(indexPrice), midPx: String(markPrice) },
      ...{ funding: String(estFunding), openInterest: '1.0', prevDayPx: '1.0', dayNtlVlm: '1.0' },
    };
    subscriber.send({ channel: 'activeAssetCtx', data: { coin, ctx } });
  };
  const send = { bbo: sendBook, activeAssetCtx: sendContext };

  return startSockets({
    fault,
    sendEvents(subscribers) {
      const minuteNow = Math.floor(now() / minute);
      const areContextsDue = performance.now() - contextsAt >= contextInterval;
      if (areContextsDue) contextsAt = performance.now();
      for (const subscriber of subscribers) {
        if (subscriber.msSinceSent() > maxSilence) subscriber.close('Inactive');
        for (const topic of subscriber.topics) {
          const [type = '', coin = ''] = topic.split(' ');
          if (type === 'bbo' ? minuteNow > sentMinute : areContextsDue)
            send[type as keyof typeof send](subscriber, coin);
        }
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
      const { type, coin } = subscription;
      if (method === 'unsubscribe') subscriber.topics.delete(`${type} ${coin}`);
      else {
        subscriber.topics.add(`${type} ${coin}`);
        send[type](subscriber, coin);
      }
    },
  });
}
