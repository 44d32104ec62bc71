import { beforeEach, describe, expect, test } from 'vitest';
import type { DataClient } from '#src/contract/data-client.ts';
import { exportOf, readPlace } from '#src/places/export-import.ts';
import { positionRule } from '#src/places/positions.ts';
import { ApiError, type ApiErrorReason } from '#src/runtime/errors.ts';
import { hour, iso } from '#src/runtime/units.ts';
import { memberRights, viewerRights } from '#src/shell/rights.ts';
import type { Store } from '#src/store/ports.ts';
import { addresses } from '#test/support/addresses.ts';
import { ask as asking, caller } from '#test/support/commands.ts';
import { answers, dataClient, now } from '#test/support/data.ts';
import { ownStore } from '#test/support/own-store.ts';

let store: Store;
beforeEach(async () => {
  store = await ownStore('file::memory:', { addresses });
});
const ask = (line: string, over: object = {}) => asking(line, { store, ...over });
const kept = () => store.rules.of(caller.receiver);
const factOf = (card: Awaited<ReturnType<typeof ask>>, name: string) =>
  card.facts?.find((fact) => fact.name === name)?.value;

test.each([
  [
    'position btc long 60000 10x',
    'price.last < 55951.8',
    '54,216',
    { side: 'long', entry: 60_000, leverage: 10 },
  ],
  [
    'position btc short 60k x20 0.5',
    'price.last > 61924.3',
    '62,749',
    { side: 'short', entry: 60_000, leverage: 20, size: 0.5 },
  ],
  [
    'pos open eth long entry=2,000 leverage=5',
    'price.last < 1724.5',
    '1,606',
    { side: 'long', entry: 2_000, leverage: 5 },
  ],
])('%s is an own alert that fires near its liquidation', async (line, condition, liquidation, position) => {
  const card = await ask(line);
  expect(card.title).toBe('Position noted');
  expect(factOf(card, 'Liquidation (estimate)')).toContain(liquidation);
  expect(factOf(card, 'Distance')).toBeDefined();
  expect(await kept()).toMatchObject([{ condition, position, severity: 'critical' }]);
});

test.each([
  'position btc long 60000',
  'position btc 60000 10x',
  'position btc long 0 10x',
  'position btc long -5 10x',
  'position btc long 60000 500x',
  'position btc long 60000 0x',
  'position btc long 60000 10x venue=nowhere',
  'position btc long 60000 10x nowhere',
  'position btc long 60000 10x 1e3',
  'position btc long 60000 10x nowhere venue=okx',
  'position open',
])('%s is refused', async (line) => {
  await ask(line);
  expect(await kept()).toEqual([]);
});

describe('positions', () => {
  test('are listed, changed and ended, and other alerts stay', async () => {
    await ask('alert create price.last above=1000000 btc');
    await ask('position btc long 60000 10x');
    const id = (await kept()).find(({ position }) => position !== undefined)?.id ?? '';
    expect((await ask('position')).table?.rows).toHaveLength(1);
    expect((await ask(`position edit id=${id} leverage=20x`)).title).toBe('Position changed');
    expect((await kept()).find((rule) => rule.id === id)).toMatchObject({
      condition: 'price.last < 58060.2',
      position: { side: 'long', entry: 60_000, leverage: 20 },
    });
    expect((await ask('position end all')).title).toBe('Position forgotten');
    expect(await kept()).toMatchObject([{ condition: 'price.last > 1000000' }]);
    expect((await ask('position')).summary).toContain('None yet');
  });

  test('keep when they are changed what was set of their alerts', async () => {
    await ask('position btc long 60000 10x');
    const [{ id } = { id: '' }] = await kept();
    await ask(`alert edit id=${id} severity=warning`);
    await ask(`alert pause id=${id}`);
    await ask(`position edit id=${id} leverage=20x`);
    expect(await kept()).toMatchObject([
      { paused: true, severity: 'warning', condition: 'price.last < 58060.2' },
    ]);
  });

  test('of one market, or one by its id, are shown alone', async () => {
    await ask('position btc long 60000 10x');
    await ask('position eth short 2000 5x');
    const rules = await kept();
    const [btc, eth] = ['BTCUSDT', 'ETHUSDT'].map((symbol) =>
      rules.find(({ symbols: [only] }) => only === symbol),
    );
    expect((await ask('position')).table?.rows).toHaveLength(2);
    expect((await ask('position eth')).table?.rows).toMatchObject([[eth?.id, {}, {}, {}, {}]]);
    expect((await ask('position sol')).summary).toContain('None yet');
    const card = await ask(`position ${btc?.id}`);
    expect([factOf(card, 'Id'), factOf(card, 'Liquidation (estimate)')]).toEqual([btc?.id, '54,216.87']);
    expect(await kept()).toHaveLength(2);
  });

  test('are as far from liquidation as the newest price, which may be newer than the last closed hour', async () => {
    const [row] = answers.prices.data.filter(({ symbol }) => symbol === 'BTCUSDT');
    const priced = (price: number, timestamp = iso(now)) =>
      dataClient({ prices: { count: 1, data: row === undefined ? [] : [{ ...row, price, timestamp }] } });
    const shown = async (data: DataClient) => {
      const card = await ask('position btc long 60000 10x', { data });
      await ask('position end all');
      return [factOf(card, 'Price'), factOf(card, 'Distance'), factOf(card, 'Result on the margin')];
    };
    expect(await shown(priced(60_000))).toEqual(['60,000.00', expect.stringMatching(/^9\.6%/), '0.0%']);
    expect(await shown(priced(54_000))).toEqual(['54,000.00', 'passed', '−100.0%']);
    expect(await shown(priced(60_000, iso(now - 2 * hour)))).toContain('97,000.00');
    const noCandles = { candles: new ApiError('/candles', 'unreachable', 'none') };
    expect(await shown(dataClient(noCandles))).toEqual(['97,000.00', '44.1%', '+616.7%']);
  });

  test('are exported and imported as they are', async () => {
    await ask('position btc short 60000 10x 2');
    const written = JSON.stringify(exportOf(await readPlace(caller.receiver, store)));
    const [before] = await kept();
    await ask('position end all');
    await ask(`import ${written} confirm=yes`);
    expect(await kept()).toMatchObject([{ position: before?.position, condition: before?.condition }]);
  });

  test('are imported once, whatever tier they have', async () => {
    await ask('position btc short 60000 10x 2 venue=hyperliquid funding=20');
    await ask(`import ${JSON.stringify(exportOf(await readPlace(caller.receiver, store)))} confirm=yes`);
    expect(await kept()).toMatchObject([{ position: { venue: 'hyperliquid', tier: { upTo: 300_000 } } }]);
  });

  test.each([
    ['a rate of all', { rate: 1 }],
    ['a deduction that leaves nothing to lose', { deduction: 1e9 }],
    ['another unit', { unit: 'LOTS' }],
  ])('whose tier has %s are not imported', async (_, wrong) => {
    await ask('position btc long 60000 10x 2');
    const written = JSON.parse(JSON.stringify(exportOf(await readPlace(caller.receiver, store))));
    await ask('position end all');
    Object.assign(written.alerts[0].position.tier, wrong);
    await ask(`import ${JSON.stringify(written)} confirm=yes`);
    expect(await kept()).toEqual([]);
  });

  test('are for those who manage the chat, and their answer for the asker alone', async () => {
    for (const rights of [memberRights, viewerRights]) {
      const over = { caller: { ...caller, rights } };
      await ask('position btc long 60000 10x', over);
      expect((await ask('position', over)).table).toBeUndefined();
    }
    expect(await kept()).toEqual([]);
  });

  test('that nothing can liquidate are refused', () => {
    const author = { receiver: caller.receiver, who: 'ada', person: null, at: 0 };
    const given = { symbol: 'BTCUSDT', side: 'long', entry: 1, leverage: 0.9 } as const;
    expect(() => positionRule(given, author)).toThrow(/not liquidated/);
  });
});

describe('the exchange’s tiers', () => {
  const tierOf = async (line: string, over: object = {}) => {
    const card = await ask(line, over);
    return [factOf(card, 'Margin tier'), factOf(card, 'Liquidation (estimate)')];
  };
  const unanswered = (reason: ApiErrorReason) => ({
    data: dataClient({ leverageTiers: new ApiError('/leverage/tiers', reason, 'none') }),
  });

  test('are told with the size they are for; without a size the smallest is taken', async () => {
    expect(await tierOf('position btc long 60000 10x')).toEqual([
      'Binance USD-M: 0.40% maintenance, up to $300K (the smallest tier, as no size is given)',
      '54,216.87',
    ]);
    expect(await tierOf('position btc long 60000 10x 1')).toEqual([
      'Binance USD-M: 0.40% maintenance, up to $300K',
      '54,216.87',
    ]);
    // 600,000 × 0.9 at 0.5 %, less 300 for the first 300,000.
    expect(await tierOf('position btc long 60000 10x 10')).toEqual([
      'Binance USD-M: 0.50% maintenance, up to $800K',
      '54,241.21',
    ]);
  });

  test('that count coins are told in coins, and charge the whole position', async () => {
    const tiers = [
      { upTo: 20, maintenanceRate: 0.01, maxLeverage: 75 },
      { upTo: 40, maintenanceRate: 0.015, maxLeverage: 50 },
    ];
    const okx = { venue: 'okx', title: 'OKX', symbol: 'BTCUSDT', unit: 'COINS' as const, tiers };
    const data = dataClient({ leverageTiers: okx });
    expect(await tierOf('position btc long 60000 10x 30', { data })).toEqual([
      'OKX: 1.50% maintenance, up to 40 BTC',
      '54,822.34',
    ]);
    expect(JSON.stringify(await ask('position btc long 60000 60x 30', { data }))).toMatch(
      /50x .* up to 40 BTC/,
    );
  });

  test.each(['not_offered', 'unreachable', 'malformed'] as const)(
    'that are %s are assumed, and the card says so',
    async (reason) => {
      expect(await tierOf('position btc long 60000 10x', unanswered(reason))).toEqual([
        'not known: 0.5% maintenance is assumed',
        '54,271.36',
      ]);
      expect((await kept())[0]?.position).not.toHaveProperty('tier');
    },
  );

  test.each([
    ['position btc long 60000 126x', /at most 125x for a position of up to \$300K/],
    ['position btc long 60000 101x 10', /at most 100x for a position of up to \$800K/],
    ['position btc long 60000 10x 51', /no position of more than \$3M/],
  ])('%s: the exchange does not take it', async (line, said) => {
    expect(JSON.stringify(await ask(line))).toMatch(said);
    expect(await kept()).toEqual([]);
  });

  test('are those of the exchange that is named, and a change asks that one again', async () => {
    const asked: unknown[] = [];
    const data = {
      ...dataClient(),
      leverageTiers: async (query: unknown) => {
        asked.push(query);
        return dataClient().leverageTiers();
      },
    };
    await ask('position eth long 2000 10x hyperliquid', { data });
    const id = (await kept())[0]?.id ?? '';
    await ask(`position edit id=${id} size=200`, { data });
    expect(asked).toEqual([
      { symbol: 'ETHUSDT', venue: 'hyperliquid' },
      { symbol: 'ETHUSDT', venue: 'hyperliquid' },
    ]);
    expect(await kept()).toMatchObject([
      { position: { size: 200, tier: { upTo: 800_000, deduction: 300 } } },
    ]);
  });

  test('of a market that the named exchange does not trade are asked for in vain, and nothing is noted', async () => {
    const card = await ask('position btc long 60000 10x venue=hyperliquid', unanswered('invalid_request'));
    expect(JSON.stringify(card)).toMatch(/may not be traded there/);
    expect(await kept()).toEqual([]);
  });

  test('stay where a change is not about the liquidation, and are read anew where it is', async () => {
    await ask('position btc long 60000 10x 1');
    const [before] = await kept();
    await ask(`position edit id=${before?.id} funding=20`, unanswered('unreachable'));
    expect(await kept()).toMatchObject([{ condition: before?.condition, position: before?.position }]);
    expect(JSON.stringify(await ask(`position edit id=${before?.id} leverage=126x`))).toMatch(/at most 125x/);
    await ask(`position edit id=${before?.id} leverage=20x`, unanswered('unreachable'));
    expect((await kept())[0]?.position).toMatchObject({ leverage: 20 });
    expect((await kept())[0]?.position).not.toHaveProperty('tier');
  });
});
