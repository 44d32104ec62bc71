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
const all = <Type extends 'number' | 'string'>(type: Type, ...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, type]));
const numbers = (...names: readonly string[]) => all('number', ...names);
const strings = (...names: readonly string[]) => all('string', ...names);

const timestamp = 'timestamp';
const basisRow = { timestamp, ...numbers('markPrice', 'indexPrice', 'basisPct', 'estFunding') } as const;
const optionsRow = {
  timestamp,
  ...numbers('callOI', 'putOI', 'putCallRatio', 'maxPain', 'avgIV'),
} as const;
const spreadRow = { timestamp, ...numbers('bidPrice', 'askPrice', 'spreadPct', 'imbalance') } as const;
const momentumRow = { timestamp, ...numbers('oi', 'ratePct', 'accelerationPct') } as const;
const check = { fresh: 'boolean', lastUpdate: timestamp, ageMinutes: 'number' } as const;

const interfaces: Readonly<Record<string, { name: EndpointName; defaults: object; record: Tree }>> = {
  '/regime': {
    name: 'regime',
    defaults: {},
    record: { regime: 'string', ...numbers('confidence', 'score') },
  },
  '/regime/probabilities': {
    name: 'regimeProbabilities',
    defaults: {},
    record: {
      current: { ...strings('state', 'legacyRegime'), ...numbers('confidence', 'score') },
      probabilities: numbers('RISK_ON', 'RISK_OFF', 'TRANSITION'),
      transition: null,
      regimeMultiplier: 'number',
      volatilityRegime: { regime: 'string', percentile: 'number' },
      basisSignal: { signal: 'string', ...numbers('basisPct', 'annualizedPct', 'markPrice', 'indexPrice') },
      crossAsset: {
        ...numbers('dxy', 'dxyScore', 'stablecoinFlow'),
        sp500: { vix: 'number', signal: 'string' },
        fundingStructure: 'string',
      },
      model: {
        ...strings('version', 'method'),
        published: {
          from: timestamp,
          to: timestamp,
          ...numbers('hours', 'agreement', 'brier', 'baseRatesBrier'),
          reliability: [{ state: 'string', ...numbers('said', 'found', 'hours') }],
        },
      },
      dataHealth: 'string',
      timestamp,
    },
  },
  '/regime/history': {
    name: 'regimeHistory',
    defaults: { days: 7 },
    record: { data: [{ timestamp, ...strings('regime', 'hmm_state'), ...numbers('confidence', 'score') }] },
  },
  '/basis': {
    name: 'basis',
    defaults: hours(24),
    record: { ...strings('symbol', 'signal'), data: [basisRow], dataPoints: 'number', current: basisRow },
  },
  '/data/quality': {
    name: 'dataQuality',
    defaults: {},
    record: {
      score: 'number',
      ...strings('grade', 'status'),
      checks: { candles: check, funding_history: check, oi_history: check, liquidation_events: check },
      timestamp,
    },
  },
  '/data/quality/history': {
    name: 'dataQualityHistory',
    defaults: { hours: 24 },
    record: {
      data: [{ timestamp, score: 'number', ...strings('grade', 'status', 'summary') }],
      count: 'number',
      window: 'string',
    },
  },
  '/liquidations': {
    name: 'liquidations',
    defaults: { limit: 100 },
    record: {
      data: [
        { ...strings('symbol', 'side', 'price', 'quantity'), usd_value: 'number', event_time: timestamp },
      ],
    },
  },
  '/market/overview': {
    name: 'marketOverview',
    defaults: {},
    record: {
      coins: [{ symbol: 'string', ...numbers('price', 'signal', 'funding', 'master') }],
      regime: 'string',
      fearGreed: 'number',
      timestamp,
    },
  },
  '/volume/cvd': {
    name: 'volumeCvd',
    defaults: hours(24),
    record: {
      ...strings('symbol', 'pressure'),
      data: [{ timestamp, ...numbers('buyVolume', 'sellVolume', 'delta', 'cvd', 'buyRatio') }],
      ...numbers('totalCvd', 'dataPoints'),
    },
  },
  '/intelligence': {
    name: 'intelligence',
    defaults: { symbol: 'BTCUSDT' },
    record: {
      ...strings('symbol', 'regime'),
      ...numbers('price', 'funding', 'signal', 'regimeScore', 'fearGreed'),
      candles24h: [{ open_time: timestamp, c: 'string' }],
      fundingHistory: [{ timestamp, rate: 'string' }],
      oiHistory: [{ timestamp, oi_value_usd: 'string' }],
    },
  },
  '/cross-asset/history': {
    name: 'crossAssetHistory',
    defaults: { hours: 24 },
    record: {
      data: [
        {
          timestamp,
          ...numbers('sp500', 'gold', 'dxy', 'btc_sp500_corr', 'btc_gold_corr', 'btc_dxy_corr'),
        },
      ],
      count: 'number',
    },
  },
  '/ls-ratio/history': {
    name: 'lsRatioHistory',
    defaults: { ...hours(24), type: 'top_position' },
    record: {
      ...strings('symbol', 'type'),
      data: [{ timestamp, ...numbers('longRatio', 'shortRatio') }],
      dataPoints: 'number',
    },
  },
  '/funding/current': {
    name: 'fundingCurrent',
    defaults: {},
    record: { data: [{ timestamp, ...strings('symbol', 'rate', 'annualized') }] },
  },
  '/funding/history': {
    name: 'fundingHistory',
    defaults: { symbol: 'BTCUSDT', limit: 100 },
    record: { symbol: 'string', data: [{ timestamp, ...strings('rate', 'annualized') }] },
  },
  '/options/summary': {
    name: 'optionsSummary',
    defaults: { currency: 'BTC', hours: 24 },
    record: {
      ...strings('currency', 'signal'),
      data: [optionsRow],
      dataPoints: 'number',
      current: optionsRow,
    },
  },
  '/spread': {
    name: 'spread',
    defaults: hours(24),
    record: {
      ...strings('symbol', 'signal'),
      data: [spreadRow],
      ...numbers('dataPoints', 'avgSpreadPct'),
      current: spreadRow,
    },
  },
  '/oi': {
    name: 'oi',
    defaults: { symbol: 'BTCUSDT', limit: 100 },
    record: { symbol: 'string', data: [{ timestamp, ...strings('oi_contracts', 'oi_value_usd') }] },
  },
  '/oi/momentum': {
    name: 'oiMomentum',
    defaults: hours(6),
    record: {
      ...strings('symbol', 'signal'),
      data: [momentumRow],
      ...numbers('dataPoints', 'avgRatePct', 'maxAcceleration'),
      current: momentumRow,
    },
  },
  '/funding/extremes': {
    name: 'fundingExtremes',
    defaults: { limit: 30 },
    record: {
      data: [
        {
          timestamp,
          ...strings('symbol', 'severity', 'direction'),
          ...numbers('currentRate', 'annualizedPct', 'avg30dRate', 'zScore'),
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
