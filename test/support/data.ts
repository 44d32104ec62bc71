import type { DataClient } from '#src/contract/data-client.ts';
import { contract, type EndpointAnswer, type EndpointName } from '#src/contract/index.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { day, hour, iso, minute } from '#src/runtime/units.ts';
import { venueAnswers } from './venue-answers.ts';

/** Market time of the fixture's answers: Thursday, 15 January 2026, 12:03 UTC. */
export const now = Date.UTC(2026, 0, 15, 12, 3);
export const universe = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT', 'DOGEUSDT', '1000PEPEUSDT', 'LINKUSDT'];

export type Answers = { readonly [Name in EndpointName]: EndpointAnswer<Name> };
export type AnswersOrErrors = { readonly [Name in EndpointName]: EndpointAnswer<Name> | Error };

const ago = (ms: number): string => iso(now - ms);
const series = <Row>(length: number, row: (age: number) => Row): Row[] =>
  Array.from({ length }, (_, index) => row(length - 1 - index));
const wave = (index: number): number => Math.sin(index / 5);

const spread = series(24, (age) => ({
  timestamp: ago(age * minute),
  bidPrice: 96_999.9,
  askPrice: 97_000,
  spreadPct: 0.0001,
  imbalance: 0.2 * wave(age),
}));
const basis = series(24, (age) => ({
  timestamp: ago(age * 5 * minute),
  markPrice: 97_010,
  indexPrice: 97_000,
  basisPct: 0.0103,
  estFunding: 0.0001,
}));
const options = series(24, (age) => ({
  timestamp: ago(age * 15 * minute),
  callOI: 120_000,
  putOI: 80_000,
  putCallRatio: 80 / 120,
  maxPain: 95_000,
  avgIV: 42.5,
}));
const momentum = series(72, (age) => ({
  timestamp: ago(3 * minute + age * 5 * minute),
  oi: 98_000 + 500 * wave(age),
  ratePct: 0.35,
  accelerationPct: 0.02,
}));
const velocity = {
  timestamp: ago(3 * minute),
  oi: 98_000,
  velocity: 400,
  velocityUsd: 38_800_000,
  velocityPct: 0.41,
};
const audits = {
  within: {
    timestamp: ago(3 * minute),
    symbol: 'BTCUSDT',
    value: 'mark',
    venue: 'Binance USD-M',
    role: 'PRIMARY',
    verdict: 'WITHIN',
    published: 97_010,
    publishedAt: ago(8 * minute),
    asked: 97_012,
    askedAt: ago(8 * minute),
    differencePct: -0.002062,
    allowedPct: 0.42,
    ageMinutes: 5,
  },
  beyond: {
    timestamp: ago(13 * minute),
    symbol: 'SOLUSDT',
    value: 'mark',
    venue: 'Binance USD-M',
    role: 'PRIMARY',
    verdict: 'BEYOND',
    published: 140.1,
    publishedAt: ago(18 * minute),
    asked: 143.2,
    askedAt: ago(18 * minute),
    differencePct: -2.164804,
    allowedPct: 0.91,
    ageMinutes: 5,
  },
} as const;
const check = { fresh: true, lastUpdate: ago(3 * minute), ageMinutes: 3 };

/** A plausible response of every endpoint, as of `now`. */
export const answers: Answers = {
  regime: { regime: 'MARKUP', confidence: 0.81, score: 0.62 },
  regimeProbabilities: {
    current: { state: 'RISK_ON', legacyRegime: 'MARKUP', confidence: 0.81, score: 0.62 },
    probabilities: { RISK_ON: 0.81, RISK_OFF: 0.04, TRANSITION: 0.15 },
    transition: null,
    regimeMultiplier: 1.1,
    volatilityRegime: { regime: 'LOW_VOL', percentile: 31 },
    basisSignal: {
      basisPct: 0.0103,
      annualizedPct: 11.3,
      signal: 'CONTANGO',
      markPrice: 97_010,
      indexPrice: 97_000,
    },
    crossAsset: { dxy: 104.2, sp500: { vix: 14.8, signal: 'LOW_VOL' } },
    model: { version: 'test' },
    dataHealth: 'OK',
    timestamp: ago(3 * minute),
  },
  regimeHistory: {
    data: Array.from({ length: 168 }, (_, age) => ({
      timestamp: ago(3 * minute + age * hour),
      regime: age < 30 ? 'MARKUP' : 'ACCUMULATION',
      hmm_state: age < 30 ? 'RISK_ON' : 'TRANSITION',
      confidence: 0.8,
      score: 0.6 * wave(age),
    })),
  },
  regimeMarkets: {
    data: [
      {
        symbol: 'BTCUSDT',
        state: 'RISK_ON',
        probabilities: { RISK_ON: 0.81, RISK_OFF: 0.04, TRANSITION: 0.15 },
        score: 77,
        transition: null,
        timestamp: ago(3 * minute),
      },
      {
        symbol: 'ETHUSDT',
        state: 'RISK_ON',
        probabilities: { RISK_ON: 0.32, RISK_OFF: 0.58, TRANSITION: 0.1 },
        score: -26,
        transition: { from: 'RISK_ON', to: 'RISK_OFF', type: 'REVERSAL', magnitude: 0.26 },
        timestamp: ago(3 * minute),
      },
      {
        symbol: 'SOLUSDT',
        state: 'TRANSITION',
        probabilities: { RISK_ON: 0.2, RISK_OFF: 0.2, TRANSITION: 0.6 },
        score: 0,
        transition: null,
        timestamp: ago(3 * minute),
      },
    ],
    breadth: { RISK_ON: 0.6667, RISK_OFF: 0, TRANSITION: 0.3333 },
    count: 3,
    timestamp: ago(3 * minute),
  },
  basis: { symbol: 'BTCUSDT', data: basis, dataPoints: basis.length, current: basis[23], signal: 'FLAT' },
  dataQuality: {
    score: 97,
    grade: 'A',
    status: 'HEALTHY',
    checks: { candles: check, funding_history: check, oi_history: check, liquidation_events: check },
    timestamp: ago(3 * minute),
  },
  dataQualityHistory: {
    data: series(24, (age) => ({
      timestamp: ago(age * 5 * minute),
      score: 97,
      grade: 'A',
      status: 'HEALTHY',
      summary: 'all feeds are fresh',
    })),
    count: 24,
    window: '24h',
  },
  dataChecks: {
    source: 'live',
    values: [
      {
        value: 'mark',
        venue: 'Binance USD-M',
        role: 'PRIMARY',
        checks: 432,
        within: 431,
        share: 0.9977,
        missed: 0,
      },
      {
        value: 'funding',
        venue: 'Binance USD-M',
        role: 'PRIMARY',
        checks: 430,
        within: 430,
        share: 1,
        missed: 2,
      },
      { value: 'mark', venue: 'Bybit', role: 'SECOND', checks: 48, medianPct: 0.12, missed: 1 },
      { value: 'mark', venue: 'OKX', role: 'SECOND', checks: 0, missed: 0 },
      { value: 'mark', venue: 'Hyperliquid', role: 'SECOND', checks: 0, missed: 0 },
      { value: 'liquidations', venue: 'Binance USD-M', role: 'PRIMARY', checks: 0, missed: 0 },
    ],
    worst: [audits.beyond],
    misses: [
      {
        value: 'funding',
        venue: 'Binance USD-M',
        reason: 'REFUSED',
        count: 2,
        timestamp: ago(40 * minute),
        detail: 'HTTP 429: too many requests',
      },
      {
        value: 'mark',
        venue: 'Bybit',
        reason: 'UNREACHABLE',
        count: 1,
        timestamp: ago(50 * minute),
        detail: 'fetch failed',
      },
    ],
    data: [audits.within, audits.beyond],
    count: 864,
    window: '24h',
  },
  venueLiquidations: { data: [], coverage: [] },
  liquidations: {
    data: [
      ['BTCUSDT', 'LONG', '96800.10', '2.5', 242_000.25],
      ['ETHUSDT', 'SHORT', '3300.5', '10', 33_005],
      ['SOLUSDT', 'LONG', '140.12', '100', 14_012],
    ].map(([symbol, side, price, quantity, usd], index) => ({
      symbol: String(symbol),
      side: String(side),
      price: String(price),
      quantity: String(quantity),
      usd_value: Number(usd),
      event_time: ago((index + 1) * minute),
    })),
  },
  marketOverview: {
    coins: universe.map((symbol, index) => ({
      symbol,
      price: 97_000 / 10 ** index,
      signal: 0.8 - index * 0.2,
      funding: 0.0001 * (3 - index),
      master: 80 - index * 9,
    })),
    regime: 'MARKUP',
    fearGreed: 64,
    timestamp: ago(minute),
  },
  volumeCvd: {
    symbol: 'BTCUSDT',
    data: series(24, (age) => ({
      timestamp: ago(age * hour),
      buyVolume: 510,
      sellVolume: 490,
      delta: 20,
      cvd: (24 - age) * 20,
      buyRatio: 51,
    })),
    pressure: 'BUY_PRESSURE',
    totalCvd: 480,
    dataPoints: 24,
  },
  intelligence: {
    symbol: 'BTCUSDT',
    price: 97_000,
    funding: 0.0001,
    signal: 0.8,
    regime: 'MARKUP',
    regimeScore: 0.62,
    fearGreed: 64,
    candles24h: series(24, (age) => ({
      open_time: ago(3 * minute + age * hour),
      c: String(96_000 + (23 - age) * 40),
    })),
    fundingHistory: series(10, (age) => ({
      timestamp: ago(4 * hour + 3 * minute + age * 8 * hour),
      rate: '0.00010000',
    })),
    oiHistory: series(24, (age) => ({
      timestamp: ago(3 * minute + age * 5 * minute),
      oi_value_usd: '9500000000',
    })),
  },
  crossAssetHistory: { data: [{ timestamp: ago(15 * minute), dxy: 104.2, btc_dxy_corr: -0.31 }], count: 1 },
  lsRatioHistory: {
    symbol: 'BTCUSDT',
    type: 'top_position',
    data: series(24, (age) => ({ timestamp: ago(age * 15 * minute), longRatio: 0.61, shortRatio: 0.39 })),
    dataPoints: 24,
  },
  fundingCurrent: {
    data: universe.map((symbol) => ({
      symbol,
      rate: '0.00010000',
      annualized: '10.95',
      timestamp: ago(4 * hour + 3 * minute),
    })),
  },
  fundingHistory: {
    symbol: 'BTCUSDT',
    data: series(30, (age) => ({
      timestamp: ago(4 * hour + 3 * minute + age * 8 * hour),
      rate: age === 0 ? '0.00045000' : '0.00010000',
      annualized: age === 0 ? '49.275' : '10.95',
    })),
  },
  optionsSummary: {
    currency: 'BTC',
    data: options,
    dataPoints: options.length,
    current: options[23],
    signal: 'BULLISH_OPTIONS',
  },
  spread: {
    symbol: 'BTCUSDT',
    data: spread,
    dataPoints: spread.length,
    current: spread[23],
    avgSpreadPct: 0.0001,
    signal: 'NORMAL',
  },
  oi: {
    symbol: 'BTCUSDT',
    data: [{ timestamp: ago(3 * minute), oi_contracts: '98000.123', oi_value_usd: '9506011931.00' }],
  },
  oiMomentum: {
    symbol: 'BTCUSDT',
    data: momentum,
    dataPoints: momentum.length,
    current: momentum[71],
    avgRatePct: 0.12,
    maxAcceleration: 0.4,
    signal: 'BUILDING',
  },
  fundingExtremes: {
    data: [
      {
        symbol: 'BTCUSDT',
        currentRate: 0.00045,
        annualizedPct: 49.275,
        avg30dRate: 0.0001,
        zScore: 3.4,
        severity: 'EXTREME',
        direction: 'OVERLEVERAGED_LONG',
        timestamp: ago(4 * hour + 3 * minute),
      },
    ],
    count: 1,
    threshold: '|zScore| > 1.5',
  },
  meta: {
    source: 'simulated',
    marketTime: iso(now),
    speed: 240,
    ready: true,
    backfill: 1,
    version: 'test',
    symbols: universe,
    feeds: [
      { name: 'candles', source: 'simulated', lastUpdate: ago(3 * minute), ageMinutes: 3, fresh: true },
    ],
    extensions: [
      'meta',
      'fundingIntervals',
      'fundingStandings',
      'listings',
      'candles',
      'prices',
      'oiMovers',
      'oiVelocity',
      'leverage',
      'liquidationZones',
      'liquidationCascade',
      'liquidationScore',
      'venues',
      'venueMarkets',
      'fundingDispersion',
      'oiAggregate',
    ],
  },
  listings: {
    data: [
      {
        symbol: 'SOLUSDT',
        change: 'LISTED',
        timestamp: ago(3 * minute),
        effective: ago(18 * minute),
        price: 0.42,
        volume24hUsd: 1_250_000,
        intervalHours: 4,
      },
      {
        symbol: 'LINKUSDT',
        change: 'DELISTING',
        timestamp: ago(day + 3 * minute),
        effective: ago(-6 * day),
      },
      {
        symbol: 'XRPUSDT',
        change: 'INTERVAL',
        timestamp: ago(2 * day + 3 * minute),
        intervalHours: 4,
        intervalHoursBefore: 8,
      },
    ],
    count: 3,
    since: ago(40 * day),
    timestamp: ago(3 * minute),
  },
  fundingIntervals: {
    data: universe.map((symbol) => ({
      symbol,
      hours: symbol === 'SOLUSDT' ? 4 : 8,
      timestamp: ago(4 * hour + 3 * minute),
    })),
  },
  fundingStandings: {
    data: universe.map((symbol, index) => ({
      symbol,
      // For BTCUSDT the values are the same as in the extremes.
      ...(symbol === 'BTCUSDT'
        ? { currentRate: 0.00045, avg30dRate: 0.0001, sd30dRate: 0.000103, zScore: 3.4 }
        : { currentRate: 0.0001, avg30dRate: 0.00008, sd30dRate: 0.00002, zScore: 1 - index / 10 }),
      settlements: 90,
      timestamp: ago(4 * hour + 3 * minute),
    })),
  },
  candles: {
    symbol: 'BTCUSDT',
    interval: '1h',
    data: series(170, (age) => ({
      open_time: ago((age + 1) * hour + 3 * minute),
      o: '96900',
      h: '97100',
      l: '96800',
      c: '97000',
      v: '812.5',
      quote_volume: '78812500',
    })),
  },
  prices: {
    data: universe.map((symbol, index) => ({
      symbol,
      price: 97_000,
      timestamp: ago(minute),
      change1hPct: 0.4 - index / 10,
      change24hPct: 2.5 - index,
      basisPct: 0.031,
      longRatio: 0.61,
    })),
    count: universe.length,
  },
  oiMovers: {
    data: universe.map((symbol) => ({
      symbol,
      timestamp: ago(3 * minute),
      oi: 98_000,
      ratePct: 0.35,
      accelerationPct: 0.02,
      change1hPct: 1.2,
      signal: 'BUILDING',
    })),
    count: universe.length,
  },
  oiVelocity: {
    symbol: 'BTCUSDT',
    data: [velocity],
    dataPoints: 1,
    current: velocity,
    avgVelocityPct: 0.41,
  },
  leverage: {
    symbol: 'BTCUSDT',
    estimate: true,
    estimatedLeverage: 31.5,
    sampleSize: 140,
    oiToVolume: 0.62,
    timestamp: ago(3 * minute),
  },
  leverageTiers: {
    venue: 'binance',
    title: 'Binance USD-M',
    symbol: 'BTCUSDT',
    unit: 'USD',
    tiers: [
      { upTo: 300_000, maintenanceRate: 0.004, maxLeverage: 125 },
      { upTo: 800_000, maintenanceRate: 0.005, maxLeverage: 100 },
      { upTo: 3_000_000, maintenanceRate: 0.0065, maxLeverage: 75 },
    ],
  },
  liquidationZones: {
    symbol: 'BTCUSDT',
    estimate: true,
    price: 97_000,
    zones: [
      { side: 'LONG', price: 95_302.5, distancePct: -1.75, estimatedUsd: 41_000_000 },
      { side: 'SHORT', price: 98_697.5, distancePct: 1.75, estimatedUsd: 28_000_000 },
    ],
    coverage: 0.34,
    judged: {
      ...{ share: 0.31, low: 0.22, high: 0.4, chance: 0.25, placebo: 0.26, isBetter: false },
      ...{ liquidations: 640, days: 24 },
    },
    timestamp: ago(3 * minute),
  },
  liquidationCascade: {
    symbol: 'BTCUSDT',
    estimate: true,
    movePct: -5,
    startPrice: 97_000,
    rounds: [{ price: 92_150, estimatedUsd: 120_000_000 }],
    estimatedFinalPrice: 91_700,
    estimatedTotalUsd: 120_000_000,
    amplification: 1.09,
    timestamp: ago(3 * minute),
  },
  liquidationScore: {
    symbol: 'BTCUSDT',
    estimate: true,
    score: 37.5,
    sideAtRisk: 'LONG',
    components: [{ name: 'liquidations', value: 0.375, weight: 0.4 }],
    timestamp: ago(3 * minute),
  },
  ...venueAnswers(now, universe),
};

/** The JSON of values that `asOf` was given before, because the fixture's are large and asked for all the time. */
const texts = new WeakMap<object, string>();

/** Returns the same response with every time in it moved from the fixture's `now` to `at`. */
export function asOf<Value extends object>(value: Value, at: number): Value {
  const by = Math.floor(at - now);
  const text = texts.get(value) ?? JSON.stringify(value);
  texts.set(value, text);
  // A reviver would be called for every number, too.
  return JSON.parse(
    text.replace(/"(\d{4}-\d\d-\d\dT[^"]*)"/g, (_, time: string) => `"${iso(Date.parse(time) + by)}"`),
  );
}

const parsed = new Map<EndpointName, object>();

/** Returns the fixture's answer as a client parses it: once, because parsing takes longer than most questions. */
function parsedAnswer(name: EndpointName): object {
  const known = parsed.get(name) ?? frozen(contract[name].answer.parse(answers[name]));
  parsed.set(name, known);
  return known;
}

/** Freezes a value and all that is in it, so that no test can change what the next one gets. */
function frozen<Value extends object>(value: Value): Value {
  for (const each of Object.values(value)) if (typeof each === 'object' && each !== null) frozen(each);
  return Object.freeze(value);
}

/**
 * Creates a client that responds from the fixture. Queries and responses are checked against the contract; an Error in `over`
 * is thrown.
 */
export function dataClient(over: Partial<AnswersOrErrors> = {}): DataClient {
  // A service that tells of one venue alone, unless the test is about several.
  const oneVenue = new ApiError(contract.venueLiquidations.path, 'not_offered', 'one venue alone');
  const known: AnswersOrErrors = { ...answers, venueLiquidations: oneVenue, ...over };
  const method = (name: EndpointName) => async (query: unknown) => {
    const { path, query: schema, answer } = contract[name];
    const parsed = schema.safeParse(query ?? {});
    if (!parsed.success) throw new ApiError(path, 'invalid_request', parsed.error.message);
    const given = known[name];
    if (given instanceof Error) throw given;
    return given === answers[name] ? parsedAnswer(name) : answer.parse(given);
  };
  const names = Object.keys(contract) as EndpointName[];
  return Object.fromEntries(names.map((name) => [name, method(name)])) as unknown as DataClient;
}
