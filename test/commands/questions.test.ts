import { describe, expect, test } from 'vitest';
import { modelOf } from '#src/chart/model.ts';
import { chartReader } from '#src/chart/plain-chart.ts';
import { colourIn, themes } from '#src/chart/theme.ts';
import type { DataClient } from '#src/contract/data-client.ts';
import { plainReader } from '#src/language/say.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, iso, minute } from '#src/runtime/units.ts';
import type { CommandContext } from '#src/shell/command.ts';
import { managerRights } from '#src/shell/rights.ts';
import { delivery, firing, next } from '#test/support/alerts.ts';
import { ask, botStatus, caller } from '#test/support/commands.ts';
import { answers, dataClient, now } from '#test/support/data.ts';
import { drawSvg } from '#test/support/draw-svg.ts';
import { memoryStore } from '#test/support/memory-store.ts';

const fact = async (line: string, name: string, over: Partial<CommandContext> = {}) =>
  (await ask(line, over)).facts?.find((each) => each.name === name)?.value;
const notOffered = new ApiError('/candles', 'not_offered', 'this service does not offer it');
const busy = new ApiError('/any', 'rate_limited', '429', { retryAfter: 2 * minute });
const ago = (ms: number) => iso(now - ms);

/** Returns a client with the fixture's responses that records every query in `asked`. */
const recording = (asked: unknown[]): DataClient =>
  Object.fromEntries(
    Object.entries(dataClient()).map(([name, method]) => [
      name,
      (query: never) => {
        asked.push(query);
        return method(query);
      },
    ]),
  ) as unknown as DataClient;

const pictured = [
  'regime',
  'funding btc',
  'oi btc',
  'liquidations',
  'coin btc',
  'basis btc',
  'cvd btc',
  'ratio btc',
  'spread btc',
  'options',
  'quality',
  'compare btc eth',
  'compare btc eth funding',
  'compare btc eth volume',
];

describe.each(pictured)('%s', (line) => {
  test('comes with a picture that can be drawn in both themes', async () => {
    const { chart } = await ask(line);
    if (chart === undefined) throw new Error('no chart');
    expect(JSON.stringify(chart)).not.toMatch(/\[object|"message"/);
    for (const theme of ['dark', 'light'] as const) {
      const svg = drawSvg(chart, { theme, language: 'en', timeZone: 'UTC' });
      expect(svg).not.toContain('No data');
    }
  });

  test('the picture’s title names the market and the window', async () => {
    const { chart } = await ask(line);
    const market = /all markets|BTC|Data quality/;
    expect(chart?.title).toMatch(market);
    expect(chart?.title).toMatch(/last \d+ (min|h|d|settlements)/);
  });

  test('points out data that is older than its feed’s interval', async () => {
    expect(await fact(line, 'Caution')).toBeUndefined();
    const later = (await fact(line, 'Caution', { now: now + 24 * hour })) ?? 'none';
    // Liquidations have no fixed interval: a day without one does not make the data old.
    expect(later).toContain(line === 'liquidations' ? 'none' : 'old');
  });

  test('costs at most five requests, one for each market compared, and those of its candles', async () => {
    const asked: unknown[] = [];
    const { chart } = await ask(line, { data: recording(asked) });
    const ofCandles: unknown[] = [];
    if (chart?.series[0]?.candles !== undefined) await ask('chart btc', { data: recording(ofCandles) });
    expect(asked.length - ofCandles.length).toBeLessThanOrEqual(5);
  });
});

test.each([
  ['basis $eth', 'ETHUSDT'],
  ['cvd eth/usdt', 'ETHUSDT'],
  ['ratio ETH-PERP', 'ETHUSDT'],
  ['spread ethereum', 'ETHUSDT'],
])('markets can be named as people type them: %s', async (line, symbol) => {
  const asked: unknown[] = [];
  await ask(line, { data: recording(asked) });
  expect(asked).toContainEqual(expect.objectContaining({ symbol }));
});

test.each(['basis btcc', 'cvd btcc', 'ratio btcc', 'spread btcc', 'options btcc', 'compare eth btcc'])(
  'a misspelt market is answered with a suggestion: %s',
  async (line) => {
    const card = await ask(line);
    expect(card.title).toBe('Unknown market "btcc"');
    expect(card.summary).toContain('Did you mean BTC?');
  },
);

test.each([
  ['basis', { basis: { ...answers.basis, data: [], current: undefined } }],
  ['spread', { spread: { ...answers.spread, data: [], current: undefined } }],
  ['options', { optionsSummary: { ...answers.optionsSummary, data: [], current: undefined } }],
  ['ratio', { lsRatioHistory: { ...answers.lsRatioHistory, data: [] } }],
  ['cvd', { volumeCvd: { ...answers.volumeCvd, data: [] } }],
  ['macro', { crossAssetHistory: { data: [], count: 0 } }],
])('%s says in words that there are no rows', async (line, over) => {
  const card = await ask(line, { data: dataClient(over as never) });
  expect(card.chart).toBeUndefined();
  expect(card.summary).toMatch(/^No .* in the last/);
});

test('ratio uses all accounts if the exchange publishes nothing about top traders', async () => {
  const lsRatioHistory = async ({ type }: { type?: string }) => {
    if (type === 'top_position') throw new ApiError('/ls-ratio/history', 'not_offered', 'not published');
    return answers.lsRatioHistory;
  };
  const card = await ask('ratio', { data: { ...dataClient(), lsRatioHistory } as never });
  expect(card.facts?.map(({ name }) => name)).toEqual(expect.arrayContaining(['All accounts']));
  expect(card.facts?.map(({ name }) => name)).not.toContain('Top traders');
  expect(card.chart?.series.map(({ name }) => name)).toEqual(['All accounts']);
  expect(card.summary).toBe('Longs per short among all accounts.');
  const neither = dataClient({ lsRatioHistory: notOffered });
  expect((await ask('ratio', { data: neither })).summary).toMatch(/does not offer it/);
});

describe('without data that a service need not offer', () => {
  const data = dataClient({ candles: notOffered });

  test('regime is drawn over its score, and nothing is reported as missing', async () => {
    const card = await ask('regime', { data });
    expect(card.chart?.series.map(({ name }) => name)).toEqual(['Score']);
    expect(card.chart?.bands?.map(({ name }) => name)).toEqual(['Transition', 'Risk-on']);
    expect(card.facts?.map(({ name }) => name)).not.toContain('Not available');
  });

  test('cvd is drawn without the price', async () => {
    const card = await ask('cvd btc', { data });
    expect(card.chart?.below).toBeUndefined();
    expect(card.chart?.series.map(({ name }) => name)).toEqual(['Bought more', 'Cumulative']);
  });

  test('prices are compared over the day that every service offers, and the card says from when', async () => {
    expect(await fact('compare btc eth', 'Known from', { data })).toBeDefined();
  });

  test('volumes cannot be compared, and the card says why', async () => {
    expect(await ask('compare btc eth volume', { data })).toMatchObject({
      title: 'Not available',
      summary: expect.stringContaining('does not offer it'),
    });
  });
});

test('a comparison names what is unavailable and shows the rest', async () => {
  const client = dataClient();
  const data: DataClient = {
    ...client,
    async candles(query) {
      if (query?.symbol === 'SOLUSDT') throw busy;
      return client.candles(query);
    },
  };
  const card = await ask('compare btc eth sol', { data });
  expect(card.facts).toContainEqual({
    name: 'Not available',
    value: 'SOL: The data service was asked too often. Try again in 2 min.',
  });
  expect(card.table?.rows.map(([symbol]) => symbol)).toEqual(['BTC', 'ETH', 'SOL']);
  expect(card.table?.rows[2]).toContain('–');
  expect(card.chart?.series).toHaveLength(2);
});

test.each(['compare btc', 'compare all', 'compare btc eth sol xrp doge link'])(
  'compare takes two to five markets: %s',
  async (line) => {
    expect((await ask(line)).summary).toContain('Name 2 to 5 markets');
  },
);

test('options of an unsupported coin are refused with the supported ones', async () => {
  expect((await ask('options sol')).summary).toContain('covers BTC, ETH only');
});

describe('macro', () => {
  const rows = [6, 5, 4, 3, 2, 1, 0].map((days) => ({
    timestamp: ago(days * 24 * hour),
    sp500: days > 2 ? 6_000 : 6_060,
    dxy: 104,
    btc_sp500_corr: 0.4,
  }));

  test('shows how long each value has been unchanged, and omits what nobody supplies', async () => {
    const { table } = await ask('macro', {
      data: dataClient({ crossAssetHistory: { data: rows, count: rows.length } }),
    });
    expect(table?.rows).toEqual([
      ['S&P 500', '6,060.00', '+1.00%', '+0.40', '2 d'],
      ['Dollar index', '104.00', '0.00%', '–', 'more than 6 d'],
    ]);
  });
});

test('quality counts feeds that are not fresh, and draws past trouble as a band', async () => {
  const checks = { ...answers.dataQuality.checks, oi_history: { fresh: false } };
  const history = answers.dataQualityHistory.data.map((row, index) =>
    index >= 10 && index < 14 ? { ...row, status: 'DOWN', score: 20 } : row,
  );
  const card = await ask('quality', {
    data: dataClient({
      dataQuality: { ...answers.dataQuality, checks },
      dataQualityHistory: { ...answers.dataQualityHistory, data: history },
    }),
  });
  expect(card.summary).toContain('1 feed is stale');
  expect(card.table?.rows).toContainEqual(['Open interest', 'stale', 'never', 'never']);
  expect(card.chart?.bands).toHaveLength(1);
});

test('quality shows what differs from the exchange, with a link to all checks', async () => {
  const drift = {
    value: 'mark',
    venue: 'Binance USD-M',
    checks: 6,
    beyond: 5,
    worstPct: -2.03,
    symbol: 'BTCUSDT',
    reason: 'mark differs',
  };
  const card = await ask('quality', {
    data: dataClient({ dataQuality: { ...answers.dataQuality, status: 'DEGRADED', drifts: [drift] } }),
  });
  expect(card.summary).toBe(
    'Every feed is fresh.\nMark price differs from Binance USD-M: 5 of the last 6 checks beyond tolerance, the worst by −2.03% (BTC).',
  );
  expect(card.actions).toEqual([{ label: 'Checks against the exchange', command: 'quality checks' }]);
});

describe('quality checks', () => {
  test('says for each value how often it matched the exchange, and lists every way in which it did not', async () => {
    const card = await ask('quality checks');
    expect(card.title).toBe('Data check, last 1 d: 99.9% of 862 checks within tolerance');
    expect(card.facts).toEqual([
      {
        name: 'Mark price',
        value: [
          'Binance USD-M: 99.8% of 432 checks within tolerance',
          'Bybit: its own market is 0.12% apart (median of 48), 1 missed',
          'OKX, Hyperliquid: cannot be asked',
        ].join('\n'),
      },
      { name: 'Funding', value: 'Binance USD-M: 100.0% of 430 checks within tolerance, 2 missed' },
      { name: 'Liquidations', value: 'Binance USD-M: cannot be asked' },
    ]);
    expect(card.table?.rows.map((row) => row.slice(0, 4))).toEqual([
      ['Mark price', 'SOL', 'Binance USD-M', '−2.16%, allowed 0.91%'],
      ['Funding', '–', 'Binance USD-M', 'refused, 2 times'],
      ['Mark price', '–', 'Bybit', 'unreachable, once'],
    ]);
  });

  test('says that a simulated market is simulated, and that there are no failures', async () => {
    const dataChecks = { ...answers.dataChecks, source: 'simulated' as const, worst: [], misses: [] };
    const card = await ask('quality checks 48', { data: dataClient({ dataChecks }) });
    expect(card.summary).toContain('simulated exchange');
    expect(card.summary).toContain('No failures.');
    expect(card.table).toBeUndefined();
  });
});

describe('history', () => {
  const { receiver } = caller;
  const early = firing({ symbol: 'BTCUSDT' }, now - 5 * hour);
  const over = next(early, { status: 'resolved' }, now - 3 * hour);
  const other = firing({ symbol: 'ETHUSDT', kind: 'oi-momentum', severity: 'critical' }, now - hour);
  const theirs = {
    ...firing({ symbol: 'SOLUSDT', title: 'A secret of theirs' }, now - 2 * hour),
    only: { notifier: 'web', address: { room: 'elsewhere' } },
  };
  const store = () =>
    memoryStore({
      alerts: [theirs, other, over],
      deliveries: [
        delivery({ at: now - 5 * hour, alertId: over.id, receiver }),
        delivery({
          ...{ at: now - hour, alertId: other.id, receiver },
          ...{ outcome: 'suppressed', reason: { code: 'silenced', text: 'silenced' } },
        }),
      ],
    });
  const listed = async (line: string) =>
    (await ask(line, { store: store() })).table?.rows.map(([title]) => title) ?? [];

  test.each([
    ['history', ['BTCUSDT funding-extreme']],
    ['history where=all', ['ETHUSDT oi-momentum', 'BTCUSDT funding-extreme']],
    ['history oi-momentum where=all', ['ETHUSDT oi-momentum']],
    ['history symbol=btc where=all', ['BTCUSDT funding-extreme']],
    ['history window=2h where=all', ['ETHUSDT oi-momentum']],
    ['history symbol=sol where=all', []],
  ])('%s lists what was sent here, or what everyone may see', async (line, expected) => {
    expect(await listed(line)).toEqual(expected);
  });

  test('says how long each alert lasted, and draws when they began', async () => {
    const card = await ask('history where=all', { store: store() });
    expect(card.table?.rows.map((row) => row.at(-1))).toEqual(['going on', '2 h']);
    expect(card.chart?.series.map(({ name }) => name)).toEqual(['Warning', 'Critical']);
  });

  test('counts from where it knows all, and says so, if more was sent than is read', async () => {
    const alerts = Array.from({ length: 2_001 }, (_, index) =>
      firing({ symbol: `M${index}USDT` }, now - index * minute),
    );
    const deliveries = alerts.map(({ id, startsAt }) => delivery({ at: startsAt, alertId: id, receiver }));
    const busy = memoryStore({ alerts, deliveries });
    const ofMonths = async (line: string) => {
      const { summary, chart } = await ask(line, { store: busy });
      return [summary, chart?.series[0]?.points[0]?.[0]];
    };
    expect(await ofMonths('history window=90d')).toEqual([
      expect.stringMatching(/^2,000 alerts.*\nCounted since .*there were too many before/s),
      now - 1_999 * minute,
    ]);
    // Of alerts for everyone fewer are read.
    expect(await ofMonths('history window=90d where=all')).toEqual([
      expect.stringMatching(/^1,000 alerts.*\nCounted since/s),
      now - 999 * minute,
    ]);
    expect(await ofMonths('history window=1h')).toEqual([expect.not.stringContaining('Counted'), now - hour]);
  });
});

test.each([
  [
    true,
    [
      'The market',
      'Your alerts',
      'Past alerts and why they came',
      'Settings and the bot',
      'For the operator',
    ],
  ],
  [false, ['The market', 'Your alerts', 'Past alerts and why they came', 'Settings and the bot']],
])(
  'help groups commands by purpose, and shows the operator’s to operators only: %s',
  async (operator, headings) => {
    const rows =
      (await ask('help', operator ? {} : { caller: { ...caller, rights: managerRights } })).table?.rows ?? [];
    expect(rows.filter(([, meaning]) => meaning === '').map(([heading]) => heading)).toEqual(headings);
    const listed = rows.filter(([, meaning]) => meaning !== '').map(([name = '']) => name.split(' ')[0]);
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed.includes('pause')).toBe(operator);
  },
);

test.each([
  [false, 'Type a command, e.g. funding btc. For the details of one: help funding.'],
  [true, 'Type a command, e.g. /funding btc. For the details of one: /help funding.'],
  ['options', 'Type a command, e.g. /funding symbol:btc. For the details of one: /help command:funding.'],
] as const)('a hint is written as the platform’s users type commands: slash %s', async (slash, hint) => {
  expect((await ask('help', { caller: { ...caller, slash } })).summary).toBe(hint);
});

test('help is in the caller’s language, with command names unchanged', async () => {
  const spanish = { ...caller, language: 'es' as const };
  const card = await ask('help funding', { caller: spanish });
  expect(card.title).toBe('funding');
  expect(card.summary).toContain('Funding de un mercado: actual');
});

test('macro draws bitcoin beside the other markets, each line in its own colour', async () => {
  const crossAssetHistory = {
    data: [2, 1, 0].map((age) => ({
      timestamp: ago(age * hour),
      sp500: 6_000 + age,
      gold: 2_600 - age,
      dxy: 104 + age,
      btc_sp500_corr: 0.4,
      btc_gold_corr: 0.1,
      btc_dxy_corr: -0.3,
    })),
    count: 3,
  };
  const { chart } = await ask('macro', { data: dataClient({ crossAssetHistory }) });
  if (chart === undefined) throw new Error('no chart');
  expect(chart.series.map(({ name }) => name)).toEqual(['Bitcoin', 'S&P 500', 'Gold', 'Dollar index']);
  expect(chart.title).toMatch(/^Bitcoin and other markets, last \d+ (h|d)/);
  for (const theme of Object.values(themes)) {
    const lines = modelOf(chart, chartReader(plainReader)).panels.flatMap(({ series }) => series);
    expect(new Set(lines.map(({ colour }) => colourIn(theme, colour))).size).toBe(7);
  }
});

test.each([
  ['the Federal Reserve’s broad index', { dollarIndex: 'BROAD' }, ['Gold', 'Broad dollar index']],
  ['gold from the venue', { goldMarket: 'PERPETUAL' }, ['Gold (perpetual)', 'Dollar index']],
])('%s is named as what it is', async (_, more, expected) => {
  const row = { timestamp: ago(hour), gold: 4_012.5, dxy: 121.3, btc_dxy_corr: -0.3 };
  const data = dataClient({ crossAssetHistory: { data: [row], count: 1, ...more } });
  const { table } = await ask('macro', { data });
  expect(table?.rows.map(([name]) => name)).toEqual(expected);
});

test.each([
  ['ALL', 'All that the exchange reports.'],
  ['ONE_A_SECOND', 'A lower bound: the exchange reports at most one liquidation per second per market.'],
  ['SOME_DAY', 'A lower bound: the exchange may report only some of them.'],
  [undefined, 'A lower bound: the exchange may report only some of them.'],
])('liquidations say how completely the exchange reports them: %s', async (liquidations, said) => {
  const status = async () => ({ ...botStatus, ...(liquidations !== undefined && { liquidations }) });
  expect((await ask('liquidations', { status })).summary).toContain(said);
});

describe('what a move would set off', () => {
  test.each([
    ['cascade btc -2.5', /^BTC −2\.50%: /],
    ['cascade btc 10 %', /^BTC \+10%: /],
  ])('%s is about that very move', async (line, title) => {
    expect((await ask(line)).title).toMatch(title);
  });

  test('offers twice as far, up to what the service simulates', async () => {
    const offered = async (move: number) =>
      (await ask(`cascade btc ${move}`)).actions?.map(({ command }) => command);
    expect(await offered(-30)).toContain('cascade BTCUSDT -50');
    expect(await offered(-50)).not.toContain('cascade BTCUSDT -50');
  });
});
