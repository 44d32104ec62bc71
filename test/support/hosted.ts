import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { contract, type EndpointAnswer, type EndpointName } from '#src/contract/index.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { iso } from '#src/runtime/units.ts';
import { answers, asOf, now as fixtureNow } from './data.ts';

type ExtremeRow = EndpointAnswer<'fundingExtremes'>['data'][number];

/**
 * A hosted data service on loopback whose market time runs fast. It responds with the fixture, as of the current market time.
 */
export interface Hosted {
  /** The base URL, which ends in /api/v1. */
  readonly url: string;
  /** Requested paths with the market time of each request. */
  readonly asked: readonly { readonly path: string; readonly at: number }[];
  /** Market time, ms. */
  now(): number;
  /** Sets the rows of /funding/extremes, settled one market minute ago. */
  settle(rows: readonly Pick<ExtremeRow, 'symbol' | 'severity' | 'zScore'>[]): void;
  /** Replaces the responses until it is called with undefined. */
  misbehave(answer: Misbehaviour | undefined): void;
  /** Sets whether /meta reports the service as ready. */
  prepare(ready: boolean): void;
  /** Stops listening until `open` is called, which uses the same address. */
  shut(): Promise<void>;
  open(): Promise<void>;
}

/** Sends a response of its own; `right` is the correct one. */
export type Misbehaviour = (right: unknown, ...http: Parameters<RequestListener>) => void;

export async function startHosted(speed: number): Promise<Hosted> {
  const began = wallClock.now();
  const now = () => fixtureNow + (wallClock.now() - began) * speed;
  const asked: { path: string; at: number }[] = [];
  let extremes: readonly ExtremeRow[] = [];
  let settled: string | undefined;
  let misbehaviour: Misbehaviour | undefined;
  let ready = true;

  const rightAnswer = (name: EndpointName, query: URLSearchParams): unknown => {
    const answer = asOf(answers[name], now());
    switch (name) {
      case 'meta':
        return { ...asOf(answers.meta, now()), marketTime: iso(now()), speed, ready };
      case 'fundingExtremes':
        return { data: extremes, count: extremes.length, threshold: '|zScore| > 1.5' };
      case 'fundingCurrent':
        return settled === undefined
          ? answer
          : {
              data: answers.fundingCurrent.data.map((row) => {
                const extreme = extremes.find(({ symbol }) => symbol === row.symbol);
                return { ...row, rate: String(extreme?.currentRate ?? row.rate), timestamp: settled };
              }),
            };
      case 'liquidations':
        return { data: [] };
      default:
        return {
          ...answer,
          ...Object.fromEntries([...query].filter(([name]) => ['symbol', 'type', 'currency'].includes(name))),
        };
    }
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://hosted');
    const path = url.pathname.replace('/api/v1', '');
    asked.push({ path, at: now() });
    const name = (Object.keys(contract) as EndpointName[]).find((each) => contract[each].path === path);
    const right = name === undefined ? { error: 'Not found' } : rightAnswer(name, url.searchParams);
    if (misbehaviour !== undefined) return misbehaviour(right, request, response);
    response.writeHead(name === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(right));
  });
  const open = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await open(0);
  return {
    url: `http://127.0.0.1:${port}/api/v1`,
    asked,
    now,
    settle(rows) {
      const timestamp = iso(now() - 60_000);
      const [like] = answers.fundingExtremes.data as [ExtremeRow];
      extremes = rows.map((row) => ({ ...like, ...row, timestamp }));
      settled = timestamp;
    },
    prepare(is) {
      ready = is;
    },
    misbehave(answer) {
      misbehaviour = answer;
      // Requests that were left hanging are not answered.
      if (answer === undefined) server.closeAllConnections();
    },
    async shut() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
    open: async () => void (await open(port)),
  };
}
