import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { onTestFinished } from 'vitest';
import { type ClientOptions, createClient } from '#src/client/create-client.ts';
import type { RequestLog } from '#src/client/request-budget.ts';
import { realTime, type WallClock, wallClock } from '#src/runtime/clock.ts';
import { Secret } from '#src/runtime/secret.ts';

export const token = `tocsin_${'5ec7e7'.repeat(10)}abcd`;

/** Starts a data service on loopback that responds as told, and records its requests. */
export async function serve(
  answer: RequestListener,
): Promise<{ baseUrl: string; asked: string[]; headers: Record<string, unknown>[] }> {
  const asked: string[] = [];
  const headers: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    headers.push(request.headers);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`, asked, headers };
}

/** Responds with a body, of the market that is asked for, or with a text as it is. */
export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): RequestListener =>
  ({ url = '' }, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    const symbol = new URLSearchParams(url.split('?')[1]).get('symbol');
    const hasMarket = symbol !== null && typeof body === 'object' && body !== null && 'symbol' in body;
    response.end(typeof body === 'string' ? body : JSON.stringify(hasMarket ? { ...body, symbol } : body));
  };

/** A wall clock that a test moves, and that begins after the times of the fixture's answers. A sleep ends at once, moves the clock, and is recorded. */
export function testWall(
  start = Date.UTC(2026, 0, 16),
): WallClock & { slept: number[]; advance(ms: number): void } {
  let time = start;
  const slept: number[] = [];
  return {
    now: () => time,
    advance: (ms) => {
      time += ms;
    },
    slept,
    // Attempts are timed by real time, so that a fake clock does not end a real request.
    sleep: async (ms, signal) => {
      if (ms === attemptTimeout) return wallClock.sleep(5_000, signal);
      signal?.throwIfAborted();
      slept.push(ms);
      time += ms;
    },
  };
}

const attemptTimeout = 9_999;

export const memoryLog = (): RequestLog & { records: { key: string; at: number }[] } => {
  const records: { key: string; at: number }[] = [];
  return {
    records,
    load: async (key, since) =>
      records.filter((row) => row.key === key && row.at >= since).map(({ at }) => at),
    shared: false,
    take: async (key, { at, since, until, most }) => {
      const ahead = records.filter((row) => row.key === key && row.at > until);
      for (const row of ahead) records.splice(records.indexOf(row), 1);
      const there = records.filter((row) => row.key === key && row.at > since);
      if (there.length < most) records.push({ key, at });
      return there.length < most;
    },
    giveBack: async (key, at) => {
      const index = records.findIndex((row) => row.key === key && row.at === at);
      if (index >= 0) records.splice(index, 1);
    },
  };
};

export function clientOf(
  baseUrl: string,
  given: Partial<Omit<ClientOptions, 'budget'>> & { budget?: Partial<ClientOptions['budget']> } = {},
) {
  const http = new Agent();
  onTestFinished(() => http.destroy());
  const wall = given.wall ?? testWall();
  return createClient({
    baseUrl,
    apiKey: new Secret(token),
    wall,
    market: () => realTime(wall),
    timeouts: { attempt: attemptTimeout, patience: 10_000 },
    maxBody: 100_000,
    random: () => 0.5,
    http,
    ...given,
    budget: { limit: 300, window: 900_000, reserve: 60, log: memoryLog(), ...given.budget },
  });
}

export const regime = { regime: 'MARKUP', confidence: 0.9, score: 1 };
