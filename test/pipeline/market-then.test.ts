import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { Change } from '#src/alert/alert.ts';
import { revise } from '#src/alert/alert.ts';
import { alertCard } from '#src/card/alert-card.ts';
import { sayCard } from '#src/card/say-card.ts';
import { plainReader } from '#src/language/say.ts';
import { createTellMarket } from '#src/pipeline/market-then.ts';
import type { WallClock } from '#src/runtime/clock.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { iso, minute, second } from '#src/runtime/units.ts';
import { fakeClock } from '#test/support/clock.ts';

const now = Date.parse('2025-11-13T16:00:00.000Z');
const change = (over: Partial<Change> = {}): Change => ({
  status: 'firing',
  labels: { kind: 'funding-extreme', symbol: 'BTCUSDT' },
  severity: 'warning',
  annotations: {
    title: 'BTC funding extreme: +0.0810% per 8 h (z 3.4)',
    summary: 'Longs pay shorts far more than usual over the last 30 days: longs are crowded.',
    facts: [{ name: 'Rate', value: '+0.0810%' }],
    dataTime: now,
  },
  ...over,
});
const price = {
  symbol: 'BTCUSDT',
  price: 42_000,
  timestamp: iso(now - minute),
  change1hPct: 0.4,
  change24hPct: -3.4,
};
const pages = [
  { title: 'Binance', url: 'https://www.binance.com/en/futures/{symbol}' },
  { title: 'TradingView', url: 'https://www.tradingview.com/chart/?symbol=BINANCE%3A{symbol}.P' },
  { title: 'Elsewhere', url: 'https://example.org/{base}-usdt' },
];

function tellMarketFrom(
  given: {
    rows?: readonly object[];
    source?: string;
    fail?: Error;
    asked?: string[];
    oneVenue?: boolean;
    wall?: WallClock;
    prices?: (query: object, signal: AbortSignal) => Promise<never>;
  } = {},
) {
  const ask = (name: string, answer: unknown) => async () => {
    given.asked?.push(name);
    if (given.fail) throw given.fail;
    return answer;
  };
  const empty = { data: [], dataPoints: 0 };
  const data = {
    prices: given.prices ?? ask('prices', { data: given.rows ?? [price], count: 1 }),
    basis: ask('basis', empty),
    oiMomentum: ask('oiMomentum', empty),
    liquidations: ask('liquidations', empty),
    venueLiquidations: async () => {
      if (given.oneVenue) throw new ApiError('/venues/liquidations', 'not_offered', 'one venue alone');
      return ask('venueLiquidations', empty)();
    },
    venues: ask('venues', empty),
  };
  const meta = () => ({ source: given.source ?? 'live', pages });
  const { wall = fakeClock() } = given;
  return createTellMarket({ data, meta, now: () => now, wall, log: pino({ level: 'silent' }) } as never);
}

const cardOf = (told: Change) => {
  const alert = revise(undefined, told, now);
  if (alert === null) throw new Error('no alert');
  return sayCard(alertCard([alert]), plainReader);
};

describe('an alert that a trader can act on', () => {
  test('market, event, size and window; the price with its changes in words; why now; the pages and buttons', async () => {
    const [told] = await tellMarketFrom()([change()]);
    const card = cardOf(told as Change);
    expect(card.title).toBe('BTC funding extreme: +0.0810% per 8 h (z 3.4)');
    expect(card.facts).toEqual([
      { name: 'Price', value: '42,000.00 · up 0.4% in 1 h · down 3.4% in 24 h' },
      { name: 'Rate', value: '+0.0810%' },
    ]);
    expect(card.links).toEqual([
      { label: 'BTC on Binance', url: 'https://www.binance.com/en/futures/BTCUSDT', button: 'Trade' },
      { label: 'BTC on TradingView', url: 'https://www.tradingview.com/chart/?symbol=BINANCE%3ABTCUSDT.P' },
      { label: 'BTC on Elsewhere', url: 'https://example.org/BTC-usdt' },
    ]);
  });

  test('of a simulated market, the pages are said to be those of the real one', async () => {
    const [told] = await tellMarketFrom({ source: 'simulated' })([change()]);
    expect(cardOf(told as Change).links?.[0]).toMatchObject({
      label: 'BTC on Binance (the real market)',
      button: 'Trade (real market)',
    });
  });

  test('a unit of a thousand coins has only the pages that take the name as it is', async () => {
    const rows = [{ ...price, symbol: '1000PEPEUSDT' }];
    const [told] = await tellMarketFrom({ rows })([
      change({ labels: { kind: 'k', symbol: '1000PEPEUSDT' } }),
    ]);
    expect(told?.annotations.market?.pages?.map(({ title }) => title)).toEqual(['Binance', 'TradingView']);
  });

  test('a market against USDC has no page of the one against USDT', async () => {
    const rows = [{ ...price, symbol: 'BTCUSDC' }];
    const [told] = await tellMarketFrom({ rows })([change({ labels: { kind: 'k', symbol: 'BTCUSDC' } })]);
    const urls = told?.annotations.market?.pages?.map(({ url }) => url) ?? [];
    expect(urls.filter((url) => /usdt/i.test(url))).toEqual([]);
    expect(urls).not.toEqual([]);
  });

  test.each<[string, Parameters<typeof tellMarketFrom>[0], Change]>([
    ['has no price at the service', { rows: [] }, change()],
    ['has only an old price', { rows: [{ ...price, timestamp: iso(now - 20 * minute) }] }, change()],
    ['is over', {}, change({ status: 'resolved' })],
    ['cannot be asked about', { fail: new ApiError('/prices', 'not_offered', 'no') }, change()],
    ['meets a bug', { fail: new TypeError('a bug') }, change()],
    ['is about no market', {}, change({ labels: { kind: 'fear-greed' } })],
  ])('an alert that %s is told as it is', async (_, given, told) => {
    expect(await tellMarketFrom(given)([told])).toEqual([told]);
  });

  test('an alert waits two seconds for what its market is like, and is then told without', async () => {
    const wall = fakeClock();
    const prices = (_: object, signal: AbortSignal) =>
      new Promise<never>((_answer, refuse) => {
        signal.addEventListener('abort', () => refuse(signal.reason));
      });
    let told: readonly Change[] | undefined;
    const telling = tellMarketFrom({ wall, prices })([change()]).then((changes) => {
      told = changes;
    });
    await wall.advance(2 * second - 1);
    expect(told).toBeUndefined();
    await wall.advance(1);
    await telling;
    expect(told).toEqual([change()]);
  });

  test('what moved first is asked where the price has moved, in three markets at most, and once in a while', async () => {
    const asked: string[] = [];
    const names = ['A', 'B', 'C', 'D'].map((base) => `${base}USDT`);
    const rows = names.map((symbol, at) => ({ ...price, symbol, change1hPct: -2 - at }));
    const tell = tellMarketFrom({ rows, asked });
    const changes = names.map((symbol) => change({ labels: { kind: 'price-move', symbol } }));
    await tell(changes);
    expect(asked.filter((name) => name === 'basis')).toHaveLength(3);
    await tell(changes);
    expect(asked.filter((name) => name === 'basis')).toHaveLength(3);
    await tellMarketFrom({ asked })([change()]);
    expect(asked.filter((name) => name === 'basis')).toHaveLength(3);
  });

  test('what moved first counts the liquidations of all venues, or of the one that is told', async () => {
    const rows = [{ ...price, change1hPct: -2 }];
    for (const oneVenue of [false, true]) {
      const asked: string[] = [];
      await tellMarketFrom({ rows, asked, oneVenue })([change()]);
      const told = asked.filter((name) => /liquidations$/i.test(name));
      expect(told).toEqual([oneVenue ? 'liquidations' : 'venueLiquidations']);
    }
  });

  test('what moved first is kept as the alert goes on, and the price of its market while none is known', () => {
    const market = { price: 1, first: { what: 'basis' as const, lead: 10 * minute } };
    const began = revise(undefined, change({ annotations: { ...change().annotations, market } }), now);
    const later = (annotations: Change['annotations']) =>
      revise(began ?? undefined, change({ annotations }), now + minute)?.annotations.market;
    expect(later(change().annotations)).toEqual(market);
    expect(later({ ...change().annotations, market: { price: 2 } })).toEqual({ ...market, price: 2 });
    expect(cardOf(change({ annotations: { ...change().annotations, market } })).facts?.at(-1)).toEqual({
      name: 'Moved first',
      value: 'the basis, 10 min before the price here',
    });
  });
});

describe('where no single market is told of', () => {
  const sayOf = (told: readonly Change[]) =>
    sayCard(
      alertCard(
        told.map((each) => {
          const alert = revise(undefined, each, now);
          if (alert === null) throw new Error('no alert');
          return alert;
        }),
      ),
      plainReader,
    );

  test('the regime of the whole market comes with bitcoin’s price, and other such kinds with none', async () => {
    const told = await tellMarketFrom()([
      change({ labels: { kind: 'regime-transition', to: 'RISK_OFF' } }),
      change({ labels: { kind: 'fear-greed', zone: 'FEAR' } }),
    ]);
    const [regime, other] = told.map((each) => sayOf([each]));
    expect(regime?.facts?.[0]).toEqual({
      name: 'BTC',
      value: '42,000.00 · up 0.4% in 1 h · down 3.4% in 24 h',
    });
    expect(regime?.links?.map(({ label }) => label)).toContain('BTC on TradingView');
    expect(other?.facts).not.toContainEqual(expect.objectContaining({ name: 'BTC' }));
  });

  test('a post about several says the prices of its first markets, each once, and links to each', async () => {
    const symbols = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT'];
    const rows = symbols.map((symbol) => ({ ...price, symbol }));
    const changes = [...symbols, 'BTCUSDT'].map((symbol, turn) =>
      change({ labels: { kind: turn < 4 ? 'funding-extreme' : 'price-move', symbol } }),
    );
    const { facts, links } = sayOf(await tellMarketFrom({ rows })(changes));
    const priced = facts?.filter(({ value }) => String(value).startsWith('42,000'));
    expect(new Set(priced?.map(({ name }) => name)).size).toBe(3);
    expect(links).toEqual(
      priced?.map(({ name }) => ({
        label: `${name} on Binance`,
        url: `https://www.binance.com/en/futures/${name}USDT`,
      })),
    );
  });
});
