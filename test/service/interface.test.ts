import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract, type EndpointName } from '#src/contract/index.ts';
import type { Archive } from '#src/service/archive/archive.ts';
import { answerWith } from '#src/service/handlers/handler.ts';
import { handlers } from '#src/service/handlers/index.ts';
import { toJson } from '#src/service/http/json.ts';
import { parseQuery } from '#src/service/http/query.ts';
import { contextAt, filledArchive } from './fixture.ts';

/** The tables of the interface, written out a second time: exactly what it lists. */
type Tree = {
  readonly [field: string]: 'string' | 'number' | 'boolean' | 'timestamp' | Tree | [Tree] | null;
};

const hours = (preset: number) => ({ symbol: 'BTCUSDT', hours: preset });
const interfaces: Readonly<Record<string, { name: EndpointName; defaults: object; record: Tree }>> = {
  '/regime': {
    name: 'regime',
    defaults: {},
    record: { regime: 'string', confidence: 'number', score: 'number' },
  },
  '/regime/probabilities': {
    name: 'regimeProbabilities',
    defaults: {},
    record: {
      current: { state: 'string', legacyRegime: 'string', confidence: 'number', score: 'number' },
      probabilities: { RISK_ON: 'number', RISK_OFF: 'number', TRANSITION: 'number' },
      transition: null,
      regimeMultiplier: 'number',
      volatilityRegime: { regime: 'string', percentile: 'number' },
      basisSignal: {
        basisPct: 'number',
        annualizedPct: 'number',
        signal: 'string',
        markPrice: 'number',
        indexPrice: 'number',
      },
      crossAsset: {
        dxy: 'number',
        dxyScore: 'number',
        sp500: { vix: 'number', signal: 'string' },
        stablecoinFlow: 'number',
        fundingStructure: 'string',
      },
      model: {
        version: 'string',
        method: 'string',
        published: {
          from: 'timestamp',
          to: 'timestamp',
          hours: 'number',
          agreement: 'number',
          brier: 'number',
          baseRatesBrier: 'number',
          reliability: [{ state: 'string', said: 'number', found: 'number', hours: 'number' }],
        },
      },
      dataHealth: 'string',
      timestamp: 'timestamp',
    },
  },
  '/regime/history': {
    name: 'regimeHistory',
    defaults: { days: 7 },
    record: {
      data: [
        {
          timestamp: 'timestamp',
          regime: 'string',
          hmm_state: 'string',
          confidence: 'number',
          score: 'number',
        },
      ],
    },
  },
  '/basis': {
    name: 'basis',
    defaults: hours(24),
    record: {
      symbol: 'string',
      data: [
        {
          timestamp: 'timestamp',
          markPrice: 'number',
          indexPrice: 'number',
          basisPct: 'number',
          estFunding: 'number',
        },
      ],
      dataPoints: 'number',
      current: {
        timestamp: 'timestamp',
        markPrice: 'number',
        indexPrice: 'number',
        basisPct: 'number',
        estFunding: 'number',
      },
      signal: 'string',
    },
  },
  '/data/quality': {
    name: 'dataQuality',
    defaults: {},
    record: {
      score: 'number',
      grade: 'string',
      status: 'string',
      checks: Object.fromEntries(
        ['candles', 'funding_history', 'oi_history', 'liquidation_events'].map((name) => [
          name,
          { fresh: 'boolean', lastUpdate: 'timestamp', ageMinutes: 'number' },
        ]),
      ),
      timestamp: 'timestamp',
    },
  },
  '/data/quality/history': {
    name: 'dataQualityHistory',
    defaults: { hours: 24 },
    record: {
      data: [
        { timestamp: 'timestamp', score: 'number', grade: 'string', status: 'string', summary: 'string' },
      ],
      count: 'number',
      window: 'string',
    },
  },
  '/liquidations': {
    name: 'liquidations',
    defaults: { limit: 100 },
    record: {
      data: [
        {
          symbol: 'string',
          side: 'string',
          price: 'string',
          quantity: 'string',
          usd_value: 'number',
          event_time: 'timestamp',
        },
      ],
    },
  },
  '/market/overview': {
    name: 'marketOverview',
    defaults: {},
    record: {
      coins: [{ symbol: 'string', price: 'number', signal: 'number', funding: 'number', master: 'number' }],
      regime: 'string',
      fearGreed: 'number',
      timestamp: 'timestamp',
    },
  },
  '/volume/cvd': {
    name: 'volumeCvd',
    defaults: hours(24),
    record: {
      symbol: 'string',
      data: [
        {
          timestamp: 'timestamp',
          buyVolume: 'number',
          sellVolume: 'number',
          delta: 'number',
          cvd: 'number',
          buyRatio: 'number',
        },
      ],
      pressure: 'string',
      totalCvd: 'number',
      dataPoints: 'number',
    },
  },
  '/intelligence': {
    name: 'intelligence',
    defaults: { symbol: 'BTCUSDT' },
    record: {
      symbol: 'string',
      price: 'number',
      funding: 'number',
      signal: 'number',
      regime: 'string',
      regimeScore: 'number',
      fearGreed: 'number',
      candles24h: [{ open_time: 'timestamp', c: 'string' }],
      fundingHistory: [{ timestamp: 'timestamp', rate: 'string' }],
      oiHistory: [{ timestamp: 'timestamp', oi_value_usd: 'string' }],
    },
  },
  '/cross-asset/history': {
    name: 'crossAssetHistory',
    defaults: { hours: 24 },
    record: {
      data: [
        {
          timestamp: 'timestamp',
          sp500: 'number',
          gold: 'number',
          dxy: 'number',
          btc_sp500_corr: 'number',
          btc_gold_corr: 'number',
          btc_dxy_corr: 'number',
        },
      ],
      count: 'number',
    },
  },
  '/ls-ratio/history': {
    name: 'lsRatioHistory',
    defaults: { ...hours(24), type: 'top_position' },
    record: {
      symbol: 'string',
      type: 'string',
      data: [{ timestamp: 'timestamp', longRatio: 'number', shortRatio: 'number' }],
      dataPoints: 'number',
    },
  },
  '/funding/current': {
    name: 'fundingCurrent',
    defaults: {},
    record: { data: [{ symbol: 'string', rate: 'string', annualized: 'string', timestamp: 'timestamp' }] },
  },
  '/funding/history': {
    name: 'fundingHistory',
    defaults: { symbol: 'BTCUSDT', limit: 100 },
    record: { symbol: 'string', data: [{ timestamp: 'timestamp', rate: 'string', annualized: 'string' }] },
  },
  '/options/summary': {
    name: 'optionsSummary',
    defaults: { currency: 'BTC', hours: 24 },
    record: {
      currency: 'string',
      data: [
        {
          timestamp: 'timestamp',
          callOI: 'number',
          putOI: 'number',
          putCallRatio: 'number',
          maxPain: 'number',
          avgIV: 'number',
        },
      ],
      dataPoints: 'number',
      current: {
        timestamp: 'timestamp',
        callOI: 'number',
        putOI: 'number',
        putCallRatio: 'number',
        maxPain: 'number',
        avgIV: 'number',
      },
      signal: 'string',
    },
  },
  '/spread': {
    name: 'spread',
    defaults: hours(24),
    record: {
      symbol: 'string',
      data: [
        {
          timestamp: 'timestamp',
          bidPrice: 'number',
          askPrice: 'number',
          spreadPct: 'number',
          imbalance: 'number',
        },
      ],
      dataPoints: 'number',
      current: {
        timestamp: 'timestamp',
        bidPrice: 'number',
        askPrice: 'number',
        spreadPct: 'number',
        imbalance: 'number',
      },
      avgSpreadPct: 'number',
      signal: 'string',
    },
  },
  '/oi': {
    name: 'oi',
    defaults: { symbol: 'BTCUSDT', limit: 100 },
    record: {
      symbol: 'string',
      data: [{ timestamp: 'timestamp', oi_contracts: 'string', oi_value_usd: 'string' }],
    },
  },
  '/oi/momentum': {
    name: 'oiMomentum',
    defaults: hours(6),
    record: {
      symbol: 'string',
      data: [{ timestamp: 'timestamp', oi: 'number', ratePct: 'number', accelerationPct: 'number' }],
      dataPoints: 'number',
      current: { timestamp: 'timestamp', oi: 'number', ratePct: 'number', accelerationPct: 'number' },
      avgRatePct: 'number',
      maxAcceleration: 'number',
      signal: 'string',
    },
  },
  '/funding/extremes': {
    name: 'fundingExtremes',
    defaults: { limit: 30 },
    record: {
      data: [
        {
          symbol: 'string',
          currentRate: 'number',
          annualizedPct: 'number',
          avg30dRate: 'number',
          zScore: 'number',
          severity: 'string',
          direction: 'string',
          timestamp: 'timestamp',
        },
      ],
      count: 'number',
      threshold: 'string',
    },
  },
};

/** Describes the shape of JSON in the tables' words; a list by its first row. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return [shapeOf(value[0])];
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]));
  if (typeof value !== 'string') return value === null ? null : typeof value;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) ? 'timestamp' : 'string';
}

const rows = Object.entries(interfaces);

it('every path of the interface is an endpoint, and every other endpoint is an extension', () => {
  const ours = Object.values(contract).filter(
    (endpoint) => !('extension' in endpoint) || !endpoint.extension,
  );
  expect(ours.map(({ path }) => path).toSorted()).toEqual(Object.keys(interfaces).toSorted());
  for (const [path, { name }] of rows) expect(contract[name].path).toBe(path);
});

describe('defaults', () => {
  it.each(rows)('%s', (_, { name, defaults }) => expect(parseQuery(name, {})).toEqual(defaults));
});

describe('bounds: the largest value is accepted, and a larger one is refused with parameter, bound and value', () => {
  it.each<[EndpointName, string, number]>([
    ['regimeHistory', 'days', 90],
    ['basis', 'hours', 168],
    ['volumeCvd', 'hours', 168],
    ['optionsSummary', 'hours', 168],
    ['spread', 'hours', 168],
    ['oiMomentum', 'hours', 168],
    ['lsRatioHistory', 'hours', 720],
    ['dataQualityHistory', 'hours', 720],
    ['crossAssetHistory', 'hours', 2160],
    ['liquidations', 'limit', 500],
    ['fundingHistory', 'limit', 1000],
    ['oi', 'limit', 1000],
    ['fundingExtremes', 'limit', 100],
  ])('%s: %s at most %d', (name, parameter, most) => {
    expect(parseQuery(name, { [parameter]: String(most) })).toMatchObject({ [parameter]: most });
    expect(() => parseQuery(name, { [parameter]: String(most + 1) })).toThrow(
      new RegExp(`^${parameter} must be .* ${most}; given: "${most + 1}"$`),
    );
    expect(() => parseQuery(name, { [parameter]: '0' })).toThrow(`${parameter} must be`);
  });
});

describe('records: exactly the fields that the interface lists, with their types', () => {
  let archive: Archive;
  beforeAll(async () => {
    archive = await filledArchive();
  });
  afterAll(() => archive.close());

  it.each(rows)('%s', async (_, { name, record }) => {
    const answer = await answerWith(handlers[name], {
      query: parseQuery(name, {}),
      context: await contextAt(archive),
    });
    expect(shapeOf(JSON.parse(toJson(answer)))).toEqual(record);
  });
});
