import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contract, type EndpointAnswer, type EndpointName } from '#src/contract/index.ts';
import { type Service, startService } from '#src/service/run/service.ts';
import { patience } from '#test/support/patience.ts';

const followed = 10;
const shortLived = ['ZEPHYR', 'QUARTZ', 'LANTERN', 'MERIDIAN', 'COBALT'].map((base) => `${base}USDT`);
let service: Service;
beforeAll(async () => {
  service = await startService({
    market: { kind: 'simulated', seed: 7 },
    speed: 1,
    host: '127.0.0.1',
    port: 0,
    symbols: followed,
    checks: { symbols: 0, every: 600_000 },
    archiveUrl: 'file::memory:',
    limits: { window: 1_000, anonymous: 100_000, key: 100_000 },
    log: pino({ level: 'silent' }),
  });
  await service.ready;
});
afterAll(() => service.close());

async function ask<Name extends EndpointName>(
  name: Name,
  query: Record<string, string> = {},
): Promise<EndpointAnswer<Name>> {
  const response = await fetch(`${service.url}${contract[name].path}?${new URLSearchParams(query)}`);
  const body = await response.json();
  expect([name, query, response.status, (body as { error?: string }).error]).toEqual([
    name,
    query,
    200,
    undefined,
  ]);
  return contract[name].answer.parse(body) as EndpointAnswer<Name>;
}

it('says which markets it lists, which it follows, and which are no coins', async () => {
  const { symbols, listed = [], kinds = {} } = await ask('meta');
  // Beside the 600 there are short-lived ones, of which there is a price alone.
  expect([symbols.length >= followed, listed.length >= 600]).toEqual([true, true]);
  expect(listed).toEqual(expect.arrayContaining([...symbols, 'ZECUSDT', 'BTCUSDC', '牛来USDT']));
  expect(kinds).toMatchObject({
    XAUUSDT: 'COMMODITY',
    TSLAUSDT: 'STOCK',
    BTCDOMUSDT: 'INDEX',
    OPENAIUSDT: 'PREMARKET',
  });
  expect(Object.keys(kinds).length).toBe(30);
});

it('fetches the past of a listed market for whoever asks first, and says since when it follows it', async () => {
  const before = Date.now();
  const coin = await ask('intelligence', { symbol: 'ZECUSDT' });
  expect(Date.now() - before).toBeLessThan(10_000);
  expect([coin.candles24h.length, coin.fundingHistory.length, coin.oiHistory.length]).toEqual([24, 10, 24]);
  expect(coin.signal).toBeDefined();
  expect(Date.parse(coin.followedSince ?? '')).toBeGreaterThan(
    Date.parse((await ask('meta')).marketTime) - 60_000,
  );
  expect((await ask('meta')).symbols).toContain('ZECUSDT');
  for (const name of ['oiMomentum', 'volumeCvd', 'lsRatioHistory', 'basis'] as const)
    expect([name, (await ask(name, { symbol: 'ZECUSDT' })).data.length]).not.toEqual([name, 0]);
  expect((await ask('intelligence', { symbol: 'BTCUSDT' })).followedSince).toBeUndefined();
});

it('answers of listed markets, whether or not their past can still be fetched, and of no other', async () => {
  const { listed = [] } = await ask('meta');
  // More than are fetched at once. The benchmark `market` asks about all.
  for (const symbol of listed.slice(followed).filter((_, index) => index % 25 === 0)) {
    const [coin, funding, oi] = await Promise.all([
      ask('intelligence', { symbol }),
      ask('fundingHistory', { symbol }),
      ask('oi', { symbol }),
    ]);
    expect([symbol, coin.price > 0]).toEqual([symbol, true]);
    if (shortLived.includes(symbol)) continue;
    expect([symbol, coin.funding !== undefined]).toEqual([symbol, true]);
    expect([symbol, funding.data.length > 0, oi.data.length > 0]).toEqual([symbol, true, true]);
  }
  for (const symbol of ['NOSUCHUSDT', 'SOONUSDT', 'OCEANUSDT']) {
    const response = await fetch(`${service.url}/intelligence?symbol=${symbol}`);
    expect([symbol, response.status, await response.json()]).toEqual([
      symbol,
      400,
      { error: 'Invalid symbol' },
    ]);
  }
});

it('tells the liquidations of all venues apart from those of the primary one, and how much each publishes', async () => {
  // Each venue's past is filled in a loop of its own.
  const venues = async () =>
    new Set((await ask('venueLiquidations', { limit: '500' })).data.map(({ venue }) => venue)).size;
  await expect.poll(venues, { interval: 200, timeout: patience }).toBe(3);
  // Asked for in this order: what comes between the two answers is in the second one alone.
  const all = await ask('venueLiquidations', { limit: '500' });
  const primary = await ask('liquidations', { limit: '500' });
  expect(all.coverage.map(({ venue, publishes }) => [venue, publishes]).sort()).toEqual([
    ['binance', 'ONE_A_SECOND'],
    ['bybit', 'ALL'],
    ['okx', 'ONE_A_SECOND'],
  ]);
  expect(new Set(all.data.map(({ venue }) => venue))).toEqual(new Set(['binance', 'bybit', 'okx']));
  expect([...primary.data, ...all.data].filter(({ symbol }) => symbol.includes('/'))).toEqual([]);
  const oldest = all.data.at(-1)?.event_time ?? '';
  const own = all.data.filter(({ venue }) => venue === 'binance').map(({ venue: _, ...row }) => row);
  const newest = own[0]?.event_time ?? '';
  const among = primary.data.filter(({ event_time }) => event_time >= oldest && event_time <= newest);
  expect(own).toEqual(among.slice(0, own.length));
  const bitcoin = await ask('venueLiquidations', { symbol: 'BTCUSDT', limit: '500' });
  expect(new Set(bitcoin.data.map(({ symbol }) => symbol))).toEqual(new Set(['BTCUSDT']));
  expect(new Set(bitcoin.data.map(({ venue }) => venue)).size).toBe(3);
});
