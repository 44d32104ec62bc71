import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Transport } from '#src/service/exchanges/transport.ts';
import type { ExchangeUrls } from '#src/service/exchanges/urls.ts';
import { createAnswers, marketNow, type SimulatedAnswersOptions, venueRoots } from './answers.ts';
import { startStreams } from './binance/streams.ts';
import { startBybitStreams } from './bybit/streams.ts';
import type { Fault } from './fault.ts';
import { startHyperliquidStreams } from './hyperliquid/streams.ts';
import { startOkxStreams } from './okx/streams.ts';
import type { SimulatedAnswer } from './route.ts';
import type { SimulatedSocketsOptions, Sockets } from './sockets.ts';

export interface SimulatedExchangesOptions
  extends SimulatedAnswersOptions,
    Pick<SimulatedSocketsOptions, 'listsInstruments'> {
  /** Port to listen on. 0, the default, takes a free port. */
  readonly port?: number;
  /** Returns the fault to inject into requests and sockets of a path, for testing clients. */
  readonly fault?: (path: string, query?: URLSearchParams) => Fault | undefined;
}

export interface SimulatedExchanges {
  readonly urls: ExchangeUrls;
  /** Answers requests to the addresses in `urls` as the server does, but within this thread and without faults. */
  readonly transport: Transport;
  close(): Promise<void>;
}

/**
 * Starts a server on one loopback port that simulates Binance USD-M, Bybit, Hyperliquid, OKX, Deribit, alternative.me and
 * stablecoins.llama.fi with the data of a market and the time of its clock.
 */
export async function startExchanges(options: SimulatedExchangesOptions): Promise<SimulatedExchanges> {
  const { market, clock, port = 0, fault = () => undefined, listsInstruments } = options;
  const answer = createAnswers(options);

  const server = createServer(async (request: IncomingMessage, response) => {
    const url = URL.parse(request.url ?? '/', 'http://exchange');
    if (url === null) return send(response, { status: 400, body: '', headers: {} });
    const failing = fault(url.pathname, url.searchParams);
    if (failing?.kind === 'hang') return;
    if (failing?.kind === 'reset') request.socket.destroy();
    else if (failing?.kind === 'answer') {
      const { status, body = '', headers = {} } = failing;
      send(response, { status, body, headers });
    } else {
      const posted = request.method === 'POST' ? await bodyOf(request).catch(() => '') : undefined;
      const { body, ...rest } = answer(url, posted);
      send(response, { ...rest, body: failing?.rewrite(body) ?? body });
    }
  });
  const now = marketNow(market, clock);
  const binance = startStreams({ market, now, fault });
  const others = {
    bybit: startBybitStreams({ market, now, fault }),
    hyperliquid: startHyperliquidStreams({ market, now, fault }),
    okx: startOkxStreams({ market, now, fault, listsInstruments }),
  } satisfies Record<keyof typeof venueRoots, Sockets>;
  const venues = Object.keys(venueRoots) as (keyof typeof venueRoots)[];
  server.on('upgrade', (message, socket, head) => {
    const other = venues.find((venue) => message.url?.startsWith(`${venueRoots[venue]}/`));
    (other === undefined ? binance : others[other]).upgrade(message, socket, head);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const origin = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = `http://${origin}`;
  const transport: Transport = {
    async get(_, { target, post, signal }) {
      // Without this pause a backfill would go on from answer to answer and let the event loop do nothing else.
      await setImmediate();
      signal.throwIfAborted();
      const { status, headers, body } = answer(target, post);
      return { status, headers, text: body };
    },
    close: async () => {},
  };

  return {
    urls: {
      venues: {
        binance: { rest: http, stream: `ws://${origin}` },
        ...Object.fromEntries(
          venues.map((venue) => {
            const below = `${origin}${venueRoots[venue]}`;
            return [venue, { rest: `http://${below}`, stream: `ws://${below}` }];
          }),
        ),
      },
      deribit: http,
      fearGreed: http,
      stablecoins: http,
    },
    transport,
    close: () => {
      for (const { close } of [binance, ...Object.values(others)]) close();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

function send(response: ServerResponse, { status, body, headers }: SimulatedAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json;charset=UTF-8', ...headers });
  response.end(body);
}
