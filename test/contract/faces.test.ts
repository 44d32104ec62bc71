import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { DataClient } from '#src/contract/data-client.ts';
import { contract, type EndpointName } from '#src/contract/index.ts';
import { feeds } from '#src/rules/all-feeds.ts';
import { isMetric, type MetricName, metricOf } from '#src/rules/metrics.ts';
import { ask } from '../support/commands.ts';
import { dataClient, now, universe } from '../support/data.ts';

interface Face {
  /** The line that people type, which asks the endpoint. */
  readonly line?: string;
  /** The file in src that reads it for the page. */
  readonly page?: string;
  /** The metrics that its numbers are. */
  readonly metrics?: readonly MetricName[];
  /** The endpoint whose face says all that this one does. */
  readonly within?: EndpointName;
}

const readings = 'app/console/board/readings.ts';

/** Where people meet each endpoint. A new one without a face does not compile. */
const faces: Readonly<Record<EndpointName, Face>> = {
  basis: { line: 'basis btc', metrics: ['basis.pct'] },
  candles: { line: 'chart btc 4h' },
  crossAssetHistory: { line: 'macro', metrics: ['macro.sp500', 'macro.gold', 'macro.dxy'] },
  dataChecks: { line: 'quality checks' },
  dataQuality: { line: 'quality', metrics: ['quality.score'] },
  dataQualityHistory: { line: 'quality' },
  fundingCurrent: { page: readings, metrics: ['funding.ratePct', 'funding.annualizedPct'] },
  fundingDispersion: { line: 'venues', metrics: ['funding.gapPct'] },
  fundingExtremes: { line: 'funding' },
  fundingHistory: { line: 'funding btc' },
  fundingIntervals: { page: readings, metrics: ['funding.perYearPct'] },
  fundingStandings: { line: 'funding btc', metrics: ['funding.z'] },
  intelligence: { line: 'coin btc', metrics: ['price.change24hPct', 'oi.valueUsd'] },
  leverage: { line: 'leverage btc', metrics: ['leverage.implied', 'leverage.oiToVolume'] },
  // A rule for each size of a position, which depends on what somebody holds.
  leverageTiers: { line: 'position btc long 60000 10x' },
  // The number depends on the move that is asked about.
  liquidationCascade: { line: 'cascade btc -5' },
  venueLiquidations: { line: 'liquidations' },
  liquidations: {
    line: 'liquidations btc',
    metrics: ['liquidations.longUsd1h', 'liquidations.shortUsd1h'],
  },
  liquidationScore: { line: 'leverage btc', metrics: ['liquidation.score'] },
  liquidationZones: { line: 'levels btc', metrics: ['liquidation.zoneDistancePct'] },
  listings: { line: 'listings' },
  lsRatioHistory: { line: 'ratio btc', metrics: ['ratio.longPct'] },
  marketOverview: { line: 'market', metrics: ['price.last', 'signal.strength', 'signal.master'] },
  meta: { page: 'client/meta.ts' },
  oi: { line: 'oi btc' },
  oiAggregate: { line: 'venues btc', metrics: ['oi.allVenuesUsd', 'oi.allVenuesChange24hPct'] },
  oiMomentum: { line: 'oi btc', metrics: ['oi.ratePct', 'oi.accelerationPct', 'oi.change1hPct'] },
  oiMovers: { page: readings },
  oiVelocity: { line: 'oi btc', metrics: ['oi.velocityPct'] },
  optionsSummary: {
    line: 'options btc',
    metrics: ['options.putCallRatio', 'options.maxPain', 'options.avgIvPct'],
  },
  prices: { line: 'coin btc' },
  regime: { within: 'regimeProbabilities' },
  regimeHistory: { line: 'regime' },
  regimeMarkets: {
    line: 'market',
    page: readings,
    metrics: ['coinRegime.riskOff', 'breadth.riskOffPct'],
  },
  regimeProbabilities: {
    line: 'regime',
    metrics: ['regime.state', 'regime.riskOn', 'regime.riskOff', 'regime.score', 'volatility.percentile'],
  },
  spread: { line: 'spread btc', metrics: ['spread.pct', 'spread.imbalance'] },
  venueMarkets: { line: 'basis btc venue=hyperliquid' },
  venues: { line: 'venues' },
  volumeCvd: { line: 'cvd btc', metrics: ['cvd.total24h', 'cvd.buyPct'] },
};

/**
 * What each number of an answer is: a metric, or, where none would mean anything, why. Fields of the contract by their names, after
 * their endpoint where a name has another meaning there.
 */
const numbers: Readonly<Partial<Record<MetricName, string>>> = {
  'price.last': 'price c markPrice indexPrice',
  'price.change1mPct': 'change1mPct',
  'price.change5mPct': 'change5mPct',
  'price.change15mPct': 'change15mPct',
  'price.change1hPct': 'change1hPct',
  'price.change4hPct': 'change4hPct',
  'price.change24hPct': 'change24hPct',
  'price.change7dPct': 'change7dPct',
  'price.high24h': 'h',
  'price.low24h': 'l',
  'volume.quote24h': 'quote_volume volume24hUsd',
  'signal.strength': 'signal',
  'signal.master': 'master',
  'funding.ratePct': 'rate funding currentRate estFunding',
  'funding.annualizedPct': 'annualized annualizedPct',
  'funding.z': 'zScore',
  'funding.gapPct': 'gap8h premiumPct',
  'basis.pct': 'basisPct regimeProbabilities.annualizedPct',
  'oi.ratePct': 'ratePct',
  'oi.accelerationPct': 'accelerationPct',
  'oi.change1hPct': 'oiMovers.change1hPct',
  'oi.velocityPct': 'velocityPct velocity velocityUsd',
  'oi.valueUsd': 'oi_value_usd oi_contracts oi',
  'oi.allVenuesUsd': 'totalUsd',
  'oi.allVenuesChange24hPct': 'oiAggregate.pct oiAggregate.change24h.usd oiAggregate.change1h.usd',
  'liquidations.longUsd1h': 'usd_value quantity liquidations.price venueLiquidations.price',
  'liquidation.score': 'liquidationScore.score',
  'liquidation.zoneDistancePct': 'distancePct zones.price zones.estimatedUsd',
  'leverage.implied': 'estimatedLeverage',
  'leverage.oiToVolume': 'oiToVolume',
  'cvd.total24h': 'totalCvd cvd delta buyVolume sellVolume',
  'cvd.buyPct': 'buyRatio taker_buy',
  'ratio.longPct': 'longRatio shortRatio',
  'spread.pct': 'spreadPct bidPrice askPrice',
  'spread.imbalance': 'imbalance',
  'options.putCallRatio': 'putCallRatio callOI putOI',
  'options.maxPain': 'maxPain',
  'options.avgIvPct': 'avgIV',
  'regime.riskOn': 'RISK_ON',
  'regime.riskOff': 'RISK_OFF',
  'regime.transition': 'TRANSITION',
  'regime.confidence': 'confidence',
  'regime.score': 'regimeProbabilities.score regime.score regimeHistory.score regimeScore',
  'coinRegime.score': 'regimeMarkets.score',
  'breadth.riskOffPct': 'regimeMarkets.breadth.RISK_ON regimeMarkets.breadth.RISK_OFF',
  'volatility.percentile': 'percentile',
  'fearGreed.value': 'fearGreed',
  'quality.score': 'dataQuality.score dataQualityHistory.score',
  'macro.sp500': 'sp500',
  'macro.gold': 'gold',
  'macro.dxy': 'dxy',
  'macro.sp500Corr': 'btc_sp500_corr',
  'macro.goldCorr': 'btc_gold_corr',
  'macro.dxyCorr': 'btc_dxy_corr',
  'macro.vix': 'vix',
};
const noMetric: Readonly<Record<string, string>> = {
  'how much the answer is made of': 'count dataPoints settlements sampleSize checks missed days',
  'a statistic of the window that was asked, which differs from question to question':
    'avgRatePct maxAcceleration avgVelocityPct avgSpreadPct avg30dRate sd30dRate',
  'how the service is, which its operator sees: quality.score is of all of it':
    'ageMinutes ageSeconds speed backfill beyond worstPct medianPct within share published asked differencePct allowedPct',
  'what was asked about':
    'movePct startPrice rounds.price rounds.estimatedUsd estimatedFinalPrice estimatedTotalUsd amplification upTo maintenanceRate maxLeverage',
  'a term of the market, whose change is an alert': 'hours intervalHours intervalHoursBefore',
  'one venue of those that a metric is of':
    'openInterest openInterestUsd legs.usd sharePct priceDeviationPct venueMarkets.rate legs.rate legs.annualizedPct',
  'how well estimates were, which changes over months':
    'coverage judged.share low high chance placebo judged.liquidations',
  'a part of a score that is one': 'value weight magnitude regimeMultiplier dxyScore stablecoinFlow o v',
  'a share that others of its object leave': '*',
};

/** Returns the paths of the numbers of an answer, in JSON Schema: `data.price`. */
function numbersIn(schema: unknown, path = ''): string[] {
  const {
    type,
    pattern = '',
    format,
    anyOf,
    oneOf,
    allOf,
    properties,
    additionalProperties,
    items,
  } = schema as Record<string, never> & { readonly pattern?: string };
  const parts = [anyOf, oneOf, allOf].flatMap((each) => each ?? []);
  if (type === 'number' || type === 'integer') return [path];
  // A decimal is sent as a string.
  if (type === 'string')
    return format === undefined && String(pattern).includes('\\d+(\\.\\d+)?') ? [path] : [];
  return [
    ...parts.flatMap((part) => numbersIn(part, path)),
    ...Object.entries({ ...(properties ?? {}), '*': additionalProperties }).flatMap(([name, each]) =>
      typeof each === 'object' ? numbersIn(each, `${path}.${name}`) : [],
    ),
    ...(items === undefined ? [] : numbersIn(items, path)),
  ];
}

/** Returns the ways to name a number, the most exact first: `oi.data.change1h.usd`, `change1h.usd`, `usd`. */
const namesOf = (endpoint: EndpointName, path: string): string[] => {
  const parts = path.split('.').filter((part) => part !== '');
  const tails = parts.map((_, index) => parts.slice(index).join('.'));
  return [...tails.map((tail) => `${endpoint}.${tail}`), ...tails];
};

const known = new Map(
  [...Object.entries(numbers), ...Object.entries(noMetric)].flatMap(([what, fields = '']) =>
    fields.split(' ').map((field) => [field, what] as const),
  ),
);

/** Returns a client of the fixture that notes what it is asked. */
function watched() {
  const asked = new Set<string>();
  const data = new Proxy(dataClient(), {
    get(client, name) {
      asked.add(String(name));
      return Reflect.get(client, name);
    },
  });
  return { asked, data: data as DataClient };
}

const all = Object.entries(faces) as [EndpointName, Face][];

it('every number of an answer is a metric, or it is said why not', () => {
  const used = new Set<string>();
  const nameless = all.flatMap(([name]) => {
    const schema = z.toJSONSchema(contract[name].answer, { io: 'output', unrepresentable: 'any' });
    return numbersIn(schema).flatMap((path) => {
      const found = namesOf(name, path).find((each) => known.has(each));
      used.add(found ?? '');
      return found === undefined ? [`${name}${path}`] : [];
    });
  });
  expect(nameless).toEqual([]);
  expect(Object.keys(numbers).filter((metric) => !isMetric(metric))).toEqual([]);
  expect([...known.keys()].filter((field) => !used.has(field))).toEqual([]);
});

describe('every endpoint has a face', () => {
  it('the table names exactly those of the contract', () => {
    expect(all.map(([name]) => name).sort()).toEqual(Object.keys(contract).sort());
  });

  it.each(all)('%s is met by a command, on the page, or within another that is', (_, { within, ...own }) => {
    const { line, page } = within === undefined ? own : faces[within];
    expect(line ?? page).toBeDefined();
  });

  it.each(all.flatMap(([name, { line }]) => (line === undefined ? [] : [[name, line] as const])))(
    '%s: “%s” asks it',
    async (name, line) => {
      const { asked, data } = watched();
      await ask(line, { data }).catch(() => {});
      expect([...asked]).toContain(name);
    },
  );

  it.each(all.flatMap(([name, { page }]) => (page === undefined ? [] : [[name, page] as const])))(
    '%s: %s reads it',
    (name, page) => {
      expect(readFileSync(join(import.meta.dirname, '../../src', page), 'utf8')).toContain(name);
    },
  );

  it.each(all.flatMap(([name, { metrics = [] }]) => metrics.map((metric) => [metric, name] as const)))(
    '%s is read from %s',
    async (metric, name) => {
      expect(isMetric(metric)).toBe(true);
      const { asked, data } = watched();
      const { signal } = new AbortController();
      await feeds[metricOf(metric).feed].read({ data, symbols: [universe[0] ?? ''], now, signal });
      expect([...asked]).toContain(name);
    },
  );
});
