import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contract } from '#src/contract/index.ts';
import { hour, minute } from '#src/runtime/units.ts';
import {
  dataHealth,
  dataQuality,
  type FeedReading,
  type QualityCheck,
  qualityChecks,
  qualityGrade,
  qualityRow,
} from '#src/service/analytics/data-quality.ts';

const now = Date.UTC(2030, 0, 1);
const readings = (changed: Partial<Record<QualityCheck, FeedReading>> = {}) => ({
  candles: { lastUpdate: now - 30 * minute },
  funding_history: { lastUpdate: now - 4 * hour },
  oi_history: { lastUpdate: now - 3 * minute },
  liquidation_events: { lastUpdate: now - 5 * hour, alive: true },
  ...changed,
});

describe('dataQuality', () => {
  it.each<[string, Partial<Record<QualityCheck, FeedReading>>, number, string, string]>([
    ['all fresh', {}, 100, 'A', 'HEALTHY'],
    ['quiet: liquidations hours old over a living socket', {}, 100, 'A', 'HEALTHY'],
    [
      'socket dead: its weight is gone',
      { liquidation_events: { lastUpdate: now, alive: false } },
      80,
      'B',
      'DEGRADED',
    ],
    [
      'no socket known: the age of its events counts',
      { liquidation_events: { lastUpdate: now - 30 * minute } },
      100,
      'A',
      'HEALTHY',
    ],
    [
      'stale: worth falls evenly to 0 at four times the limit',
      { oi_history: { lastUpdate: now - 37.5 * minute } },
      87.5,
      'B',
      'DEGRADED',
    ],
    [
      'stale: worth nothing from there on',
      { oi_history: { lastUpdate: now - 61 * minute } },
      75,
      'B',
      'DEGRADED',
    ],
    [
      'coverage: the share of symbols',
      { oi_history: { lastUpdate: now, coverage: 0.5 } },
      87.5,
      'B',
      'HEALTHY',
    ],
    ['nothing ever seen of one feed', { funding_history: { lastUpdate: null } }, 80, 'B', 'DEGRADED'],
    ['no candles: DOWN, whatever the rest', { candles: { lastUpdate: null } }, 65, 'C', 'DOWN'],
    [
      'grade F: DOWN',
      {
        oi_history: { lastUpdate: null },
        funding_history: { lastUpdate: null },
        liquidation_events: { lastUpdate: null, alive: false },
      },
      35,
      'F',
      'DOWN',
    ],
  ])('%s', (_, changed, score, grade, status) => {
    expect(dataQuality(readings(changed), { now })).toMatchObject({ score, grade, status });
  });

  it('checks have a time and an age, or nothing if nothing was seen', () => {
    const { checks } = dataQuality(readings({ funding_history: { lastUpdate: null } }), { now });
    expect(checks.candles).toEqual({ fresh: true, lastUpdate: '2029-12-31T23:30:00.000Z', ageMinutes: 30 });
    expect(checks.funding_history).toEqual({ fresh: false });
  });

  it('stays within the contract, and ageing never raises the score', () => {
    const reading = fc.record({ lastUpdate: fc.option(fc.integer({ min: 0, max: now + hour })) });
    const all = fc.record({
      candles: reading,
      funding_history: reading,
      oi_history: reading,
      liquidation_events: reading,
    });
    fc.assert(
      fc.property(all, fc.integer({ min: 0, max: 30 * hour }), (given, later) => {
        const quality = dataQuality(given, { now });
        expect(contract.dataQuality.answer.safeParse(quality).error).toBeUndefined();
        expect(dataQuality(given, { now: now + later }).score).toBeLessThanOrEqual(quality.score);
      }),
    );
  });

  it('a drift degrades fresh data by the share of failed checks, and says why', () => {
    const drift = {
      value: 'open_interest',
      venue: 'Binance USD-M',
      checks: 6,
      beyond: 4,
      worst: { symbol: 'SOLUSDT', difference: 0.0213 },
    } as const;
    const quality = dataQuality(readings({}), { now, drifts: [drift] });
    expect(contract.dataQuality.answer.safeParse(quality).error).toBeUndefined();
    expect(quality).toMatchObject({ score: 83.3, grade: 'B', status: 'DEGRADED' });
    expect(quality.checks.oi_history?.fresh).toBe(true);
    const reason =
      'open_interest differs from Binance USD-M: 4 of the last 6 checks beyond tolerance, worst 2.13 % (SOLUSDT)';
    expect(quality.drifts).toMatchObject([{ value: 'open_interest', worstPct: 2.13, reason }]);
    expect(qualityRow(quality, now).summary).toBe(`All feeds fresh; ${reason}`);
    // Wrong prices are not missing candles: they are reported, and do not count as an outage.
    const mark = { ...drift, value: 'mark', beyond: 6 } as const;
    expect(dataQuality(readings({}), { now, drifts: [mark] })).toMatchObject({
      score: 65,
      status: 'DEGRADED',
    });
  });

  it('weights sum to 100', () => {
    expect(Object.values(qualityChecks).reduce((sum, { weight }) => sum + weight, 0)).toBe(100);
  });
});

it.each([
  [100, 'A'],
  [90, 'A'],
  [89.9, 'B'],
  [75, 'B'],
  [74.9, 'C'],
  [60, 'C'],
  [59.9, 'D'],
  [40, 'D'],
  [39.9, 'F'],
  [0, 'F'],
])('grade bands: %d is %s', (score, grade) => {
  expect(qualityGrade(score)).toBe(grade);
});

it('the summary names what is stale and how old it is', () => {
  const summary = (changed: Partial<Record<QualityCheck, FeedReading>>) =>
    qualityRow(dataQuality(readings(changed), { now }), now).summary;
  expect(summary({})).toBe('All feeds fresh');
  expect(summary({ candles: { lastUpdate: null }, oi_history: { lastUpdate: now - hour } })).toBe(
    'candles stale (nothing seen yet), oi_history stale (60 min old)',
  );
  expect(summary({ liquidation_events: { lastUpdate: null, alive: true } })).toBe('All feeds fresh');
});

it.each([
  ['HEALTHY', 'OK'],
  ['DEGRADED', 'DEGRADED'],
  ['DOWN', 'DOWN'],
] as const)('the data health of %s is %s', (status, health) => {
  expect(dataHealth(status)).toBe(health);
});
