import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '#src/contract/index.ts';
import { marketClock, type WallClock } from '#src/runtime/clock.ts';
import { serveMcp } from '#src/runtime/mcp.ts';
import { interfaceLimits, type RequestLimits } from '#src/service/access/limit.ts';
import { answerWith } from '#src/service/handlers/handler.ts';
import { feedsOf, handlers } from '#src/service/handlers/index.ts';
import { createBodies } from '#src/service/http/kept-bodies.ts';
import { createMetrics } from '#src/service/http/metrics.ts';
import { createServer } from '#src/service/http/server.ts';
import { mcpClient } from '#test/support/mcp.ts';
import { contextAt, filledArchive, now } from '../fixture.ts';

const started = new AsyncDisposableStack();
afterAll(() => started.disposeAsync());
let archive: Awaited<ReturnType<typeof filledArchive>>;
beforeAll(async () => {
  archive = started.adopt(await filledArchive(), (each) => each.close());
});

interface Given {
  readonly ready?: boolean;
  readonly limits?: RequestLimits;
  readonly build?: () => Promise<never>;
  readonly off?: boolean;
}

/** Starts the data service's server over the fixture. */
async function start({ ready = true, limits = interfaceLimits, build, off = false }: Given = {}) {
  const wall: WallClock = { now: () => 0, sleep: async () => {} };
  const clock = marketClock(wall, { market: now, wall: 0, speed: 1 });
  const logged: string[] = [];
  const server = createServer({
    bodies: createBodies({
      clock,
      feedsOf,
      build:
        build ??
        (async (name, query) =>
          answerWith(handlers[name], { query, context: await contextAt(archive, clock.now()) })),
    }),
    access: () => ({ kind: 'anonymous' }),
    login: async () => ({ kind: 'refused' }),
    limits,
    trustedProxies: [],
    clock,
    wall,
    steady: wall,
    metrics: createMetrics(),
    serveMcp: off ? undefined : serveMcp,
    ready: () => ready,
    progress: () => 0.41,
    stale: () => false,
    ping: async () => {},
    log: pino({ level: 'info' }, { write: (line: string) => void logged.push(line) }),
  });
  const site = await server.listen({ host: '127.0.0.1', port: 0 });
  started.defer(() => server.close());
  return { url: `${site}/mcp`, site, logged };
}

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
  });

const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

describe('agents that query the data service over MCP', () => {
  it.each([
    ['2026-07-28, stateless', false],
    ['of before, which begin with initialize', true],
  ])('list and call every tool, with clients of the protocol %s', async (_, legacy) => {
    const { url, site } = await start();
    await using client = await mcpClient(url, { legacy });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(contract));
    for (const { name, description, annotations } of tools) {
      expect(description).toContain(contract[name as keyof typeof contract].summary);
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
      // The client itself checks the result against the tool's output schema.
      const { structuredContent, isError } = await client.callTool({ name, arguments: {} });
      expect([name, isError ?? false]).toEqual([name, false]);
      const { path } = contract[name as keyof typeof contract];
      expect(structuredContent).toEqual(await (await fetch(`${site}/api/v1${path}`)).json());
    }
  });

  it('learn the service’s name and how to read its results', async () => {
    await using client = await mcpClient((await start()).url);
    expect(client.getServerVersion()).toMatchObject({ name: 'tocsin-data' });
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect(client.getInstructions()).toContain('"meta" first');
  });

  it('get an error that names the bounds if an input exceeds them', async () => {
    await using client = await mcpClient((await start()).url);
    const call = async (name: string, given: Record<string, unknown>) => {
      const { isError, content } = await client.callTool({ name, arguments: given });
      return [isError, content[0]?.type === 'text' ? content[0].text : undefined];
    };
    expect(await call('oiMomentum', { hours: 169 })).toEqual([
      true,
      'hours must be a number above 0, at most 168; given: "169"',
    ]);
    expect(await call('oi', { symbol: 'NOPEUSDT' })).toEqual([true, 'Invalid symbol']);
    expect(
      (await client.callTool({ name: 'oi', arguments: { symbol: 'ethusdt', limit: 2 } })).structuredContent,
    ).toMatchObject({ symbol: 'ETHUSDT', data: [{}, {}] });
  });

  it('get a protocol error for an unknown tool', async () => {
    await using client = await mcpClient((await start()).url);
    await expect(client.callTool({ name: 'trade', arguments: {} })).rejects.toThrow(/no tool trade/);
  });

  it('get results only from meta while the past is being loaded', async () => {
    await using client = await mcpClient((await start({ ready: false })).url);
    expect(await client.callTool({ name: 'regime', arguments: {} })).toMatchObject({
      isError: true,
      content: [{ text: 'Starting: 41 % of the past is loaded, ask again in a moment' }],
    });
    expect((await client.callTool({ name: 'meta', arguments: {} })).isError ?? false).toBe(false);
  });

  it('learn nothing about a defect, which is logged', async () => {
    const build = () => Promise.reject(new Error('a secret place'));
    const { url, logged } = await start({ build });
    await using client = await mcpClient(url);
    await expect(client.callTool({ name: 'regime', arguments: {} })).rejects.toThrow(/Internal error/);
    expect(logged.join('')).toContain('a secret place');
  });

  it('share the client’s request limit', async () => {
    const { url } = await start({ limits: { ...interfaceLimits, anonymous: 2 } });
    const statuses = [];
    for (let asked = 0; asked < 3; asked += 1) statuses.push((await post(url, ping)).status);
    expect(statuses.at(-1)).toBe(429);
  });

  it.each([
    ['another site’s page', { origin: 'https://evil.example' }, ping, 403],
    ['a page without an origin', { origin: 'null' }, ping, 403],
    ['what is no JSON', {}, '{', 400],
    ['what is no request', {}, '[]', 400],
    ['a batch, which would count as one request', {}, ` [${ping},${ping}]`, 400],
    ['another kind of body', { 'content-type': 'text/plain' }, ping, 415],
    ['a body that is too large', {}, JSON.stringify({ x: 'x'.repeat(70_000) }), 413],
  ])('%s is refused', async (_, headers, body, status) => {
    expect((await post((await start()).url, body, headers)).status).toBe(status);
  });

  it('cannot subscribe, so that no connection is held', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { notifications: { toolsListChanged: true }, _meta: meta };
    const asked = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': asked.method };
    const answer = await post((await start()).url, JSON.stringify(asked), headers);
    expect(await answer.json()).toMatchObject({ id: 1, error: { message: 'Subscription limit reached' } });
  });

  it.each(['GET', 'DELETE'])(
    'get a refusal for %s, because nothing is kept between requests',
    async (method) => {
      const { status, headers } = await fetch((await start()).url, { method });
      expect([status, headers.get('allow')]).toEqual([405, 'POST']);
    },
  );

  it('the endpoint does not exist if it is not turned on', async () => {
    expect((await post((await start({ off: true })).url, ping)).status).toBe(404);
  });
});
