import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { hour } from '#src/runtime/units.ts';
import type { Liquidation } from '#src/service/archive/archive.ts';
import type { Market } from '#src/service/simulation/market.ts';
import type { Fault } from './fault.ts';

/** Wall ms between two calls of `sendEvents`. */
const interval = 50;

/** A connected socket and its subscriptions. */
export interface Subscriber {
  readonly topics: Set<string>;
  /** Returns the wall ms since the last message from the socket. */
  msSinceReceived(): number;
  /** Returns the wall ms since the last message to the socket. */
  msSinceSent(): number;
  /** Sends a text as it is, or an object as JSON. */
  send(message: string | object): void;
  close(reason: string): void;
}

/** What the simulation of a venue's sockets works with. */
export interface SimulatedSocketsOptions {
  readonly market: Market;
  /** Returns the market time, ms. */
  readonly now: () => number;
  readonly fault: (path: string) => Fault | undefined;
  /**
   * Whether OKX sends the list of instruments after the subscription, as it did until 28 December 2022. Absent: it sends
   * changes only, as it documents.
   */
  readonly listsInstruments?: boolean | undefined;
}

/** The simulated WebSocket server of one venue. */
export interface Sockets {
  upgrade(message: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): void;
}

export function startSockets({
  fault,
  onOpen = () => {},
  onMessage,
  sendEvents,
}: {
  readonly fault: (path: string) => Fault | undefined;
  /** Handles a new subscriber, who may name what it wants in the URL. */
  readonly onOpen?: (subscriber: Subscriber, url: URL) => void;
  /** Handles a message from a subscriber. */
  readonly onMessage: (subscriber: Subscriber, text: string) => void;
  /** Sends subscribers the events since the last call. */
  readonly sendEvents: (subscribers: readonly Subscriber[]) => void;
}): Sockets {
  const server = new WebSocketServer({ noServer: true });
  const subscribers = new Map<WebSocket, Subscriber>();
  const timer = setInterval(() => sendEvents([...subscribers.values()]), interval);

  const subscribe = (socket: WebSocket, url: URL, failing: Fault | undefined) => {
    let [sentAt, receivedAt] = [performance.now(), performance.now()];
    const subscriber: Subscriber = {
      topics: new Set(),
      msSinceReceived: () => performance.now() - receivedAt,
      msSinceSent: () => performance.now() - sentAt,
      send(message) {
        if (failing?.kind === 'hang' || socket.readyState !== WebSocket.OPEN) return;
        sentAt = performance.now();
        const text = typeof message === 'string' ? message : JSON.stringify(message);
        socket.send(failing?.kind === 'rewrite' ? failing.rewrite(text) : text);
      },
      close: (reason) => socket.close(1000, reason),
    };
    subscribers.set(socket, subscriber);
    onOpen(subscriber, url);
    socket.on('message', (data) => {
      receivedAt = performance.now();
      onMessage(subscriber, data.toString());
    });
    socket.on('close', () => subscribers.delete(socket));
    socket.on('error', () => socket.terminate());
  };

  return {
    upgrade(message, socket, head) {
      const url = new URL(message.url ?? '/', 'http://exchange');
      const failing = fault(url.pathname);
      if (failing?.kind === 'answer' || failing?.kind === 'reset') {
        if (failing.kind === 'answer')
          socket.write(
            `HTTP/1.1 ${failing.status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
          );
        return void socket.destroy();
      }
      server.handleUpgrade(message, socket, head, (client) => subscribe(client, url, failing));
    },
    close() {
      clearInterval(timer);
      for (const socket of subscribers.keys()) socket.terminate();
      server.close();
    },
  };
}

/**
 * Returns a function that gives the liquidations since its last call. After a long pause it gives only those of the last
 * hour, because a socket replays nothing. Those that nobody asks for (`wanted`) are not computed: this can take the
 * hours of all coins since the beginning of the market.
 */
export function createLiquidationReader({ market, now }: Pick<SimulatedSocketsOptions, 'market' | 'now'>) {
  let last = now();
  return (wanted: boolean): Liquidation[] => {
    const [from, to] = [Math.max(last, now() - hour) + 1, now()];
    last = Math.max(last, to);
    return wanted ? market.liquidations(from, to) : [];
  };
}

/** Parses a text as JSON. Returns undefined if it is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
