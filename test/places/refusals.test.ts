import { request } from 'undici';
import { afterAll, describe, expect, it } from 'vitest';
import { createApiData } from '#src/app/console/api-data.ts';
import { createRuleDesk } from '#src/app/console/rule-desk.ts';
import { readPlaces } from '#src/app/files/read.ts';
import type { Failure } from '#src/card/card.ts';
import type { ConsoleOptions } from '#src/platforms/web/console.ts';
import web from '#src/platforms/web/platform.ts';
import { DatabaseAway, DatabaseLost } from '#src/runtime/errors.ts';
import type { CommandContext } from '#src/shell/command.ts';
import { runCommand } from '#src/shell/run.ts';
import type { CommandStore } from '#src/store/ports.ts';
import { subscription } from '#test/support/alerts.ts';
import { caller, commandContext, commands } from '#test/support/commands.ts';
import { startConsole } from '#test/support/console.ts';
import { now, universe } from '#test/support/data.ts';
import { jsonRequest } from '#test/support/json-request.ts';
import { mcpClient } from '#test/support/mcp.ts';
import { memoryStore } from '#test/support/memory-store.ts';
import { rule } from '#test/support/rules.ts';

const started = new AsyncDisposableStack();
afterAll(() => started.disposeAsync());

const { receiver } = caller;

/** A place with 50 own alerts, one of which is about BTC, and a subscription that a file has set. */
const place = () =>
  memoryStore({
    subscriptions: [
      { ...subscription({ receiver, kinds: ['oi-momentum'] }), id: 'filed', file: 'team.yaml' },
    ],
    rules: Array.from({ length: 50 }, (_, n) =>
      rule({ receiver, id: `r${n}`, condition: `funding.z > ${n}`, symbols: ['BTCUSDT'] }),
    ),
  });

/** Starts the console over such a place. A change throws what `over` makes of it. */
async function doors(over: Partial<CommandContext> = {}) {
  const store = place();
  const context = (more: Partial<CommandContext> = {}) => commandContext({ store, ...more, ...over });
  const logged: unknown[] = [];
  const report = (error: unknown) => `ref${logged.push(error)}`;
  const records = { scores: async () => [] };
  const ask: Pick<ConsoleOptions, 'ask'> = {
    ask: (asked, who) => runCommand(commands, { request: asked, context: context({ caller: who }), report }),
  };
  const console = await startConsole({
    ...ask,
    commands,
    mcp: true,
    desk: createRuleDesk({
      ...ask,
      contextOf: async (who) => context({ caller: { ...who, receiver } }),
      log: { page: async () => [] },
    }),
    keys: {
      findHolder: async () => ({ id: 'k', name: 'k', receiver, scopes: new Set(['read', 'ask', 'manage']) }),
    },
    api: createApiData({
      store: store as never,
      records,
      now: () => now,
      contextOf: async (who) => context({ caller: who }),
    }),
  });
  started.defer(() => console.close());
  const headers = { 'x-api-key': 'tocsinbot_k', 'content-type': 'application/json' };
  return {
    store,
    async chat(line: string) {
      const { failure } = await runCommand(commands, { request: line, context: context(), report });
      return failure?.code;
    },
    async api(line: string, body?: object) {
      const [method = '', path = ''] = line.split(' ');
      const answer = await request(`${console.url}/api/v1${path}`, {
        method: method as 'GET',
        headers: body === undefined ? { 'x-api-key': headers['x-api-key'] } : headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const { error } = (await answer.body.json()) as { error?: string };
      return { status: answer.statusCode, error, retryAfter: answer.headers['retry-after'] };
    },
    async agent(name: string, given: Record<string, unknown>) {
      await using client = await mcpClient(`${console.url}/mcp`, { headers });
      const { isError, content } = await client.callTool({ name, arguments: given });
      return { isError, text: (content as { text: string }[]).map(({ text }) => text).join() };
    },
    /** Saves what is built on the page. */
    async draft(draft: object) {
      const asked = jsonRequest('POST', { draft, room: 'here' }, { origin: console.url });
      const answer = await request(`${console.url}/api/rules`, asked);
      const { error } = (await answer.body.json()) as { error?: string };
      return { status: answer.statusCode, error };
    },
    async page(line: string) {
      const asked = jsonRequest('POST', { line, room: 'here' }, { origin: console.url });
      const answer = await request(`${console.url}/api/commands`, asked);
      const { refused } = (await answer.body.json()) as { refused?: boolean };
      return refused;
    },
  };
}

/** What files say, in the one place of the tests. */
const flawsOf = async (text: string) => {
  const { kinds } = commandContext();
  const texts = { 'team.yaml': `- at: web:here\n  ${text}` };
  const read = { platforms: [web], kinds, universe, now };
  return (await readPlaces({ texts, flaws: [], variables: {} }, read)).flaws.map((flaw) => flaw.text);
};

interface Case {
  readonly refused: string;
  readonly code: Failure['code'];
  readonly status: number;
  readonly line: string;
  readonly api: readonly [line: string, body?: object];
  readonly tool: readonly [name: string, given: Record<string, unknown>];
  /** The same as it is built on the page; left out where the page builds no such thing. */
  readonly draft?: object;
  /** The same in a file; left out where a file cannot say it. */
  readonly inFile?: string;
  readonly says: RegExp;
}

const cases: readonly Case[] = [
  {
    refused: 'a metric that there is not',
    code: 'invalid',
    status: 400,
    line: 'alert create fundingg.z above=1 btc',
    api: ['POST /rules', { metric: 'fundingg.z', above: 1, symbols: ['BTCUSDT'] }],
    tool: ['alert', { action: 'create', metric: 'fundingg.z', above: 1, symbols: 'btc' }],
    draft: { metric: 'fundingg.z', above: 1, symbols: 'BTCUSDT' },
    inFile: 'alerts: [fundingg.z > 1 btc]',
    says: /fundingg\.z/,
  },
  {
    refused: 'a condition that is always true',
    code: 'invalid',
    status: 400,
    line: 'alert create when="funding.z > 1 || funding.z <= 1" btc',
    api: ['POST /rules', { when: 'funding.z > 1 || funding.z <= 1', symbols: 'btc' }],
    tool: ['alert', { action: 'create', when: 'funding.z > 1 || funding.z <= 1', symbols: 'btc' }],
    draft: { when: 'funding.z > 1 || funding.z <= 1', symbols: 'BTCUSDT' },
    inFile: 'alerts: [{ when: "funding.z > 1 || funding.z <= 1", symbols: [btc] }]',
    says: /always/,
  },
  {
    refused: 'a digest’s time without a digest',
    code: 'invalid',
    status: 400,
    line: 'subscribe funding-extreme at=8',
    api: ['POST /subscriptions', { kinds: 'funding-extreme', at: '8' }],
    tool: ['subscribe', { kinds: 'funding-extreme', at: '8' }],
    inFile: 'subscriptions: [funding-extreme at=8]',
    says: /belongs to a daily or weekly digest/,
  },
  {
    refused: 'a market that is not tracked',
    code: 'invalid',
    status: 400,
    line: 'subscribe funding-extreme bitcoinn',
    api: ['POST /subscriptions', { kinds: 'funding-extreme', symbols: 'bitcoinn' }],
    tool: ['subscribe', { kinds: 'funding-extreme', symbols: 'bitcoinn' }],
    inFile: 'subscriptions: [{ kinds: [funding-extreme], symbols: [bitcoinn] }]',
    says: /bitcoinn/,
  },
  {
    refused: 'an id that the place does not have',
    code: 'unknown',
    status: 404,
    line: 'alert delete id=nothing',
    api: ['DELETE /rules/nothing'],
    tool: ['alert', { action: 'delete', id: 'nothing' }],
    draft: { id: 'nothing', metric: 'funding.z', above: 1, symbols: 'BTCUSDT' },
    says: /has the id "nothing"/,
  },
  {
    refused: 'what is there already',
    code: 'conflict',
    status: 409,
    line: 'alert create funding.z above=7 btc',
    api: ['POST /rules', { metric: 'funding.z', above: 7, symbols: ['BTCUSDT'] }],
    tool: ['alert', { action: 'create', metric: 'funding.z', above: 7, symbols: 'btc' }],
    draft: { metric: 'funding.z', above: 7, symbols: 'BTCUSDT' },
    inFile: 'alerts: [btc funding.z>7, btc funding.z>7]',
    says: /already/,
  },
  {
    refused: 'a change of what a file has set',
    code: 'conflict',
    status: 409,
    line: 'edit filed severity=critical',
    api: ['PATCH /subscriptions/filed', { severity: 'critical' }],
    tool: ['edit', { id: 'filed', severity: 'critical' }],
    says: /set by team\.yaml/,
  },
  {
    refused: 'one more than there may be',
    code: 'limit',
    status: 409,
    line: 'alert create funding.z above=77 btc',
    api: ['POST /rules', { metric: 'funding.z', above: 77, symbols: ['BTCUSDT'] }],
    tool: ['alert', { action: 'create', metric: 'funding.z', above: 77, symbols: 'btc' }],
    draft: { metric: 'funding.z', above: 77, symbols: 'BTCUSDT' },
    says: /at its limit of 50 own alerts/,
  },
];

describe('every door refuses the same, each in its own form', () => {
  it.each(cases)('$refused', async ({ code, status, line, api, tool, draft, inFile, says }) => {
    const { store, ...through } = await doors();
    const before = structuredClone(store.kept);
    expect(await through.chat(line)).toBe(code);
    const answer = await through.api(...api);
    expect(answer).toMatchObject({ status, error: expect.stringMatching(says) });
    expect(await through.agent(...tool)).toMatchObject({ isError: true, text: expect.stringMatching(says) });
    expect(await through.page(line)).toBe(true);
    if (draft !== undefined)
      expect(await through.draft(draft)).toMatchObject({ status, error: expect.stringMatching(says) });
    if (inFile !== undefined) expect((await flawsOf(inFile)).join()).toMatch(says);
    expect(store.kept).toEqual(before);
  });

  it('a draft is saved as the page shows it', async () => {
    const { store, ...through } = await doors();
    store.kept.rules.shift();
    const draft = { metric: 'funding.z', above: 77, symbols: 'BTCUSDT', for: '10m' };
    expect(await through.draft(draft)).toEqual({ status: 200, error: undefined });
    expect(store.kept.rules.at(-1)).toMatchObject({ condition: 'funding.z > 77', hold: 600_000 });
  });

  it('a wish that is done is no refusal at any door', async () => {
    const { store, ...through } = await doors();
    expect(await through.chat('silence oi-momentum 1h')).toBeUndefined();
    expect(await through.api('POST /silences', { kind: 'oi-momentum', for: '2h' })).toMatchObject({
      status: 200,
    });
    expect((await through.agent('silence', { kind: 'oi-momentum', for: '3h' })).isError).toBeFalsy();
    expect(await through.page('silence oi-momentum 4h')).toBeUndefined();
    expect(await flawsOf('subscriptions: [oi-momentum]')).toEqual([]);
    expect(store.kept.silences).toHaveLength(1);
  });
});

const refusedConnection = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const brokenPipe = () => Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
const serverEnds = () => Object.assign(new Error('terminating connection'), { code: '57P01' });

describe('what is nobody’s mistake is not told as one', () => {
  it.each<[string, () => Error, Failure['code'], number]>([
    ['a database that does not answer', () => new DatabaseAway(refusedConnection()), 'unavailable', 503],
    ['another server that refuses a connection', refusedConnection, 'defect', 500],
    ['a broken pipe of a program', brokenPipe, 'defect', 500],
    ['the code of a database in an error of something else', serverEnds, 'defect', 500],
    ['a database that is lost', () => new DatabaseLost('the file was deleted'), 'unavailable', 503],
    ['a change that takes too long', () => new DOMException('late', 'TimeoutError'), 'unavailable', 503],
    ['a defect', () => new TypeError('x is not a function'), 'defect', 500],
  ])('%s', async (_, error, code, status) => {
    const change: CommandStore['change'] = () => Promise.reject(error());
    const through = await doors({ store: { ...place(), change } });
    expect(await through.chat('silence oi-momentum 1h')).toBe(code);
    const answer = await through.api('POST /silences', { kind: 'oi-momentum', for: '2h' });
    expect(answer.status).toBe(status);
    expect(answer.retryAfter).toEqual(status === 503 ? '60' : undefined);
    if (status === 500) expect(answer.error).toMatch(/the log has it under \S+/);
    expect((await through.agent('silence', { kind: 'oi-momentum', for: '3h' })).isError).toBe(true);
    expect(await through.page('silence oi-momentum 4h')).toBe(true);
    const draft = { metric: 'funding.z', above: 77, symbols: 'BTCUSDT' };
    expect((await through.draft(draft)).status).toBe(status);
  });

  it('markets that are not known yet: the same request is taken later', async () => {
    const through = await doors({ universe: [] });
    expect(await through.chat('silence oi-momentum btc 1h')).toBe('unready');
    expect(await through.chat('watchlist add top20')).toBe('unready');
    expect(await through.api('POST /silences', { symbol: 'btc', for: '2h' })).toMatchObject({
      status: 503,
      retryAfter: '60',
    });
  });

  it('a change needs no market data: a data service that is down stops none', async () => {
    const data = new Proxy({} as CommandContext['data'], {
      get: () => () => Promise.reject(new TypeError('asked')),
    });
    const { store, ...through } = await doors({ data });
    store.kept.rules.shift();
    const body = { metric: 'funding.z', above: 77, symbols: ['BTCUSDT'] };
    expect(await through.api('POST /rules', body)).toMatchObject({ status: 200 });
    expect(await through.api('PATCH /rules/r1', { severity: 'critical' })).toMatchObject({ status: 200 });
  });
});

it('a watchlist that stays as it is changes nothing in the change log', async () => {
  const { store, ...through } = await doors();
  await through.chat('watchlist add btc');
  for (const line of ['watchlist add btc', 'watchlist remove eth'])
    expect(await through.chat(line)).toBeUndefined();
  expect(store.kept.audit).toHaveLength(1);
});

it('a body that the operation does not describe changes nothing', async () => {
  const { store, ...through } = await doors();
  const before = structuredClone(store.kept);
  for (const more of [{ preview: 'yes' }, { action: 'delete', id: 'r1' }, { level: 5 }])
    expect(await through.api('POST /rules', { metric: 'funding.z', ...more })).toMatchObject({ status: 400 });
  expect(store.kept).toEqual(before);
});

it('no number or name is made of what is none', async () => {
  const { store, ...through } = await doors();
  const before = structuredClone(store.kept);
  for (const above of [null, true, [], [5], [5, 6], {}, '', ' ']) {
    expect(await through.api('POST /rules', { metric: 'funding.z', above, symbols: 'btc' })).toMatchObject({
      status: 400,
    });
    expect(await through.draft({ metric: 'funding.z', above, symbols: 'BTCUSDT' })).toMatchObject({
      status: 400,
    });
  }
  for (const symbols of [null, ['btc', null], [['btc']], { 0: 'btc' }, ['btc', '']])
    expect(await through.api('POST /rules', { metric: 'funding.z', above: 78, symbols })).toMatchObject({
      status: 400,
    });
  for (const limit of [null, [5], true])
    expect(await through.agent('history', { limit })).toMatchObject({ isError: true });
  for (const body of [null, [], 'funding.z', 5] as const)
    expect(await through.api('POST /subscriptions', body as never)).toMatchObject({ status: 400 });
  expect(store.kept).toEqual(before);
});
