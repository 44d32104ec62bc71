import type { EndpointAnswer } from '../../contract/index.ts';
import { iso, minute } from '../../runtime/units.ts';
import type { CheckedValue, QualityRow } from '../archive/archive.ts';
import type { Drift } from './drifts.ts';
import { round } from './statistics.ts';

/**
 * Every check, with the age up to which its feed is fresh and its weight in the score. The weights sum to 100.
 * Ages are counted from the moment that the data describes: a candle's age is that of its close.
 */
export const qualityChecks = {
  /** A candle closes every hour; the regime, the volume delta and the signals are computed from candles. */
  candles: { freshFor: 75 * minute, weight: 35 },
  /** A settlement happens every 8 hours; half an hour is allowed for its publication. */
  funding_history: { freshFor: 510 * minute, weight: 20 },
  /** A snapshot is taken every 5 minutes; two may be missed. This is the fastest feed that detectors act on. */
  oi_history: { freshFor: 15 * minute, weight: 25 },
  /** Hours without a liquidation are normal: the feed is judged by its socket, and by its age if the socket is unknown. */
  liquidation_events: { freshFor: 60 * minute, weight: 20 },
} as const;

export type QualityCheck = keyof typeof qualityChecks;

/** The check whose score an audited value lowers if it differs from the exchange's. A mark is a price, as a candle is. */
const checkByValue: Readonly<Record<CheckedValue, QualityCheck>> = {
  mark: 'candles',
  volume_24h: 'candles',
  funding: 'funding_history',
  running_funding: 'funding_history',
  open_interest: 'oi_history',
  liquidations: 'liquidation_events',
};

export interface FeedReading {
  /** Market ms of the newest value; null before the first. */
  readonly lastUpdate: number | null;
  /** Whether the socket has lately received anything, at least pings; absent for feeds that are polled. */
  readonly alive?: boolean | undefined;
  /** Market ms since which no value is missing, if any is missing before. */
  readonly completeSince?: number | undefined;
  /** Share of tracked symbols that are as fresh as the feed, 0 to 1; absent = 1. */
  readonly coverage?: number;
}

export type Quality = EndpointAnswer<'dataQuality'> & Pick<QualityRow, 'grade' | 'status'>;

/** A reading per check. Not every exchange publishes liquidations: a check without a reading is left out of the score. */
type QualityReadings = Readonly<
  Record<Exclude<QualityCheck, 'liquidation_events'>, FeedReading> &
    Partial<Record<'liquidation_events', FeedReading>>
>;

/**
 * Computes the quality: score = Σ weight × coverage × freshness × truth, scaled to 100 if a check is left out.
 * Freshness is 1 up to the age `freshFor` and falls linearly to 0 at four times that age; for a feed with a socket it is 1
 * while the socket is alive, else 0. Truth is 1; for a feed that drifts it is the share of its last checks that were
 * within tolerance. The grade bands are the interface's.
 * The status is DOWN at grade F, or if the candles are so old that their freshness is 0. It is HEALTHY if every check is
 * fresh, nothing drifts and the grade is A or B; otherwise DEGRADED.
 */
export function dataQuality(
  readings: QualityReadings,
  { now, drifts = [] }: { readonly now: number; readonly drifts?: readonly Drift[] },
): Quality {
  const { liquidation_events: liquidations } = readings;
  const checks = {
    candles: check(readings.candles, 'candles', now),
    funding_history: check(readings.funding_history, 'funding_history', now),
    oi_history: check(readings.oi_history, 'oi_history', now),
    ...(liquidations !== undefined && {
      liquidation_events: check(liquidations, 'liquidation_events', now),
    }),
  };
  let [sum, maxSum, allFresh] = [0, 0, true];
  for (const name of checkNames) {
    const reading = readings[name];
    if (reading === undefined) continue;
    const { weight } = qualityChecks[name];
    sum += weight * readingScore(reading, name, now) * truth(name, drifts);
    maxSum += weight;
    allFresh &&= checks[name]?.fresh === true;
  }
  const score = round((100 * sum) / maxSum, 1);
  const grade = qualityGrade(score);
  const isDown = grade === 'F' || readingScore(readings.candles, 'candles', now) === 0;
  const isHealthy = allFresh && drifts.length === 0 && (grade === 'A' || grade === 'B');
  const status = isDown ? 'DOWN' : isHealthy ? 'HEALTHY' : 'DEGRADED';
  const drifting = drifts.length === 0 ? {} : { drifts: drifts.map(driftRow) };
  return { score, grade, status, checks, ...drifting, timestamp: iso(now) };
}

const truth = (name: QualityCheck, drifts: readonly Drift[]): number =>
  drifts.reduce(
    (least, { value, beyond, checks }) =>
      checkByValue[value] === name ? Math.min(least, 1 - beyond / checks) : least,
    1,
  );

function driftRow({ value, venue, checks, beyond, worst: { symbol, difference } }: Drift) {
  const worstPct = round(100 * difference, 4);
  const reason = `${value} differs from ${venue}: ${beyond} of the last ${checks} checks beyond tolerance, worst ${worstPct} % (${symbol})`;
  return { value, venue, checks, beyond, worstPct, symbol, reason };
}

/** Returns the grade of a score by the interface's "Grade bands". */
export const qualityGrade = (score: number): QualityRow['grade'] => {
  if (score >= 90) return 'A';
  if (score >= 75) return 'B';
  if (score >= 60) return 'C';
  return score >= 40 ? 'D' : 'F';
};

/** Returns the `dataHealth` of /regime/probabilities. */
export const dataHealth = (status: QualityRow['status']): 'OK' | 'DEGRADED' | 'DOWN' =>
  status === 'HEALTHY' ? 'OK' : status;

/** Returns the row of /data/quality/history. */
export function qualityRow(quality: Quality, now: number): QualityRow {
  const stale = checkNames
    .filter((name) => quality.checks[name]?.fresh === false)
    .map((name) => {
      const age = quality.checks[name]?.ageMinutes;
      return `${name} stale (${age === undefined ? 'nothing seen yet' : `${Math.round(age)} min old`})`;
    });
  const unpublished = checkNames.filter((name) => quality.checks[name] === undefined);
  const summary = [
    stale.length === 0 ? 'All feeds fresh' : stale.join(', '),
    ...(quality.drifts ?? []).map(({ reason }) => reason),
    ...unpublished.map((name) => `${name} not published here`),
  ].join('; ');
  return { time: now, score: quality.score, grade: quality.grade, status: quality.status, summary };
}

const checkNames = Object.keys(qualityChecks) as QualityCheck[];

function check(reading: FeedReading, name: QualityCheck, now: number) {
  const { lastUpdate, completeSince } = reading;
  return {
    fresh: freshness(reading, name, now) === 1,
    ...(lastUpdate !== null && {
      lastUpdate: iso(lastUpdate),
      ageMinutes: round(Math.max(0, now - lastUpdate) / minute, 1),
    }),
    ...(completeSince !== undefined && { completeSince: iso(completeSince) }),
  };
}

function freshness({ lastUpdate, alive }: FeedReading, name: QualityCheck, now: number): number {
  if (alive !== undefined) return alive ? 1 : 0;
  if (lastUpdate === null) return 0;
  const { freshFor } = qualityChecks[name];
  return Math.max(0, Math.min(1, (4 * freshFor - (now - lastUpdate)) / (3 * freshFor)));
}

const readingScore = (reading: FeedReading, name: QualityCheck, now: number): number =>
  freshness(reading, name, now) * (reading.coverage ?? 1);
