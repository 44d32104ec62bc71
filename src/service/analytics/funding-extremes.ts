import type { EndpointAnswer } from '../../contract/index.ts';
import { day, iso } from '../../runtime/units.ts';
import type { SettledFunding } from '../archive/archive.ts';
import { mean, round, standardDeviation, zScore } from './statistics.ts';

/** The inclusion rule, as the `threshold` field states it. */
export const fundingThreshold = '|zScore| > 1.5';
export const fundingWindow = 30 * day;
const minimumSamples = 20;

type FundingExtreme = EndpointAnswer<'fundingExtremes'>['data'][number];

/**
 * Converts a rate per settlement to percent a year by the interface's "Funding rate rows": three settlements a day,
 * whatever the symbol's real interval.
 */
export const annualizedPct = (rate: number): number => round(rate * 3 * 365 * 100, 4);

/** Returns the severity of a z-score; undefined if it is not extreme. */
export const fundingSeverity = (z: number): 'ELEVATED' | 'HIGH' | 'EXTREME' | undefined => {
  const size = Math.abs(z);
  if (size > 3) return 'EXTREME';
  if (size > 2) return 'HIGH';
  return size > 1.5 ? 'ELEVATED' : undefined;
};

type FundingStanding = EndpointAnswer<'fundingStandings'>['data'][number];

/**
 * Computes for every symbol z = (current − mean) / sd over its settlements of the last
 * 30 days, the current one included. z is absent below 20 settlements or if sd is 0.
 *
 * @param settlements Settlements of all symbols; those of one symbol ascend in time.
 * @param now Market time, ms; later settlements are ignored.
 */
export function fundingStandings(settlements: readonly SettledFunding[], now: number): FundingStanding[] {
  const recent = settlements.filter(({ time }) => time > now - fundingWindow && time <= now);
  const newest = recent.reduce((latest, { time }) => Math.max(latest, time), 0);
  return [...Map.groupBy(recent, ({ symbol }) => symbol).values()].flatMap((past) => standing(past, newest));
}

function standing(past: readonly SettledFunding[], newest: number): FundingStanding[] {
  const current = past.at(-1);
  // A symbol a day behind the others is delisted or halted, so it has no current rate. Its age is measured against the
  // newest settlement of all symbols and not against the clock, because a silent feed must not make symbols disappear.
  if (current === undefined || newest - current.time > day) return [];
  const rates = past.map(({ rate }) => rate);
  const z = past.length < minimumSamples ? undefined : zScore(current.rate, rates);
  return [
    {
      symbol: current.symbol,
      currentRate: current.rate,
      avg30dRate: round(mean(rates), 10),
      sd30dRate: round(standardDeviation(rates), 10),
      settlements: rates.length,
      zScore: z === undefined ? undefined : round(z, 4),
      timestamp: iso(current.time),
    },
  ];
}

/** Returns the extreme standings: |z| > 1.5, with z and the rate of the same sign. The largest |z| comes first. */
export const fundingExtremes = (settlements: readonly SettledFunding[], now: number): FundingExtreme[] =>
  fundingStandings(settlements, now)
    .flatMap(extreme)
    .sort((a, b) => Math.abs(b.zScore) - Math.abs(a.zScore) || (a.symbol < b.symbol ? -1 : 1));

function extreme({
  symbol,
  currentRate,
  avg30dRate,
  zScore: z,
  timestamp,
}: FundingStanding): FundingExtreme[] {
  if (z === undefined) return [];
  const severity = fundingSeverity(z);
  if (severity === undefined || Math.sign(z) !== Math.sign(currentRate)) return [];
  return [
    {
      symbol,
      currentRate,
      annualizedPct: annualizedPct(currentRate),
      avg30dRate,
      zScore: z,
      severity,
      direction: z > 0 ? 'OVERLEVERAGED_LONG' : 'OVERLEVERAGED_SHORT',
      timestamp,
    },
  ];
}
