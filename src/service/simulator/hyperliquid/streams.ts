import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { minute } from '../../../runtime/units.ts';
import type { Fault } from '../fault.ts';
import type { Market } from '../market.ts';
import { coinsOf } from './coins.ts';

const request = z.union([
  z.object({
    method: z.enum(['subscribe', 'unsubscribe']),
    subscription: z.object({ type: z.literal('bbo'), coin: z.string() }),
  }),
  z.object({ method: z.literal('ping') }),
]);

/** Wall ms between two looks at the market. */
const interval = 50;
/** Wall ms after which a socket is closed over which nothing was sent. */
const quiet = minute;

interface Subscriber {
  readonly socket: WebSocket;
  readonly coins: Set<string>;
  readonly silent: boolean;
  sent: number;
}

/** Hyperliquid's WebSocket: the top of book of each coin that was subscribed to, once a market minute. */
export function startHyperliquidStreams({
  market,
  now,
  fault,
}: {
  readonly market: Market;
  readonly now: () => number;
  readonly fault: (path: string) => Fault | undefined;
}) {
  const server = new WebSocketServer({ noServer: true });
  const subscribers = new Set<Subscriber>();
  const coins = coinsOf(market);
  let turned = Math.floor(now() / minute);

  const send = (subscriber: Subscriber, message: object) => {
    if (subscriber.silent || subscriber.socket.readyState !== WebSocket.OPEN) return;
    subscriber.sent = performance.now();
    subscriber.socket.send(JSON.stringify(message));
  };
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
    send(subscriber, { channel: 'bbo', data: { coin, time, bbo } });
  };
  const timer = setInterval(() => {
    const minuteNow = Math.floor(now() / minute);
    for (const subscriber of subscribers) {
      if (performance.now() - subscriber.sent > quiet) subscriber.socket.close(1000, 'Inactive');
      else if (minuteNow > turned) for (const coin of subscriber.coins) tell(subscriber, coin);
    }
    turned = Math.max(turned, minuteNow);
  }, interval);

  const answer = (subscriber: Subscriber, text: string) => {
    const asked = request.safeParse(parsed(text));
    if (!asked.success) return send(subscriber, { channel: 'error', data: `Invalid request: ${text}` });
    if (asked.data.method === 'ping') return send(subscriber, { channel: 'pong' });
    const { method, subscription } = asked.data;
    if (!coins.has(subscription.coin)) {
      const data = `Invalid subscription ${JSON.stringify(subscription)}`;
      return send(subscriber, { channel: 'error', data });
    }
    send(subscriber, { channel: 'subscriptionResponse', data: { method, subscription } });
    if (method === 'unsubscribe') subscriber.coins.delete(subscription.coin);
    else {
      subscriber.coins.add(subscription.coin);
      tell(subscriber, subscription.coin);
    }
  };

  return {
    // biome-ignore lint/complexity/useMaxParams: the shape is that of Node’s upgrade event
    upgrade(message: IncomingMessage, socket: Duplex, head: Buffer) {
      const failing = fault(message.url ?? '');
      if (failing?.kind === 'answer' || failing?.kind === 'reset') {
        if (failing.kind === 'answer')
          socket.write(
            `HTTP/1.1 ${failing.status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
          );
        return void socket.destroy();
      }
      server.handleUpgrade(message, socket, head, (client) => {
        const subscriber: Subscriber = {
          socket: client,
          coins: new Set(),
          silent: failing?.kind === 'hang',
          sent: performance.now(),
        };
        subscribers.add(subscriber);
        client.on('message', (data) => answer(subscriber, data.toString()));
        client.on('close', () => subscribers.delete(subscriber));
        client.on('error', () => client.terminate());
      });
    },
    close() {
      clearInterval(timer);
      for (const { socket } of subscribers) socket.terminate();
      server.close();
    },
  };
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
