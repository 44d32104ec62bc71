import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, type MarketClock, wallClock } from '../../runtime/clock.ts';
import { minute } from '../../runtime/units.ts';
import type { ExchangeUrls } from '../exchanges/urls.ts';
import { historyRoutes } from './binance-history.ts';
import { presentRoutes } from './binance-present.ts';
import { binanceComplaint } from './binance-query.ts';
import type { Fault } from './fault.ts';
import type { Market, Upstream } from './market.ts';
import {
  deribitComplaint,
  deribitRoutes,
  plainComplaint,
  sentimentRoutes,
  tapeRoutes,
} from './other-upstreams.ts';
import { type Complaint, type Route, type Routes, reply } from './route.ts';
import { startStreams } from './streams.ts';

export interface ExchangesOptions {
  readonly market: Market;
  /** Market time; no answer goes beyond it. */
  readonly clock: MarketClock;
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** What to do to requests and sockets of a path, for trying clients. */
  readonly fault?: (path: string) => Fault | undefined;
  /** Counts the used weight by minutes, as the exchange does. */
  readonly wall?: Clock;
}

export interface Exchanges {
  readonly urls: ExchangeUrls;
  close(): Promise<void>;
}

/** The upstreams whose outage a path knows. */
const dependencies = (path: string): readonly Upstream[] => {
  if (path.startsWith('/api/v2/')) return ['deribit'];
  if (path.startsWith('/futures/data/') || path === '/fapi/v1/openInterest')
    return ['binance', 'openInterest'];
  return path.startsWith('/fapi/') ? ['binance'] : [];
};

const complaintOf = (path: string): Complaint => {
  if (path.startsWith('/api/v2/')) return deribitComplaint;
  return path.startsWith('/fapi/') || path.startsWith('/futures/') ? binanceComplaint : plainComplaint;
};

/**
 * Binance USD-M, Deribit, alternative.me and stablecoins.llama.fi on one loopback port, over a market and its
 * clock. The weight used is told and never refused: a first backfill need not wait on simulated limits.
 */
export async function startExchanges(options: ExchangesOptions): Promise<Exchanges> {
  const { market, clock, port = 0, fault = () => undefined, wall = wallClock } = options;
  const now = () => Math.floor(Math.min(clock.now(), market.latest));
  const routes: Routes = {
    ...presentRoutes(market),
    ...historyRoutes(market),
    ...deribitRoutes(market),
    ...sentimentRoutes(market),
    ...tapeRoutes(market),
  };
  let used = { minute: 0, weight: 0 };
  const spend = (weight: number): number => {
    const at = Math.floor(wall.now() / minute);
    used = { minute: at, weight: weight + (used.minute === at ? used.weight : 0) };
    return used.weight;
  };

  const respond = (
    route: Route | undefined,
    url: URL,
    response: ServerResponse,
    rewrite = (body: string) => body,
  ) => {
    const path = url.pathname;
    const at = now();
    if (market.outages(at, at).some(({ upstream }) => dependencies(path).includes(upstream))) {
      send(response, 503, rewrite('Service Unavailable'), { 'content-type': 'text/plain' });
      return;
    }
    if (route === undefined) {
      send(response, 404, rewrite(JSON.stringify({ error: `no such path: ${path}` })), {});
      return;
    }
    const { status, body, weight } = reply(route, url.searchParams, at, complaintOf(path));
    const text = rewrite(JSON.stringify(body));
    send(
      response,
      status,
      text,
      path.startsWith('/fapi/') ? { 'x-mbx-used-weight-1m': String(spend(weight)) } : {},
    );
  };

  const server = createServer((request: IncomingMessage, response) => {
    const url = new URL(request.url ?? '/', 'http://exchange');
    const failing = fault(url.pathname);
    const route = Object.hasOwn(routes, url.pathname) ? routes[url.pathname] : undefined;
    if (failing?.kind === 'hang') return;
    if (failing?.kind === 'reset') request.socket.destroy();
    else if (failing?.kind === 'answer')
      send(response, failing.status, failing.body ?? '', failing.headers ?? {});
    else respond(route, url, response, failing?.rewrite);
  });
  const streams = startStreams({ market, now, fault });
  server.on('upgrade', streams.upgrade);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const origin = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = `http://${origin}`;

  return {
    urls: {
      binance: http,
      binanceStream: `ws://${origin}`,
      deribit: http,
      fearGreed: http,
      stablecoins: http,
      tape: http,
    },
    close: () => {
      streams.close();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

const send = (
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>>,
): void => {
  response.writeHead(status, { 'content-type': 'application/json;charset=UTF-8', ...headers });
  response.end(body);
};
