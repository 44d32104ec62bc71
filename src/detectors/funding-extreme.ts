import { z } from 'zod';
import type { Annotations, Change, Severity } from '../alert/alert.ts';
import { ratePer } from '../alert/rate-per.ts';
import { type FundingHours, fundingHours } from '../client/funding-hours.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { yearlyPct } from '../contract/settlements.ts';
import { marketName, number, percent, rate as rateOf, time as timeOf, words } from '../language/format.ts';
import { msg, msgIn } from '../language/text.ts';
import { duration, hour, second } from '../runtime/units.ts';
import { defineDetector } from './detector.ts';
import {
  type Episode,
  episode,
  followFunding,
  type Level,
  level,
  levels,
  rank,
  type Sighting,
  thresholds,
} from './kit/funding-episode.ts';
import { costs, type FundingFloor, fundingFloor, spreadIn8h } from './kit/funding-floor.ts';
import { type FundingPast, fundingChart, fundingPast } from './kit/funding-past.ts';

/** What a service takes at most is not shown: the client falls back to the interface's default of 30. */
const limits = { asked: 100, fallback: 30 } as const;
/** The longest time between two settlements. */
const settlement = 8 * hour;
/** A settlement older than this is not the most recent one. */
const stale = settlement + hour;

type Row = EndpointAnswer<'fundingExtremes'>['data'][number];
type Current = EndpointAnswer<'fundingCurrent'>['data'][number];

const options = z
  .object({
    enter: level.default('HIGH'),
    /** Below this level it does not stand out any more. */
    exit: level.default('ELEVATED'),
    /** Eases to a lower level only when |z| is this far below the higher one's threshold. */
    margin: z.number().min(0).max(0.4).default(0.25),
    floor: fundingFloor,
    /** Markets whose funding is news to everyone: HIGH is a warning, EXTREME critical. */
    majors: z.array(z.string()).default(['BTCUSDT', 'ETHUSDT']),
    /**
     * Percent a year from which EXTREME funding of any other market is a warning: 0.18 % in 8 h, of which two settlements
     * pay for both legs of the trade that collects it. All else of them is info.
     */
    dearPct: z.number().min(0).default(200),
    /** Fraction in 8 h: a market whose own standard deviation is smaller has stood still, and any step is an extreme. */
    minSpread: z.number().min(0).default(0.00001),
    /** Settlements in a row at which it does not stand out before it has ended. */
    calm: z.int().min(1).default(2),
    /** From the settlement at which it ended, the same side is not told again for this long unless it is worse. */
    cooldown: duration.prefault('24h'),
  })
  .refine(({ enter, exit }) => rank(exit) <= rank(enter), 'exit must not be a higher level than enter');
type Options = z.output<typeof options>;

/**
 * Funding that costs enough to act on and stands out against its own last 30 days: enters at `enter`, escalates and
 * eases between levels, and ends after `calm` settlements at which it is below `exit` or too cheap. A symbol missing
 * from an answer that was cut at its limit is unknown, unless its rate is too cheap; one missing from a whole answer
 * is calm at its newest settlement.
 */
export default defineDetector({
  name: 'funding-extreme',
  description: msg('A market’s funding is extreme against its own last 30 days'),
  preset: 'standard',
  claim: {
    of: ({ direction }) => (direction?.endsWith('SHORT') ? 'up' : 'down'),
    said: msg('against the crowded side'),
  },
  schedule: '20 */5 * * * *',
  groupWait: 30 * second,
  options,
  state: z.object({ symbols: z.record(z.string(), episode) }),
  sample: (now) =>
    change(
      'firing',
      'BTCUSDT',
      {
        direction: 'OVERLEVERAGED_LONG',
        time: now,
        level: 'EXTREME',
        peak: 'EXTREME',
        rate: 0.00081,
        z: 3.4,
        dear: true,
        calm: 0,
        phase: 'open',
      },
      { seen: undefined, hours: 8, calm: 2, major: true },
    ),
  async observe({ data, state, options, signal }) {
    const [extremes, current, hours] = await Promise.all([
      data.fundingExtremes({ limit: limits.asked }, signal),
      data.fundingCurrent({}, signal),
      fundingHours(data, signal),
    ]);
    const told = mayBeTold(state?.symbols, extremes.data, hours, options);
    return { ...extremes, current: current.data, hours, past: await fundingPast(told, data, signal) };
  },

  step(state, { data, count, current, hours, past: settlements }: Observation, { options, now }) {
    const isRecent = ({ timestamp }: { readonly timestamp: string }) => {
      const age = now - Date.parse(timestamp);
      return age >= 0 && age <= stale;
    };
    const known = state?.symbols ?? {};
    const rows = new Map(data.map((row) => [row.symbol, row]));
    const settled = new Map(current.filter(isRecent).map((row) => [row.symbol, row]));
    const tracked = new Set([...current, ...data].map(({ symbol }) => symbol));
    const cut = data.length >= limits.asked || data.length === limits.fallback || count > data.length;
    const sight = (symbol: string): Sighting | undefined => {
      const row = rows.get(symbol);
      const period = hours.get(symbol);
      if (row !== undefined) return isRecent(row) ? sightingOf(row, period, options) : undefined;
      const newest = settled.get(symbol);
      return newest === undefined ? undefined : unlisted(newest, cut, period, options.floor);
    };
    const about = (symbol: string) => ({
      hours: hours.get(symbol),
      past: settlements,
      major: options.majors.includes(symbol),
    });
    const symbols: Record<string, Episode> = {};
    const changes: Change[] = [];

    for (const symbol of [...new Set([...Object.keys(known), ...rows.keys()])].sort()) {
      const past = known[symbol];
      // Others' settlements are told and its own are not: it is tracked no more.
      if (past !== undefined && settled.size > 0 && !tracked.has(symbol) && now - past.time > stale) {
        if (past.phase === 'open')
          changes.push(change('resolved', symbol, past, { ...about(symbol), seen: undefined, calm: 0 }));
        continue;
      }
      const seen = sight(symbol);
      const { kept, told } = followFunding(past, seen, { options, baseline: state === undefined });
      if (kept !== undefined && (kept.phase !== 'ended' || now - kept.time < options.cooldown))
        symbols[symbol] = kept;
      for (const [status, episode] of told)
        changes.push(change(status, symbol, episode, { ...about(symbol), seen, calm: options.calm }));
    }
    return { state: { symbols }, changes };
  },
});

interface Observation extends EndpointAnswer<'fundingExtremes'> {
  readonly current: readonly Current[];
  readonly hours: FundingHours;
  readonly past?: FundingPast;
}

/** Those with a new settlement that begin, get worse or end by it: the most extreme first. */
const mayBeTold = (
  known: Readonly<Record<string, Episode>> | undefined,
  rows: readonly Row[],
  hours: FundingHours,
  options: Options,
): string[] =>
  known === undefined
    ? []
    : rows
        .filter((row) => Date.parse(row.timestamp) > (known[row.symbol]?.time ?? 0))
        .filter((row) => {
          const { stands } = sightingOf(row, hours.get(row.symbol), options);
          const past = known[row.symbol];
          if (past === undefined || past.phase === 'ended')
            return stands !== null && rank(stands.level) >= rank(options.enter);
          return stands?.level !== past.level || stands.dear !== past.dear;
        })
        .sort((a, b) => Math.abs(b.zScore) - Math.abs(a.zScore))
        .map(({ symbol }) => symbol);

function sightingOf(row: Row, hours: number | undefined, options: Options): Sighting {
  const { direction, currentRate: rate, avg30dRate: mean, zScore: z } = row;
  const reached =
    // A level this version does not know is placed by its z.
    level.safeParse(row.severity).data ??
    levels.findLast((name) => Math.abs(z) > thresholds[name]) ??
    'ELEVATED';
  const counts =
    rank(reached) >= rank(options.exit) &&
    costs(rate, hours, options.floor) &&
    spreadIn8h(row, hours) >= options.minSpread;
  const dear = reached === 'EXTREME' && costs(rate, hours, { yearlyPct: options.dearPct, offResting: 0 });
  return {
    time: Date.parse(row.timestamp),
    rate,
    stands: counts ? { direction, level: reached, z, mean, dear } : null,
  };
}

/** A market that the answer does not hold, by its newest settlement. */
function unlisted(
  { rate, timestamp }: Current,
  cut: boolean,
  hours: number | undefined,
  floor: FundingFloor,
): Sighting | undefined {
  const seen = { time: Date.parse(timestamp), rate: Number(rate), stands: null };
  return cut && costs(seen.rate, hours, floor) ? undefined : seen;
}

/** Its mean, and the rate at which it would be HIGH: as far from that as its z says. */
function marksOf(seen: Sighting | undefined, rate: number): Parameters<typeof fundingChart>[3] {
  if (seen?.stands == null || seen.stands.z === 0) return [];
  const { mean, z } = seen.stands;
  const high = mean + ((rate - mean) / Math.abs(z)) * thresholds.HIGH;
  return [
    { name: msg('30-day mean'), value: mean },
    { name: msg('high from'), value: high },
  ];
}

/** Of those that are not everyone's, only what is worth a trade by itself. */
const severityOf = (reached: Level, dear: boolean, major: boolean): Severity =>
  major
    ? ({ ELEVATED: 'info', HIGH: 'warning', EXTREME: 'critical' } as const)[reached]
    : reached === 'EXTREME' && dear
      ? 'warning'
      : 'info';

function change(
  status: Change['status'],
  symbol: string,
  { direction, level: reached, peak, dear, rate, z, time }: Episode,
  {
    seen,
    hours,
    calm,
    major,
    past,
  }: {
    readonly seen: Sighting | undefined;
    /** Between two settlements; undefined: unknown. */
    readonly hours: number | undefined;
    /** Settlements in a row after which it has ended; 0: it is tracked no more. */
    readonly calm: number;
    readonly major: boolean;
    readonly past?: FundingPast | undefined;
  },
): Change {
  const over = status === 'resolved';
  const side = direction.endsWith('SHORT') ? 'short' : 'long';
  const latest = seen?.rate ?? rate;
  const perSettlement = ratePer(latest, hours);
  const score = number(z, 1);
  const annotations: Annotations = {
    title: over
      ? msg('{symbol} funding no longer {level}: {rate}', {
          symbol: marketName(symbol),
          level: words(peak),
          rate: perSettlement,
        })
      : msg('{symbol} funding {level}: {rate} (z {score})', {
          symbol: marketName(symbol),
          level: words(reached),
          rate: perSettlement,
          score,
        }),
    summary: over
      ? calm === 0
        ? msg('The data service no longer reports this market.')
        : msg(
            'Funding has been near normal, or too cheap to matter, for {n, plural, one {# settlement} other {# settlements in a row}}.',
            { n: calm },
          )
      : side === 'long'
        ? msg('Longs pay shorts far more than usual over the last 30 days: longs are crowded.')
        : msg('Shorts pay longs far more than usual over the last 30 days: shorts are crowded.'),
    facts: [
      { name: msgIn('funding', 'Rate'), value: perSettlement },
      ...(hours === undefined
        ? []
        : [{ name: msg('Per year'), value: percent(yearlyPct(latest, hours), 1) }]),
      ...(seen?.stands == null ? [] : [{ name: msg('30-day mean'), value: rateOf(seen.stands.mean) }]),
      ...(over ? [] : [{ name: msg('z-score'), value: score }]),
      { name: msg('Crowded side'), value: side === 'long' ? msg('longs') : msg('shorts') },
      { name: over ? msg('As of') : msg('Settled'), value: timeOf(seen?.time ?? time) },
    ],
    ...fundingChart(symbol, past, { time: seen?.time ?? time, rate: latest }, marksOf(seen, latest)),
    prominence: Math.abs(z),
    dataTime: seen?.time ?? time,
  };
  // The end carries the worst it reached, so that whoever was told of that is told of the end.
  const severity = severityOf(over ? peak : reached, dear, major);
  return { status, labels: { kind: 'funding-extreme', symbol, direction }, severity, annotations };
}
