import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExchangeUrls } from '../exchanges/urls.ts';
import { createAnswers, marketNow, type SimulatedAnswer, type SimulatedAnswersOptions } from './answers.ts';
import { startStreams } from './binance/streams.ts';
import type { Fault } from './fault.ts';

export interface SimulatedExchangesOptions extends SimulatedAnswersOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** What to do to requests and sockets of a path, for trying clients. */
  readonly fault?: (path: string) => Fault | undefined;
}

export interface SimulatedExchanges {
  readonly urls: ExchangeUrls;
  close(): Promise<void>;
}

/** Binance USD-M, Deribit, alternative.me and stablecoins.llama.fi on one loopback port, over a market and its clock. */
export async function startExchanges(options: SimulatedExchangesOptions): Promise<SimulatedExchanges> {
  const { market, clock, port = 0, fault = () => undefined } = options;
  const answer = createAnswers(options);

  const server = createServer((request: IncomingMessage, response) => {
    const url = new URL(request.url ?? '/', 'http://exchange');
    const failing = fault(url.pathname);
    if (failing?.kind === 'hang') return;
    if (failing?.kind === 'reset') request.socket.destroy();
    else if (failing?.kind === 'answer') {
      const { status, body = '', headers = {} } = failing;
      send(response, { status, body, headers });
    } else {
      const { body, ...rest } = answer(url);
      send(response, { ...rest, body: failing?.rewrite(body) ?? body });
    }
  });
  const streams = startStreams({ market, now: marketNow(market, clock), fault });
  server.on('upgrade', streams.upgrade);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const origin = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = `http://${origin}`;

  return {
    urls: {
      venues: { binance: { rest: http, stream: `ws://${origin}` } },
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

function send(response: ServerResponse, { status, body, headers }: SimulatedAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json;charset=UTF-8', ...headers });
  response.end(body);
}
