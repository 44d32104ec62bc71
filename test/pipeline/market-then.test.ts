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

type Ask = (query: object, signal?: AbortSignal) => Promise<unknown>;

/** Answers when `answer` is called, or never; whoever gives a signal is told nothing more once it aborts. */
function slow() {
  const answered = Promise.withResolvers<unknown>();
  const ask: Ask = (_, signal) =>
    new Promise((resolve, refuse) => {
      signal?.addEventListener('abort', () => refuse(signal.reason));
      answered.promise.then(resolve);
    });
  return { ask, answer: answered.resolve };
}

function tellMarketFrom(
  given: {
    rows?: readonly object[];
    source?: string;
    fail?: Error;
    asked?: string[];
    oneVenue?: boolean;
    wall?: WallClock;
    answers?: Partial<Record<'prices' | 'basis' | 'candles', Ask>>;
  } = {},
) {
  const ask = (name: string, answer: unknown) => async () => {
    given.asked?.push(name);
    if (given.fail) throw given.fail;
    return answer;
  };
  const empty = { data: [], dataPoints: 0 };
  const data = {
    prices: ask('prices', { data: given.rows ?? [price], count: 1 }),
    basis: ask('basis', empty),
    candles: ask('candles', empty),
    oiMomentum: ask('oiMomentum', empty),
    liquidations: ask('liquidations', empty),
    venueLiquidations: async () => {
      if (given.oneVenue) throw new ApiError('/venues/liquidations', 'not_offered', 'one venue alone');
      return ask('venueLiquidations', empty)();
    },
    venues: ask('venues', empty),
    ...given.answers,
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

  const chart = { title: 'z', unit: '%', series: [{ name: 'z', points: [[now - 60 * minute, 1]] }] } as const;
  test.each([
    ['its market', { prices: slow().ask }, undefined],
    ['the candles of its chart', { candles: slow().ask }, 42_000],
    ['what moved first', { basis: slow().ask }, 42_000],
  ])('an alert waits two seconds for %s, and is then told without it alone', async (_, answers, known) => {
    const wall = fakeClock();
    let told: readonly Change[] | undefined;
    const tell = tellMarketFrom({ rows: [{ ...price, change1hPct: -2 }], wall, answers });
    const telling = tell([change({ annotations: { ...change().annotations, chart } })]).then((changes) => {
      told = changes;
    });
    await wall.advance(2 * second - 1);
    expect(told).toBeUndefined();
    await wall.advance(1);
    await telling;
    expect(told?.map(({ annotations: { market } }) => market?.price)).toEqual([known]);
  });

  test('what moved first is shared: it goes on for a later alert when the time of an earlier one ends', async () => {
    const wall = fakeClock();
    const { ask: basis, answer } = slow();
    const tell = tellMarketFrom({ wall, answers: { basis }, rows: [{ ...price, change1hPct: -2 }] });
    const earlier = tell([change()]);
    await wall.advance(1.5 * second);
    const later = tell([change()]);
    await wall.advance(second);
    answer({
      data: Array.from({ length: 300 }, (_, index) => ({
        timestamp: iso(now - (300 - index) * 5 * minute),
        markPrice: index < 290 ? 100 + (index % 2) / 100 : 98,
        basisPct: index < 288 ? 0.01 + (index % 2) / 1_000 : 0.5,
      })),
    });
    const [[first], [other]] = await Promise.all([earlier, later]);
    expect(first?.annotations.market).toMatchObject({ price: 42_000, first: undefined });
    expect(other?.annotations.market?.first).toEqual({ what: 'basis', lead: 10 * minute });
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
