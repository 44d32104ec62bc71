import type { EndpointAnswer } from '../../contract/index.ts';
import { day, iso } from '../../runtime/units.ts';
import type { SettledFunding } from '../archive/archive.ts';
import { mean, round, zScore } from './statistics.ts';

/** The inclusion rule, as the `threshold` field states it. */
export const fundingThreshold = '|zScore| > 1.5';
export const fundingWindow = 30 * day;
const minimumSamples = 20;

export type FundingExtreme = EndpointAnswer<'fundingExtremes'>['data'][number];

/** Interface, "Funding rate rows": a rate per settlement → percent a year, whatever the symbol's real period. */
export const annualizedPct = (rate: number): number => round(rate * 3 * 365 * 100, 4);

/** Interface, rule 9. */
export const fundingSeverity = (z: number): 'ELEVATED' | 'HIGH' | 'EXTREME' | undefined => {
  const size = Math.abs(z);
  return size > 3 ? 'EXTREME' : size > 2 ? 'HIGH' : size > 1.5 ? 'ELEVATED' : undefined;
};

/**
 * Interface, rule 9: z = (current − mean) / sd over a symbol's settlements of the last 30 days, the current one
 * included; at least 20 of them and sd > 0; kept where |z| > 1.5 and z and rate have the same sign.
 * Largest |z| first.
 *
 * @param settlements of all symbols, those of one symbol ascending in time.
 * @param now market ms; settlements after it are not seen.
 */
export function fundingExtremes(settlements: readonly SettledFunding[], now: number): FundingExtreme[] {
  const recent = settlements.filter(({ time }) => time > now - fundingWindow && time <= now);
  const newest = recent.reduce((latest, { time }) => Math.max(latest, time), 0);
  return Object.values(Object.groupBy(recent, ({ symbol }) => symbol))
    .flatMap((past) => extreme(past ?? [], newest) ?? [])
    .sort((a, b) => Math.abs(b.zScore) - Math.abs(a.zScore) || (a.symbol < b.symbol ? -1 : 1));
}

function extreme(past: readonly SettledFunding[], newest: number): FundingExtreme | undefined {
  const current = past.at(-1);
  if (current === undefined || past.length < minimumSamples) return undefined;
  // A day behind the others: delisted or halted, so it has no current rate. Measured against the others'
  // newest and not the clock, because a silent feed must not look like funding gone quiet.
  if (newest - current.time > day) return undefined;
  const rates = past.map(({ rate }) => rate);
  const z = zScore(current.rate, rates);
  if (z === undefined) return undefined;
  const published = round(z, 4);
  const severity = fundingSeverity(published);
  if (severity === undefined || Math.sign(published) !== Math.sign(current.rate)) return undefined;
  return {
    symbol: current.symbol,
    currentRate: current.rate,
    annualizedPct: annualizedPct(current.rate),
    avg30dRate: round(mean(rates), 10),
    zScore: published,
    severity,
    direction: published > 0 ? 'OVERLEVERAGED_LONG' : 'OVERLEVERAGED_SHORT',
    timestamp: iso(current.time),
  };
}
