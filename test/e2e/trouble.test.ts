import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { type Alert, dataBlind } from '#src/alert/alert.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { minute } from '#src/runtime/units.ts';
import type { BotStatus } from '#src/shell/command.ts';
import type { Delivery } from '#src/store/ports.ts';
import { type Hosted, type Misbehaviour, startHosted } from '#test/support/hosted.ts';
import { jsonRequest } from '#test/support/json-request.ts';
import { patience as longest } from '#test/support/patience.ts';
import { configured } from '#test/support/settings.ts';
import { startBot } from '#test/support/start-bot.ts';

/**
 * Market seconds per wall second: ten minutes of trouble pass in three seconds. The bots wait side by side, and in a faster
 * market they would have the processor ask for them all the time.
 */
const speed = 200;
const trouble = 10 * minute;
const apiKey = `tocsin_${'5ec7e70f'.repeat(8)}`;

/** Detectors that look every few minutes; others would take hours of market time to see the trouble, and its end. */
const looking = ['data-quality', 'funding-extreme', 'liquidation-burst', 'oi-momentum', 'regime-transition'];

interface Started {
  readonly hosted: Hosted;
  readonly database?: string;
  /** Ms to wait for an answer of the service. */
  readonly timeout?: number;
}

/** Starts the whole bot beside a hosted service, and keeps everything that it writes. */
async function start(
  { expect, onTestFinished }: TestContext,
  { hosted, database, timeout = patience.timeout }: Started,
) {
  const written: string[] = [];
  const env = {
    TOCSIN_API_URL: hosted.url,
    TOCSIN_API_KEY: apiKey,
    TOCSIN_DATABASE_URL: database ?? 'file::memory:',
    TOCSIN_HTTP_PORT: '0',
  };
  const config = configured(env);
  const bot = await startBot({
    config: {
      ...config,
      // A hosted service's limit is one of real time, which so fast a market would use up.
      data: {
        ...config.data,
        timeout,
        maxBody: 100_000,
        budget: { ...config.data.budget, limit: 100_000, reserve: 50_000 },
      },
      detectors: config.detectors
        .filter(({ detector }) => looking.includes(detector.name))
        // There is only one settlement in which a market can calm down, and markets that are not majors get no alerts.
        .map((each) =>
          each.detector.name === 'funding-extreme'
            ? {
                ...each,
                options: each.detector.options.parse({ calm: 1, majors: ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'] }),
              }
            : each,
        ),
    },
    written,
  });
  onTestFinished(async () => {
    await bot.close();
    await hosted.shut();
  });

  const read = async (path: string, init?: RequestInit): Promise<string> => {
    const answer = await fetch(`${bot.url}${path}`, init);
    const text = await answer.text();
    written.push(text);
    expect(answer.status, `${path}: ${text}`).toBe(200);
    return text;
  };
  const json = async <Value>(path: string) => JSON.parse(await read(path)) as Value;
  return {
    hosted,
    close: bot.close,
    written,
    read,
    status: () => json<BotStatus>('/api/status'),
    alerts: async () =>
      Object.fromEntries(
        (await json<Alert[]>('/api/alerts'))
          .filter(({ labels, status }) => labels.kind !== dataBlind || status !== 'resolved')
          .map(({ labels, status }) => [`${labels.kind} ${labels.symbol}`, status]),
      ),
    /** Returns deliveries as `"web BTC 2 edited"`, newest last. */
    deliveries: async () =>
      (await json<Delivery[]>('/api/deliveries'))
        .reverse()
        .map(
          ({ receiver, title, revision, outcome }) =>
            `${receiver.notifier} ${String(title).split(' ')[0]} ${revision} ${outcome}`,
        ),
    command: (line: string) => read('/api/commands', jsonRequest('POST', { line })),
  };
}
type Bot = Awaited<ReturnType<typeof start>>;

const json = { 'content-type': 'application/json' };
/** Returns an error message of a careless service, which contains the key of the request. */
const echo = (request: { headers: Record<string, unknown> }) =>
  `no luck with ${request.headers['x-api-key']}`;

interface Trouble {
  readonly answer?: Misbehaviour;
  readonly says: RegExp;
  readonly timeout?: number;
}

const troubles: readonly [string, Trouble][] = [
  ['its socket refused', { says: /the connection failed \(ECONNREFUSED\)/ }],
  ['it hanging', { answer: () => {}, says: /no whole answer within 2500 ms/, timeout: 2_500 }],
  [
    'every answer a 500',
    {
      answer: (_, request, response) =>
        response.writeHead(500, json).end(JSON.stringify({ error: echo(request) })),
      says: /the service failed \(500\): no luck with \[secret\]/,
    },
  ],
  [
    'wrong types',
    {
      answer: (right, request, response) => {
        const wrong = Object.keys(right as object).map((name) => [name, { [echo(request)]: name }]);
        response.writeHead(200, json).end(JSON.stringify(Object.fromEntries(wrong)));
      },
      says: /is not as the interface promises/,
    },
  ],
];

const rejections: unknown[] = [];
const rejected = (reason: unknown) => void rejections.push(reason);
beforeAll(() => void process.on('unhandledRejection', rejected));
afterAll(() => {
  process.off('unhandledRejection', rejected);
  expect(rejections).toEqual([]);
});

/** Wall ms between two looks at a bot, which computes something for each of them. */
const interval = 150;
const patience = { timeout: longest, interval };

const extreme = (symbol: string) => ({ symbol, severity: 'EXTREME', zScore: 3.4 });
const fired = { 'funding-extreme BTCUSDT': 'firing', 'funding-extreme ETHUSDT': 'firing' };
const onBoth = (outcomes: readonly string[]) =>
  ['terminal', 'web'].flatMap((notifier) => outcomes.map((each) => `${notifier} ${each}`));

/**
 * Starts a bot that has taken its baselines and has sent two alerts of extreme funding. Its `deliveries` are those after the
 * first `begun`.
 */
async function startTelling(
  context: TestContext,
  options: Omit<Started, 'hosted'> = {},
): Promise<Bot & { readonly begun: number }> {
  const { expect } = context;
  const hosted = await startHosted(speed);
  const bot = await start(context, { hosted, ...options });
  const baselines = async () => (await bot.status()).detectors.filter(({ lastRun }) => lastRun === null);
  await expect.poll(baselines, patience).toEqual([]);
  bot.hosted.settle([extreme('BTCUSDT'), extreme('ETHUSDT')]);
  const first = onBoth(['BTC 1 sent', 'ETH 1 sent']);
  // While the bot starts, a machine that stands still for two seconds lets minutes of this market pass, and the bot
  // rightly reports that it has no data, and then that it has.
  const reportsNoData = (each: string) => each.includes(' No ');
  const told = async () => (await bot.deliveries()).filter((each) => !reportsNoData(each)).sort();
  await expect.poll(told, patience).toEqual(first);
  await expect.poll(bot.alerts, patience).toEqual(fired);
  const begun = (await bot.deliveries()).length;
  return { ...bot, begun, deliveries: async () => (await bot.deliveries()).slice(begun) };
}

/** Calls `look` repeatedly until market time reaches `until`. Returns the last status. */
async function watchUntil(
  until: number,
  bot: Bot,
  look: (status: BotStatus) => Promise<void>,
): Promise<BotStatus> {
  for (;;) {
    const status = await bot.status();
    await look(status);
    if (status.marketTime >= until) return status;
    await wallClock.sleep(interval);
  }
}

const ageOf = ({ feeds }: BotStatus, feed: string): number =>
  feeds.find(({ name }) => name === feed)?.age ?? Number.NaN;

describe('the data service in trouble for ten minutes', () => {
  it.concurrent.for(troubles)(
    '%s: the page says so, no alert is resolved without data, and later changes are sent once',
    async ([, { answer, says, timeout }], context) => {
      const { expect } = context;
      const bot = await startTelling(context, { ...(timeout !== undefined && { timeout }) });
      const { hosted, status, alerts, deliveries } = bot;

      if (answer === undefined) await hosted.shut();
      else hosted.misbehave(answer);
      const problemOf = async (feed: string) =>
        (await status()).feeds.find(({ name }) => name === feed)?.problem?.message;
      await expect.poll(() => problemOf('/funding/extremes'), patience).toMatch(says);
      const before = await status();
      const blind = await watchUntil(before.marketTime + trouble, bot, async (now) => {
        for (const path of ['/', '/healthz', '/metrics']) await bot.read(path);
        for (const { name, age } of before.feeds) {
          // A feed that never had a value has no age.
          if (age === undefined) continue;
          expect(ageOf(now, name), name).toBeGreaterThanOrEqual(age + now.marketTime - before.marketTime - 1);
        }
      });
      expect(ageOf(blind, 'candles')).toBeGreaterThan(trouble);
      expect(blind.marketTime - (blind.away?.since ?? Number.NaN)).toBeGreaterThan(trouble);
      const feed = blind.feeds.find(({ name }) => name === '/funding/extremes');
      expect(feed).toMatchObject({ fresh: false, problem: { message: expect.stringMatching(says) } });
      const detector = blind.detectors.find(({ name }) => name === 'funding-extreme');
      expect(detector?.problem?.message).toMatch(says);
      expect(await bot.command('status')).toMatch(says);
      expect(await bot.command('funding')).not.toContain('failed on our side');
      expect(await alerts()).toEqual(fired);
      expect(await deliveries()).toEqual([]);

      hosted.settle([extreme('ETHUSDT'), extreme('SOLUSDT')]);
      if (answer === undefined) await hosted.open();
      else hosted.misbehave(undefined);
      const after = async () => (await deliveries()).sort();
      const changes = [
        // A terminal cannot edit what it has printed, so the end is a new message.
        'terminal BTC 2 sent',
        'terminal SOL 1 sent',
        'web BTC 2 edited',
        'web SOL 1 edited',
      ];
      await expect.poll(after, patience).toEqual(changes);
      await watchUntil(hosted.now() + trouble, bot, async () => {});
      expect(await after()).toEqual(changes);
      expect(await alerts()).toEqual({
        'funding-extreme BTCUSDT': 'resolved',
        'funding-extreme ETHUSDT': 'firing',
        'funding-extreme SOLUSDT': 'firing',
      });
      const troubled = async () => {
        const { feeds, detectors } = await status();
        return [
          ...feeds.filter(({ fresh }) => !fresh),
          ...detectors.filter(({ problem }) => problem !== null),
        ];
      };
      await expect.poll(troubled, patience).toEqual([]);
      expect((await status()).away).toBeUndefined();

      expect(bot.written.join('\n')).toContain('no data');
      expect(bot.written.filter((text) => text.includes(apiKey.slice(7, 39)))).toEqual([]);
    },
  );

  it.concurrent('a service that answers is never called stale, however fast its market', async (context) => {
    const bot = await start(context, { hosted: await startHosted(3 * speed) });
    await watchUntil(bot.hosted.now() + 3 * trouble, bot, async ({ feeds }) => {
      context.expect(feeds.filter(({ fresh }) => !fresh)).toEqual([]);
    });
  });

  it.concurrent('a bot that starts before its service follows it into the service’s market time', async (context) => {
    const hosted = await startHosted(speed);
    await hosted.shut();
    const { status } = await start(context, { hosted });
    await context.expect
      .poll(async () => (await status()).detectors[0]?.problem?.message, patience)
      .toMatch(/failed/);
    hosted.prepare(false);
    await hosted.open();
    const running = async () => {
      const { ready, detectors } = await status();
      return { ready, blind: detectors.filter(({ lastRun }) => lastRun === null).map(({ name }) => name) };
    };
    await context.expect.poll(running, patience).toEqual({ ready: false, blind: [] });
    hosted.prepare(true);
    await context.expect.poll(running, patience).toEqual({ ready: true, blind: [] });
  });

  it.concurrent('a bot that restarts while its service is away still knows the alerts that it has sent', async (context) => {
    const { expect, onTestFinished } = context;
    const home = await mkdtemp(join(tmpdir(), 'tocsin-trouble-'));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const database = `file:${join(home, 'bot.db')}`;
    const first = await startTelling(context, { database });
    const { hosted } = first;
    await first.close();
    await hosted.shut();
    const second = await start(context, { hosted, database });
    const problems = async () =>
      (await second.status()).detectors
        .filter(({ name }) => looking.includes(name))
        .map(({ problem }) => problem);
    await expect.poll(problems, patience).not.toContain(null);
    hosted.settle([extreme('ETHUSDT')]);
    await hosted.open();
    const resolved = ['terminal BTC 2 sent', 'web BTC 2 edited'];
    await expect
      .poll(async () => (await second.deliveries()).slice(first.begun).sort(), patience)
      .toEqual(resolved);
  });
});
