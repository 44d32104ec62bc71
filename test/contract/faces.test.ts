import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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
  fundingDispersion: { line: 'venues' },
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
  oiAggregate: { line: 'venues btc' },
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
  regimeMarkets: { line: 'market', page: readings },
  regimeProbabilities: {
    line: 'regime',
    metrics: ['regime.state', 'regime.riskOn', 'regime.riskOff', 'regime.score', 'volatility.percentile'],
  },
  spread: { line: 'spread btc', metrics: ['spread.pct', 'spread.imbalance'] },
  venueMarkets: { line: 'basis btc venue=hyperliquid' },
  venues: { line: 'venues' },
  volumeCvd: { line: 'cvd btc', metrics: ['cvd.total24h', 'cvd.buyPct'] },
};

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
