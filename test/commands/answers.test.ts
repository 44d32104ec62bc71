import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBoard } from '#src/app/console/board/board.ts';
import type { DataClient } from '#src/contract/data-client.ts';
import { contract } from '#src/contract/index.ts';
import { marketName } from '#src/language/format.ts';
import { renderText } from '#src/platforms/terminal/render.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { day, hour, iso, minute } from '#src/runtime/units.ts';
import type { CommandContext } from '#src/shell/command.ts';
import { ask, commandContext } from '#test/support/commands.ts';
import { answers, dataClient, now } from '#test/support/data.ts';

const fact = async (line: string, name: string, over: Partial<CommandContext> = {}) =>
  (await ask(line, over)).facts?.find((each) => each.name === name)?.value;
const notOffered = new ApiError('/any', 'not_offered', 'this service does not offer it');
const busy = new ApiError('/any', 'rate_limited', '429', { retryAfter: 2 * minute });

describe('regime', () => {
  test('shows how its published probabilities fared, in bins with enough hours, if the service has it', async () => {
    const bin = (said: number, found: number, hours: number) => ({ state: 'RISK_ON', said, found, hours });
    const published = {
      hours: 1_012,
      brier: 0.51,
      baseRatesBrier: 0.657,
      reliability: [bin(0.45, 0.5, 1_000), bin(0.25, 0.9, 12)],
    };
    const regimeProbabilities = { ...answers.regimeProbabilities, model: { version: 'x', published } };
    const said = await fact('regime details=yes', 'Probabilities, past', {
      data: dataClient({ regimeProbabilities }),
    });
    expect(said).toBe(
      '1,012 published hours judged: Brier 0.510; always saying the base rates scores 0.657\n▇▇▇▇▇····· risk-on: said 45%, was so in 50% of 1,000 h',
    );
    expect(await fact('regime', 'Calibration', { data: dataClient({ regimeProbabilities }) })).toBe(
      'when it says 45%, it is right 50% of the time (details: regime details=yes)',
    );
    expect(await fact('regime details=yes', 'Probabilities, past')).toBeUndefined();
  });

  test('leads with what is likelier than the label, on every card', async () => {
    const regimeProbabilities = {
      ...answers.regimeProbabilities,
      probabilities: { RISK_ON: 0.3, RISK_OFF: 0.58, TRANSITION: 0.12 },
      transition: { from: 'RISK_ON', to: 'RISK_OFF', type: 'REVERSAL', magnitude: 0.28 },
    };
    const data = dataClient({ regimeProbabilities });
    const { title } = await ask('regime', { data });
    expect(title).toBe('Risk-off likely, 58%; still labelled risk-on since 14 Jan 2026, 07:00 UTC');
    const short = 'Risk-off likely, 58%; still labelled risk-on';
    expect((await ask('market', { data })).title).toBe(`Market: ${short}`);
    expect(await fact('coin btc', 'Regime', { data })).toBe(`${short}, score 0.62`);
  });

  test('is that of a market, if one is named and the service knows it', async () => {
    const asked: unknown[] = [];
    const whole = dataClient();
    const data: DataClient = {
      ...whole,
      regimeProbabilities: async (query = {}) => {
        asked.push(query);
        return { ...(await whole.regimeProbabilities()), ...(query.symbol && { symbol: query.symbol }) };
      },
    };
    expect((await ask('regime eth', { data })).title).toBe('Regime of ETH: risk-on');
    expect((await ask('regime 30', { data })).title).toBe('Regime: risk-on');
    expect((await ask('regime btc', { data })).title).toBe('Regime: risk-on');
    expect(asked).toEqual([{ symbol: 'ETHUSDT' }, {}, {}]);
    expect((await ask('regime eth', { data: whole })).summary).toMatch(/whole market alone/);
  });

  test('of the markets stands on the market card, as the share in each state', async () => {
    expect(await fact('market', 'Regimes')).toBe('risk-on 67%, transition 33%, risk-off 0% of 3 markets');
  });

  test('says since when it has lasted, from its history', async () => {
    expect(await fact('regime', 'Since')).toBe('14 Jan 2026, 07:00 UTC, 1 d 5 h ago');
  });

  test.each<[string, typeof answers.regimeHistory.data, string]>([
    [
      'the history shows no turn: before its oldest row',
      answers.regimeHistory.data.slice(0, 20),
      'before 14 Jan 2026, 17:00 UTC, more than 19 h 3 min ago',
    ],
    [
      'the history is older than the turn: after its newest row',
      answers.regimeHistory.data.slice(30),
      'after 14 Jan 2026, 06:00 UTC, less than 1 d 6 h ago',
    ],
    ['the history is empty: unknown', [], '–'],
  ])('says what is known of its beginning where %s', async (_, data, said) => {
    expect(await fact('regime', 'Since', { data: dataClient({ regimeHistory: { data } }) })).toBe(said);
  });

  test('still answers without its history, and says what is missing and when to ask again', async () => {
    const data = dataClient({ regimeHistory: busy });
    const missing = await fact('regime', 'Not available', { data });
    expect(missing).toBe('The past: The data service was asked too often. Try again in 2 min.');
  });

  test('shows an unknown state and a transition as they are', async () => {
    const regimeProbabilities = {
      ...answers.regimeProbabilities,
      current: { ...answers.regimeProbabilities.current, state: 'PANIC' },
      probabilities: { ...answers.regimeProbabilities.probabilities, PANIC: 0.5 },
      transition: { from: 'RISK_ON', to: 'PANIC', type: 'ENTERING', magnitude: 0.4 },
    };
    const card = await ask('regime', { data: dataClient({ regimeProbabilities }) });
    expect(card.title).toBe('Regime: panic');
    const transition = { ...regimeProbabilities.transition, from: 'PANIC', to: 'RISK_ON' };
    const leaving = dataClient({ regimeProbabilities: { ...regimeProbabilities, transition } });
    expect((await ask('regime', { data: leaving })).title).toBe('Risk-on likely, 81%; still labelled panic');
  });
});

test('a user who asked too much is told so and when to ask again, without the ages of feeds', async () => {
  const spent = new ApiError('/any', 'share_spent', 'spent', { retryAfter: 40_000 });
  const card = await ask('funding btc', { data: dataClient({ fundingHistory: spent }) });
  expect(card.summary).toBe('You, or this chat, asked a lot just now.\nTry again in 40 s.');
  expect(card.facts).toBeUndefined();
});

describe('funding', () => {
  const everyFour = (times: number) => ({
    symbol: 'SOLUSDT',
    data: Array.from({ length: times }, (_, index) => ({
      timestamp: iso(now - (times - 1 - index) * 4 * hour),
      rate: '0.0001',
      annualized: '10.95',
    })),
  });

  test('shows the rate per 4 h of a market that settles every 4 h, and the right yearly figure', async () => {
    const data = dataClient({ fundingHistory: everyFour(6) });
    const card = await ask('funding sol', { data });
    expect(card.title).toBe('SOL funding: +0.0100% per 4 h');
    expect(card.chart?.title).toBe('SOL funding per 4 h, last 6 settlements');
    expect(await fact('funding sol', 'Interval', { data })).toBe('4 h');
    expect(await fact('funding sol', 'Per year', { data })).toBe('+21.90%');
    expect(await fact('funding sol 1', 'Per year', { data })).toBe('+21.90%');
    expect(await fact('funding sol', 'vs. last 30 days', { data })).toBe('normal, z +0.80');
    const hosted = dataClient({
      fundingHistory: everyFour(6),
      fundingStandings: new ApiError('/funding/z', 'not_offered', 'no such extension'),
    });
    expect(await fact('funding sol', 'vs. last 30 days', { data: hosted })).toBe('normal');
  });

  test('does not guess an interval that two settlements do not show', async () => {
    const data = dataClient({ fundingHistory: everyFour(2) });
    expect((await ask('funding sol', { data })).title).toBe('SOL funding: +0.0100%');
    expect(await fact('funding sol', 'Per year', { data })).toBeUndefined();
  });

  test.each([
    ['market', 'BTC', '+0.0300% per 8 h'],
    ['market', 'SOL', '+0.0100% per 4 h'],
  ])('%s shows the rate of %s per its own interval', async (line, symbol, rate) => {
    const { table } = await ask(line);
    expect(table?.rows.find(([market]) => market === symbol)).toContain(rate);
  });

  test('of a coin has the interval that its own settlements show', async () => {
    expect(await fact('coin btc', 'Funding')).toBe('+0.0100% per 8 h, settled 15 Jan 2026, 08:00 UTC');
    const intelligence = { ...answers.intelligence, fundingHistory: everyFour(10).data };
    expect(await fact('coin btc', 'Funding', { data: dataClient({ intelligence }) })).toBe(
      '+0.0100% per 4 h, settled 15 Jan 2026, 12:03 UTC',
    );
  });

  test('is compared per year between markets with different intervals', async () => {
    const data: DataClient = {
      ...dataClient(),
      fundingHistory: async ({ symbol } = {}) =>
        symbol === 'SOLUSDT' ? everyFour(50) : answers.fundingHistory,
    };
    const { table, chart } = await ask('compare btc sol funding', { data });
    expect(table?.columns).toEqual(['Market', 'Last', 'Mean per year', 'Sum']);
    expect(table?.rows[1]?.slice(0, 3)).toEqual(['SOL', '+0.0100% per 4 h', '+21.9%']);
    expect(chart?.series[1]?.points.at(-1)?.[1]).toBeCloseTo(21.9);
  });

  test('says in words that there is no settlement, or no extreme', async () => {
    const data = dataClient({
      fundingHistory: { symbol: 'BTCUSDT', data: [] },
      fundingExtremes: { data: [], count: 0, threshold: '|zScore| > 1.5' },
    });
    const running = await ask('funding btc', { data });
    expect(running.title).toMatch(/%, running$/);
    expect(running.summary).toMatch(/\nNo settlement is recorded yet\.$/);
    const basis = new ApiError('/basis', 'not_offered', 'no');
    const unknown = dataClient({ fundingHistory: { symbol: 'BTCUSDT', data: [] }, basis });
    expect((await ask('funding btc', { data: unknown })).summary).toBe('No settlement is recorded yet.');
    expect((await ask('funding', { data })).summary).toContain('more than 1.5 standard deviations');
  });
});

describe('liquidations', () => {
  test('call a truncated response “at least”, and say how far back it goes', async () => {
    const [event] = answers.liquidations.data;
    const cut = {
      data: Array.from({ length: 500 }, () => ({
        symbol: 'BTCUSDT',
        side: 'LONG',
        price: '1',
        quantity: '1',
        usd_value: 1_000,
        event_time: event?.event_time ?? '',
      })),
    };
    const card = await ask('liquidations', { data: dataClient({ liquidations: cut }) });
    expect(card.summary).toContain('only the newest 500');
    expect(card.facts).toContainEqual({ name: 'Events', value: 'at least 500' });
    expect(card.table?.rows).toHaveLength(6);
  });

  test('in single minutes are drawn as bars, because a line would invent values in between', async () => {
    const shapes = (await ask('liquidations')).chart?.series?.map(({ shape }) => shape);
    expect(shapes).toEqual(['bars', 'bars']);
  });

  test('may be missing if the feed is not fresh, which the answer says', async () => {
    const checks = { ...answers.dataQuality.checks, liquidation_events: { fresh: false } };
    const data = dataClient({ liquidations: { data: [] }, dataQuality: { ...answers.dataQuality, checks } });
    expect((await ask('liquidations', { data })).summary).toContain('there may have been more');
  });

  test('are a lower bound for the time before the last interruption of the feed ended, which is said', async () => {
    const received = async (line: string, minutes: number) => {
      const completeSince = iso(now - minutes * minute);
      const checks = { ...answers.dataQuality.checks, liquidation_events: { fresh: true, completeSince } };
      const data = dataClient({ dataQuality: { ...answers.dataQuality, checks } });
      return (await ask(line, { data })).summary;
    };
    const words = /without interruption since/;
    expect(await received('liquidations', 50)).toMatch(words);
    expect(await received('liquidations', 70)).not.toMatch(words);
    expect(await received('liquidations 2h', 70)).toMatch(words);
    expect(await received('quality', 70)).toMatch(words);
    expect(await received('quality 1', 70)).not.toMatch(words);
  });
});

test('market names what moved most in 24 h, and no change that is shown as 0.0', async () => {
  const moved = (pcts: readonly number[]) =>
    dataClient({
      prices: {
        ...answers.prices,
        data: answers.marketOverview.coins.map(({ symbol, price }, index) => ({
          ...{ symbol, price, timestamp: iso(now) },
          change24hPct: pcts[index],
        })),
      },
    });
  const [first, second] = answers.marketOverview.coins.map(({ symbol }) => marketName(symbol));
  const data = moved([1.26, 7]);
  expect(await fact('market', 'Up most in 24 h', { data })).toBe(`${second} +7.0%, ${first} +1.3%`);
  expect(await fact('market', 'Down most in 24 h', { data })).toBe('none');
  expect(await fact('market', 'Down most in 24 h', { data: moved([-0.04, -0.01]) })).toBe('none');
  const { table } = await ask('market limit=1', { data });
  expect(table?.columns[2]).toBe('24 h');
  expect(table?.rows[0]?.[2]).toBe('+1.3%');
});

test('market promises no movers where the service does not say how prices changed', async () => {
  const { facts, table } = await ask('market', { data: dataClient({ prices: notOffered }) });
  expect(facts?.map(({ name }) => name)).not.toContain('Up most in 24 h');
  expect(table?.columns).not.toContain('24 h');
});

describe('the same datum has the same number and word everywhere', () => {
  test.each([
    ['RISK_ON', 'risk-on'],
    ['RISK_OFF', 'risk-off'],
    ['TRANSITION', 'transition'],
  ])('a regime has one name everywhere: %s', async (state, name) => {
    const { regimeProbabilities } = answers;
    const current = { ...regimeProbabilities.current, state };
    const data = dataClient({ regimeProbabilities: { ...regimeProbabilities, current } });
    expect((await ask('regime', { data })).title).toBe(`Regime: ${name}`);
    expect((await ask('market', { data })).title).toBe(`Market: ${name}`);
    expect(await fact('coin btc', 'Regime', { data })).toBe(`${name}, score 0.62`);
  });

  test('a basis has the same word on the regime’s card as on its own', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: -1, max: 1, noNaN: true }), async (basisPct) => {
        const { regimeProbabilities: regime, basis } = answers;
        const current = { timestamp: iso(now), markPrice: 1, indexPrice: 1, estFunding: 0, basisPct };
        const basisSignal = {
          basisPct,
          annualizedPct: 53.8,
          signal: 'HIGH_CONTANGO',
          markPrice: 1,
          indexPrice: 1,
        };
        const data = dataClient({
          regimeProbabilities: { ...regime, basisSignal },
          basis: { ...basis, current, data: [current] },
        });
        const there = await fact('regime', 'Basis of BTC', { data });
        expect((await ask('basis btc', { data })).title).toBe(`Basis of BTC: ${there}`);
      }),
      { numRuns: 30 },
    );
  });

  const hourOf = fc.record({
    buyVolume: fc.double({ min: 0, max: 1_000, noNaN: true }),
    sellVolume: fc.double({ min: 0.1, max: 1_000, noNaN: true }),
  });
  test('cvd says that takers buy the larger part of the volume if the sum says so, whatever single hours say', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hourOf, { minLength: 1, maxLength: 24 }), async (hours) => {
        let cvd = 0;
        const data = hours.map(({ buyVolume, sellVolume }, index) => {
          const delta = buyVolume - sellVolume;
          cvd += delta;
          const buyRatio = (100 * buyVolume) / (buyVolume + sellVolume);
          return { timestamp: iso(now - index * hour), buyVolume, sellVolume, delta, cvd, buyRatio };
        });
        const volumeCvd = { ...answers.volumeCvd, data, totalCvd: cvd };
        const { facts = [] } = await ask('cvd', { data: dataClient({ volumeCvd }) });
        const said = facts.find(({ name }) => name === 'Takers bought')?.value.split(', ')[1];
        const share = Number.parseFloat(said ?? '');
        if (share !== 50) expect(Math.sign(share - 50)).toBe(Math.sign(cvd));
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    [1, 'last 1 h'],
    [12, 'last 12 h'],
    [24, 'last 1 d'],
  ])('cvd names the hours that it sums: %i of the 24 asked for', async (count, named) => {
    const newest = Math.floor(now / hour) * hour;
    const row = { buyVolume: 2, sellVolume: 1, delta: 1, cvd: 1, buyRatio: 66 };
    const data = Array.from({ length: count }, (_, index) => ({
      timestamp: iso(newest - (count - index) * hour),
      ...row,
    }));
    const { title } = await ask('cvd', { data: dataClient({ volumeCvd: { ...answers.volumeCvd, data } }) });
    expect(title).toContain(named);
  });

  test('the change over a window is that of the whole window, just after a full hour too', async () => {
    const newest = Math.floor(now / hour) * hour;
    // A close is 100 and as much more as it is hours older than the newest.
    const rows = Array.from({ length: 26 }, (_, index) => {
      const hours = 25 - index;
      const close = String(100 + hours);
      return {
        open_time: iso(newest - (hours + 1) * hour),
        ...{ o: close, h: close, l: close, c: close, v: '1', quote_volume: '1' },
      };
    });
    const data = dataClient({ candles: { ...answers.candles, data: rows } });
    const change = '−19.35%';
    expect(100 * (100 / 124 - 1)).toBeCloseTo(-19.35, 2);
    expect(await fact('cvd btc', 'Price over 1 d', { data })).toBe(change);
    const { table } = await ask('compare btc eth hours=24', { data });
    expect(table?.rows.map((row) => row.at(-1))).toEqual([change, change]);
  });

  test.each([
    [24, 'Change in 22 h', '+1.04%'],
    [5, 'Change in 3 h', '+0.25%'],
  ])('the change of a coin is named by its window: of %i hourly closes, %s', async (count, name, change) => {
    const candles24h = answers.intelligence.candles24h.slice(-count);
    const intelligence = { ...answers.intelligence, candles24h };
    const data = dataClient({ intelligence, prices: notOffered, candles: notOffered });
    expect(await fact('coin btc', name, { data })).toBe(change);
  });

  test.each([
    ['as the service says', {}],
    ['by its hourly closes', { prices: notOffered }],
  ])('the page and the chat give the same 24 h: %s', async (_, given) => {
    const last = Math.floor(now / hour) * hour;
    const price = 97_000;
    const candles = Array.from({ length: 26 }, (_, index) => {
      const close = String(90_000 + 100 * index);
      const row = { o: close, h: close, l: close, c: close, v: '1', quote_volume: '1' };
      return { open_time: iso(last - (26 - index) * hour), ...row };
    });
    const dayAgo = Number(candles.findLast(({ open_time }) => now - Date.parse(open_time) - hour >= day)?.c);
    const change24hPct = (price / dayAgo - 1) * 100;
    const all = {
      candles: { ...answers.candles, data: candles },
      prices: { data: [{ symbol: 'BTCUSDT', price, timestamp: iso(now), change24hPct }], count: 1 },
    };
    const board = createBoard(() => {});
    const coins = [{ symbol: 'BTCUSDT', price, signal: 0, funding: 0, master: 50 }];
    const hear = (name: 'marketOverview' | 'candles', answer: object, query = {}) =>
      board.applyAnswer({ endpoint: contract[name], query, answer, at: now });
    hear('marketOverview', { coins, timestamp: iso(now) });
    hear('candles', { ...all.candles, symbol: 'BTCUSDT', interval: '1h' });
    const onPage = board.read()['market/BTCUSDT']?.change24h ?? Number.NaN;
    expect(await fact('coin btc', '24 h', { data: dataClient({ ...all, ...given }) })).toBe(
      `+${onPage.toFixed(2)}%`,
    );
  });

  test('a change is that of its whole window, not of a quarter of an hour less', async () => {
    const rows = Array.from({ length: 30 * 4 }, (_, index) => ({
      ...{ timestamp: iso(now - (30 * 4 - 1 - index) * 15 * minute), callOI: 1, putOI: 1, putCallRatio: 1 },
      ...{ maxPain: 1, avgIV: index },
    }));
    const data: DataClient = {
      ...dataClient(),
      optionsSummary: async ({ hours = 24 } = {}) => ({
        ...answers.optionsSummary,
        data: rows.filter(({ timestamp }) => Date.parse(timestamp) > now - Number(hours) * hour),
        ...{ current: rows.at(-1) },
      }),
    };
    expect(await fact('options', 'Implied volatility', { data })).toBe('119.0%, +96.0 points in 1 d');
  });

  test.each([
    'basis',
    'compare btc eth',
    'compare btc eth oi',
    'macro',
    'options',
    'quality',
    'ratio',
    'spread',
  ])('a market’s only value is told, and no window of it: %s', async (line) => {
    const all = dataClient();
    const data = new Proxy(all, {
      get: (_, name: keyof DataClient) => async (query: never) => {
        const { data, ...rest } = (await all[name](query)) as { readonly data?: readonly unknown[] };
        return { ...rest, data: data?.slice(-1) };
      },
    });
    const text = renderText(await ask(line, { data }), { columns: 80 });
    expect(text).not.toMatch(/\b0 s\b/);
    if (line.startsWith('compare')) expect(text).toMatch(/BTC +[$\d]\S+ +–/);
  });

  test.each([
    ['macro 90', /last 12 d/, 'S&P 500'],
    ['regime 90', /score, last 12 d/, 'Score'],
    ['compare btc eth hours=720', /last 12 d/, 'BTC'],
    ['ratio hours=720', /last 12 d/, 'Top traders'],
    ['basis hours=168', /last 3 d/, 'Basis'],
    ['quality hours=720', /last 12 d/, 'Score'],
  ])('what is not loaded yet is not told as the whole window: %s', async (line, title, first) => {
    const since = (length: number) => (row: { readonly timestamp?: string; readonly open_time?: string }) =>
      Date.parse(row.timestamp ?? row.open_time ?? '') >= now - length;
    const hours = Array.from({ length: 12 * 24 + 1 }, (_, index) => iso(now - (12 * 24 - index) * hour));
    const price = { o: '1', h: '1', l: '1', v: '1', quote_volume: '1' };
    const client = dataClient({
      crossAssetHistory: {
        ...answers.crossAssetHistory,
        data: hours.map((timestamp, index) => ({ timestamp, sp500: 4_000 + index })),
      },
      regimeHistory: {
        data: hours
          .map((timestamp) => ({ ...answers.regimeHistory.data[0], timestamp }))
          .toReversed() as never,
      },
      dataQualityHistory: {
        ...answers.dataQualityHistory,
        data: hours.map((timestamp) => ({ ...answers.dataQualityHistory.data[0], timestamp }) as never),
      },
      lsRatioHistory: {
        ...answers.lsRatioHistory,
        data: hours.map((timestamp) => ({ timestamp, longRatio: 0.6, shortRatio: 0.4 })),
      },
      basis: {
        ...answers.basis,
        data: hours
          .map((timestamp) => ({ ...answers.basis.data[0], timestamp }) as never)
          .filter(since(3 * day)),
      },
    });
    const data: DataClient = {
      ...client,
      candles: async ({ interval = '1h' } = {}) => ({
        ...answers.candles,
        data: hours
          .filter((_, index) => interval === '1h' || index > 12 * 24 - 30)
          .map((open_time, index) => ({ open_time, ...price, c: String(100 + index) })),
      }),
    };
    const { chart } = await ask(line, { data });
    expect(chart?.title).toMatch(title);
    expect(chart?.series[0]?.name).toBe(first);
    if (line.endsWith(' 90')) expect(await fact(line, 'BTC', { data })).toContain('not drawn: known since');
  });

  test('the chart of a coin has its candles, and the price that the card names', async () => {
    const { intelligence } = answers;
    const data = dataClient({
      intelligence: { ...intelligence, candles24h: intelligence.candles24h.slice(0, -2) },
    });
    const { chart, dataTime, title } = await ask('coin btc', { data });
    expect(title).toBe('BTC: 97,000.00');
    expect(chart?.series[0]?.candles?.length).toBe(chart?.series[0]?.points.length);
    expect(chart?.marks?.at(-1)).toMatchObject({ value: 97_000 });
    expect(iso(dataTime ?? 0)).toBe(intelligence.oiHistory.at(-1)?.timestamp);
  });
});

describe('the age of data', () => {
  test.each(['market', 'oi btc', 'coin btc', 'regime'])(
    'is pointed out by %s if it exceeds the feed’s interval',
    async (line) => {
      expect(await fact(line, 'Caution')).toBeUndefined();
      expect(await fact(line, 'Caution', { now: now + 5 * hour })).toContain('old');
    },
  );

  test('open interest without a snapshot is unknown, not zero', async () => {
    const { current: _, ...none } = { ...answers.oiMomentum, data: [], dataPoints: 0 };
    const card = await ask('oi', {
      data: dataClient({ oiMomentum: none, oi: { symbol: 'BTCUSDT', data: [] } }),
    });
    expect(card.summary).toBe('No snapshot in the last 6 h.');
  });
});

test('times are shown in the caller’s time zone', async () => {
  const { caller } = commandContext();
  expect(await fact('funding btc', 'Settled', { caller: { ...caller, timeZone: 'Asia/Tokyo' } })).toBe(
    '15 Jan 2026, 17:00 GMT+9',
  );
});
