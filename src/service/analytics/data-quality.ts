import type { EndpointAnswer } from '../../contract/index.ts';
import { iso, minute } from '../../runtime/units.ts';
import type { AuditedValue, QualityRow } from '../archive/archive.ts';
import type { Drift } from '../auditing/drifts.ts';
import { round } from './statistics.ts';

/**
 * Every check: the age up to which it is fresh, its weight in the score, and why. Weights sum to 100.
 * Ages are of what the data describes: a candle's is that of its close.
 */
export const qualityChecks = {
  /** A bar closes every hour; the regime, volume delta and signals stand on it. */
  candles: { freshFor: 75 * minute, weight: 35 },
  /** A settlement every 8 hours, half an hour for it to be published. */
  funding_history: { freshFor: 510 * minute, weight: 20 },
  /** A snapshot every 5 minutes; two may be missed. The fastest feed that detectors act on. */
  oi_history: { freshFor: 15 * minute, weight: 25 },
  /** Healthily quiet for hours: its socket is asked, and its age only where nothing is known of the socket. */
  liquidation_events: { freshFor: 60 * minute, weight: 20 },
} as const;

export type QualityCheck = keyof typeof qualityChecks;

/** Whose worth a value takes away that differs from the exchange's; the mark is a price like a candle's. */
const checkOf: Readonly<Record<AuditedValue, QualityCheck>> = {
  mark: 'candles',
  volume_24h: 'candles',
  funding: 'funding_history',
  running_funding: 'funding_history',
  open_interest: 'oi_history',
  liquidations: 'liquidation_events',
};

/** What is known of one feed. */
export interface FeedReading {
  /** Market ms of the newest value; null before the first. */
  readonly lastUpdate: number | null;
  /** Whether the socket has lately been heard, at least its pings; absent for feeds that are polled. */
  readonly alive?: boolean;
  /** Share of tracked symbols that are as fresh as the feed, 0 to 1; absent = 1. */
  readonly coverage?: number;
}

export type Quality = EndpointAnswer<'dataQuality'> & Pick<QualityRow, 'grade' | 'status'>;

/** What is published of liquidations is not everywhere: a check that is left out counts for nothing. */
export type QualityReadings = Readonly<
  Record<Exclude<QualityCheck, 'liquidation_events'>, FeedReading> &
    Partial<Record<'liquidation_events', FeedReading>>
>;

/**
 * score = Σ weight × coverage × freshness × truth, of 100 where a check is left out too: freshness is 1 up to `freshFor`
 * and falls linearly to 0 at four times that; of a feed with a socket it is 1 while the socket is alive, else 0. Truth is 1,
 * and of a feed that drifts the share of its last checks that were within tolerance. Grade bands are the interface's.
 * DOWN: grade F, or candles so old that they are worth nothing. HEALTHY: every check fresh, nothing drifts, and grade A or
 * B. DEGRADED otherwise.
 */
export function dataQuality(
  readings: QualityReadings,
  { now, drifts = [] }: { readonly now: number; readonly drifts?: readonly Drift[] },
): Quality {
  const { liquidation_events: liquidations } = readings;
  const checks = {
    candles: check(readings.candles, { name: 'candles', now }),
    funding_history: check(readings.funding_history, { name: 'funding_history', now }),
    oi_history: check(readings.oi_history, { name: 'oi_history', now }),
    ...(liquidations !== undefined && {
      liquidation_events: check(liquidations, { name: 'liquidation_events', now }),
    }),
  };
  let [sum, most, allFresh] = [0, 0, true];
  for (const name of names) {
    const reading = readings[name];
    if (reading === undefined) continue;
    const { weight } = qualityChecks[name];
    sum += weight * worth(reading, { name, now }) * truth(name, drifts);
    most += weight;
    allFresh &&= checks[name]?.fresh === true;
  }
  const score = round((100 * sum) / most, 1);
  const grade = qualityGrade(score);
  const down = grade === 'F' || worth(readings.candles, { name: 'candles', now }) === 0;
  const well = allFresh && drifts.length === 0 && (grade === 'A' || grade === 'B');
  const status = down ? 'DOWN' : well ? 'HEALTHY' : 'DEGRADED';
  const drifting = drifts.length === 0 ? {} : { drifts: drifts.map(drift) };
  return { score, grade, status, checks, ...drifting, timestamp: iso(now) };
}

const truth = (name: QualityCheck, drifts: readonly Drift[]): number =>
  drifts.reduce(
    (least, { value, beyond, checks }) =>
      checkOf[value] === name ? Math.min(least, 1 - beyond / checks) : least,
    1,
  );

function drift({ value, venue, checks, beyond, worst: { symbol, difference } }: Drift) {
  const worstPct = round(100 * difference, 4);
  const reason = `${value} differs from ${venue}: ${beyond} of the last ${checks} checks beyond tolerance, worst ${worstPct} % (${symbol})`;
  return { value, venue, checks, beyond, worstPct, symbol, reason };
}

/** Interface, "Grade bands". */
export const qualityGrade = (score: number): QualityRow['grade'] => {
  if (score >= 90) return 'A';
  if (score >= 75) return 'B';
  if (score >= 60) return 'C';
  return score >= 40 ? 'D' : 'F';
};

/** The `dataHealth` of /regime/probabilities. */
export const dataHealth = (status: QualityRow['status']): 'OK' | 'DEGRADED' | 'DOWN' =>
  status === 'HEALTHY' ? 'OK' : status;

/** The row of /data/quality/history. */
export function qualityRow(quality: Quality, now: number): QualityRow {
  const stale = names
    .filter((name) => quality.checks[name]?.fresh === false)
    .map((name) => {
      const age = quality.checks[name]?.ageMinutes;
      return `${name} stale (${age === undefined ? 'nothing seen yet' : `${Math.round(age)} min old`})`;
    });
  const unpublished = names.filter((name) => quality.checks[name] === undefined);
  const summary = [
    stale.length === 0 ? 'All feeds fresh' : stale.join(', '),
    ...(quality.drifts ?? []).map(({ reason }) => reason),
    ...unpublished.map((name) => `${name} not published here`),
  ].join('; ');
  return { time: now, score: quality.score, grade: quality.grade, status: quality.status, summary };
}

const names = Object.keys(qualityChecks) as QualityCheck[];

function check(reading: FeedReading, { name, now }: { readonly name: QualityCheck; readonly now: number }) {
  const { lastUpdate } = reading;
  const fresh = freshness(reading, { name, now }) === 1;
  if (lastUpdate === null) return { fresh };
  return { fresh, lastUpdate: iso(lastUpdate), ageMinutes: round(Math.max(0, now - lastUpdate) / minute, 1) };
}

function freshness(
  { lastUpdate, alive }: FeedReading,
  { name, now }: { readonly name: QualityCheck; readonly now: number },
): number {
  if (alive !== undefined) return alive ? 1 : 0;
  if (lastUpdate === null) return 0;
  const { freshFor } = qualityChecks[name];
  return Math.max(0, Math.min(1, (4 * freshFor - (now - lastUpdate)) / (3 * freshFor)));
}

const worth = (
  reading: FeedReading,
  { name, now }: { readonly name: QualityCheck; readonly now: number },
): number => freshness(reading, { name, now }) * (reading.coverage ?? 1);
