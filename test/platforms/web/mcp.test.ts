import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import type { ApiKeys } from '#src/platforms/web/ports/api.ts';
import { Secret } from '#src/runtime/secret.ts';
import type { Caller } from '#src/shell/command.ts';
import { viewerRights } from '#src/shell/rights.ts';
import { ask, commands } from '#test/support/commands.ts';
import { startConsole } from '#test/support/console.ts';
import { jsonRequest } from '#test/support/json-request.ts';
import { mcpClient } from '#test/support/mcp.ts';
import { memoryStore } from '#test/support/memory-store.ts';

const started: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of started.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

/** Starts the console with the real commands over the fixture. */
async function start(options: Parameters<typeof startConsole>[0] = {}) {
  const console = await startConsole({
    mcp: true,
    commands,
    ask: (request, caller) => ask(request, { caller }),
    ...options,
  });
  started.push({ [Symbol.asyncDispose]: () => console.close() });
  return `${console.url}/mcp`;
}

/** Arguments that a question needs in order to have an answer. */
const given: Readonly<Record<string, Record<string, unknown>>> = {
  compare: { symbols: 'btc eth' },
};

describe('agents that query the bot over MCP', () => {
  it.each([
    ['2026-07-28, stateless', false],
    ['of before, which begin with initialize', true],
  ])('list and call every tool, with clients of the protocol %s', async (_, legacy) => {
    await using client = await mcpClient(await start(), { legacy });
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(15);
    for (const { name } of tools) {
      const { structuredContent, isError, content } = await client.callTool({
        name,
        arguments: given[name] ?? {},
      });
      expect([name, isError ?? false, isError ? content : []]).toEqual([name, false, []]);
      expect(structuredContent).toMatchObject({ title: expect.any(String), source: 'simulated, 240 ×' });
    }
  });

  it('are offered questions only: nothing that changes anything or that only managers may see', async () => {
    await using client = await mcpClient(await start());
    const offered = (await client.listTools()).tools.map(({ name }) => name);
    expect(offered).toEqual(
      expect.arrayContaining(['market', 'coin', 'funding', 'history', 'why', 'scorecard']),
    );
    for (const { name, takes } of commands)
      expect([name, offered.includes(name)]).toEqual([name, takes === undefined]);
    for (const name of ['subscribe', 'silence', 'pause', 'forget', 'at'])
      await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(/no tool/);
  });

  it('ask as a member of the chat without the right to manage', async () => {
    const callers: Caller[] = [];
    const url = await start({
      async ask(_, caller) {
        callers.push(caller);
        return { title: 'Market' };
      },
    });
    await using client = await mcpClient(url, { headers: { 'accept-language': 'es' } });
    await client.callTool({ name: 'market', arguments: {} });
    expect(callers).toMatchObject([
      {
        receiver: { notifier: 'web', address: { room: 'main' } },
        user: 'agent',
        rights: viewerRights,
        language: 'es',
      },
    ]);
    expect(callers[0]?.person).toBeUndefined();
  });

  it('see descriptions of a tool’s inputs, which accept what people and programs write', async () => {
    await using client = await mcpClient(await start());
    const { tools } = await client.listTools();
    const compare = tools.find(({ name }) => name === 'compare')?.inputSchema;
    expect(compare).toMatchObject({
      properties: { symbols: { type: 'string', description: expect.any(String) } },
    });
    const [typed, listed] = await Promise.all(
      ['btc, eth', ['BTCUSDT', 'ETHUSDT']].map((symbols) =>
        client.callTool({ name: 'compare', arguments: { symbols } }),
      ),
    );
    expect(typed?.structuredContent).toEqual(listed?.structuredContent);
  });

  it('get an error with its remedy for an invalid call', async () => {
    await using client = await mcpClient(await start());
    expect(await client.callTool({ name: 'coin', arguments: { symbol: 'bitcoinn' } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('Usage: coin') }],
    });
  });

  it('get an answer only once its preview is complete', async () => {
    const later = Promise.resolve({ title: 'Whole' });
    await using client = await mcpClient(await start({ ask: async () => ({ title: 'First', later }) }));
    const { structuredContent } = await client.callTool({ name: 'market', arguments: {} });
    expect(structuredContent).toEqual({ title: 'Whole' });
  });

  it('need the console’s token if there is one', async () => {
    const url = await start({ token: new Secret('a-token-of-the-console') });
    await expect(mcpClient(url)).rejects.toThrow();
    const headers = { authorization: 'Bearer a-token-of-the-console' };
    await using client = await mcpClient(url, { headers });
    expect((await client.listTools()).tools.length).toBeGreaterThan(15);
  });

  describe('with a key', () => {
    const [asking, reading, managing] = ['ask', 'read', 'manage'].map((name) => `tocsinbot_${name}`);
    const receiver = { notifier: 'telegram', address: { chatId: -1 } };
    const keys: ApiKeys = {
      async findHolder(text) {
        const name = text.split('_')[1] ?? '';
        const scopes = new Set(name === 'manage' ? ['ask', 'manage'] : [name]);
        return [asking, reading, managing].includes(text) ? { id: 'abc', name, receiver, scopes } : undefined;
      },
    };
    const token = new Secret('a-token-of-the-console');

    it('it gets access despite a required token, is offered questions, and has its own rate limit', async () => {
      const callers: Caller[] = [];
      const url = await start({
        keys,
        token,
        async ask(_, caller) {
          callers.push(caller);
          return { title: 'Market' };
        },
      });
      for (const headers of [{ 'x-api-key': asking }, { authorization: `Bearer ${asking}` }]) {
        await using client = await mcpClient(url, { headers: headers as Record<string, string> });
        await client.callTool({ name: 'market', arguments: {} });
        await expect(client.callTool({ name: 'subscribe', arguments: {} })).rejects.toThrow(/no tool/);
      }
      expect(callers).toMatchObject(
        Array(2).fill({
          receiver,
          person: 'key:abc',
          user: 'ask',
          rights: new Set(['ask']),
          answeredElsewhere: true,
        }),
      );
    });

    it('that may manage it is offered the commands that change its place, and no operator’s command', async () => {
      const changed: string[] = [];
      const store = memoryStore();
      const url = await start({
        keys,
        token,
        ask: (request, caller) => ask(request, { caller, store }),
      });
      await using client = await mcpClient(url, { headers: { 'x-api-key': String(managing) } });
      for (const { name, annotations } of (await client.listTools()).tools) {
        const { takes, readOnly = false } = commands.find((each) => each.name === name) ?? {};
        expect([name, takes]).not.toEqual([name, 'operate']);
        expect(annotations?.readOnlyHint).toBe(takes === undefined || readOnly);
        if (annotations?.readOnlyHint === false) changed.push(name);
      }
      expect(changed).toEqual(expect.arrayContaining(['subscribe', 'alert', 'silence']));
      await expect(client.callTool({ name: 'pause', arguments: {} })).rejects.toThrow(/no tool/);
      const silenced = await client.callTool({
        name: 'silence',
        arguments: { kind: 'funding-extreme', for: '4h' },
      });
      expect(silenced.structuredContent).toMatchObject({ title: 'Silenced' });
      expect(store.kept.silences).toMatchObject([{ receiver, createdBy: 'key:abc' }]);
      expect(store.kept.audit).toMatchObject([{ receiver, who: 'manage', person: 'key:abc' }]);
    });

    it.each([
      ['a key that may only read', reading, 403],
      ['a key that is nobody’s', 'tocsinbot_other', 401],
      ['no key and no token', undefined, 401],
    ])('%s is refused', async (_, key, status) => {
      const asked = jsonRequest('POST', {}, key === undefined ? {} : { 'x-api-key': key });
      const answer = await request(await start({ keys, token }), asked);
      expect(answer.statusCode).toBe(status);
    });

    it('an unknown key is refused even if no token is required', async () => {
      const asked = jsonRequest('POST', {}, { 'x-api-key': 'tocsinbot_other' });
      const answer = await request(await start({ keys }), asked);
      expect(answer.statusCode).toBe(401);
    });
  });

  it.each([
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a form of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a name that is not ours', { host: 'rebound.example' }],
  ])('%s is refused', async (_, headers) => {
    const answer = await request(await start(), jsonRequest('POST', {}, headers as Record<string, string>));
    expect(answer.statusCode).toBe(403);
  });

  it('the endpoint does not exist if it is not turned on', async () => {
    const answer = await request(await start({ mcp: false }), { method: 'POST', body: '{}' });
    expect(answer.statusCode).toBe(404);
  });
});
