import { z } from 'zod';
import type { Annotations, Change, Severity } from '../alert/alert.ts';
import { ratePer } from '../alert/rate-per.ts';
import { fundingHours } from '../client/funding-hours.ts';
import type { Answer } from '../contract/index.ts';
import { yearlyPct } from '../contract/settlements.ts';
import { number, percent, rate as rateOf, time as timeOf, words } from '../language/format.ts';
import { msg, msgIn } from '../language/text.ts';
import { duration, hour, second } from '../runtime/units.ts';
import { defineDetector } from './detector.ts';

const levels = ['ELEVATED', 'HIGH', 'EXTREME'] as const;
const level = z.enum(levels);
type Level = z.output<typeof level>;
/** |z| above which each level begins, as the interface says. */
const thresholds: Readonly<Record<Level, number>> = { ELEVATED: 1.5, HIGH: 2, EXTREME: 3 };
const severities: Readonly<Record<Level, Severity>> = {
  ELEVATED: 'info',
  HIGH: 'warning',
  EXTREME: 'critical',
};
const rank = (value: Level): number => levels.indexOf(value);

/** What a service takes at most is not shown: the client falls back to the interface's default of 30. */
const limits = { asked: 100, fallback: 30 } as const;
/** The longest time between two settlements. */
const settlement = 8 * hour;
/** A settlement older than this is not the most recent one. */
const stale = settlement + hour;

type Row = Answer<'fundingExtremes'>['data'][number];

const episode = z.object({
  direction: z.string(),
  /** Settlement it was last seen at. */
  time: z.number(),
  level,
  peak: level,
  rate: z.number(),
  z: z.number(),
  /** `quiet`: there at the baseline, so nobody was told. `ended`: kept for the cooldown. */
  phase: z.enum(['open', 'quiet', 'ended']),
  endedAt: z.number(),
});
type Episode = z.output<typeof episode>;

/**
 * Funding that stands out against its own last 30 days: enters at `enter`, escalates and eases between levels,
 * and ends below `exit`. A symbol missing from an answer that was cut at its limit is unknown, not gone; one
 * missing from a whole answer is gone once there is a newer settlement than the one it was seen at.
 */
export default defineDetector({
  name: 'funding-extreme',
  description: msg('Funding of a market stands out against its own last 30 days, grows, eases and ends'),
  preset: 'standard',
  claim: {
    of: ({ direction }) => (direction?.endsWith('SHORT') ? 'up' : 'down'),
    said: msg('against the crowded side'),
  },
  schedule: '20 */5 * * * *',
  groupWait: 30 * second,
  options: z
    .object({
      enter: level.default('HIGH'),
      /** Ends below this level. */
      exit: level.default('ELEVATED'),
      /** Eases to a lower level only when |z| is this far below the higher one's threshold. */
      margin: z.number().min(0).max(0.4).default(0.25),
      /** After its end a symbol is not told again for this long, unless it is EXTREME. */
      cooldown: duration.prefault('4h'),
    })
    .refine(({ enter, exit }) => rank(exit) <= rank(enter), 'exit must not be a higher level than enter'),
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
        phase: 'open',
        endedAt: 0,
      },
      { row: undefined, hours: 8, dataTime: now },
    ),
  async observe({ data, signal }) {
    const [extremes, hours] = await Promise.all([
      data.fundingExtremes({ limit: limits.asked }, signal),
      fundingHours(data, signal),
    ]);
    return { ...extremes, hours };
  },

  step(state, { data, count, hours }, { options, now }) {
    const recent = data.filter(({ timestamp }) => {
      const age = now - Date.parse(timestamp);
      return age >= 0 && age <= stale;
    });
    const known = state?.symbols ?? {};
    // An answer of nothing but old settlements says nothing about the present, not even of what it does not hold.
    if (data.length > 0 && recent.length === 0) return { state: { symbols: known }, changes: [] };
    const listed = new Set(data.map(({ symbol }) => symbol));
    const rows = new Map(recent.map((row) => [row.symbol, row]));
    const cut = data.length >= limits.asked || data.length === limits.fallback || count > data.length;
    const newest = Math.max(
      now - settlement,
      ...[...rows.values()].map(({ timestamp }) => Date.parse(timestamp)),
    );
    const symbols: Record<string, Episode> = {};
    const changes: Change[] = [];

    for (const symbol of [...new Set([...Object.keys(known), ...rows.keys()])].sort()) {
      const row = rows.get(symbol);
      const past = known[symbol];
      const gone = !listed.has(symbol) && past !== undefined && !cut && newest > past.time;
      const { kept, told } = follow(past, row, { options, now, gone, baseline: state === undefined });
      if (kept !== undefined) symbols[symbol] = kept;
      for (const [status, episode] of told)
        changes.push(
          change(status, symbol, episode, {
            row,
            hours: hours.get(symbol),
            dataTime: row === undefined ? newest : Date.parse(row.timestamp),
          }),
        );
    }
    return { state: { symbols }, changes };
  },
});

interface Context {
  readonly options: {
    readonly enter: Level;
    readonly exit: Level;
    readonly margin: number;
    readonly cooldown: number;
  };
  readonly now: number;
  /** The symbol is known to stand out no more. */
  readonly gone: boolean;
  readonly baseline: boolean;
}
interface Followed {
  readonly kept: Episode | undefined;
  readonly told: readonly (readonly [Change['status'], Episode])[];
}

/** One symbol: what is remembered of it, and what is told. */
function follow(past: Episode | undefined, row: Row | undefined, context: Context): Followed {
  const { options, now, gone, baseline } = context;
  const still = (kept: Episode | undefined): Followed => ({ kept, told: [] });
  const end = (ending: Episode): Followed => ({
    kept: { ...ending, phase: 'ended', endedAt: now },
    told: ending.phase === 'open' ? [['resolved', ending]] : [],
  });
  const seen = row === undefined ? undefined : read(row);

  if (past === undefined || past.phase === 'ended') {
    const cooling = past !== undefined && now - past.endedAt < options.cooldown;
    if (seen === undefined || rank(seen.level) < rank(options.enter))
      return still(cooling ? past : undefined);
    if (past?.direction === seen.direction) {
      if (cooling && seen.level !== 'EXTREME') return still(past);
      // An end and a new beginning need a newer settlement between them.
      if (seen.time <= past.time) return still(past);
    }
    const begun: Episode = { ...seen, peak: seen.level, phase: baseline ? 'quiet' : 'open', endedAt: 0 };
    return { kept: begun, told: baseline ? [] : [['firing', begun]] };
  }

  if (seen === undefined) return gone ? end(past) : still(past);
  if (seen.time <= past.time) return still(past);
  if (seen.direction !== past.direction) {
    const ended = end(past);
    const begun = follow(ended.kept, row, context);
    return { kept: begun.kept, told: [...ended.told, ...begun.told] };
  }
  if (rank(seen.level) < rank(options.exit)) return end({ ...past, time: seen.time });
  const reached = eased(past, seen, options.margin);
  const higher = rank(reached.level) > rank(past.peak);
  const next: Episode = { ...past, ...reached, peak: higher ? reached.level : past.peak };
  if (past.phase === 'quiet')
    return higher ? { kept: { ...next, phase: 'open' }, told: [['firing', next]] } : still(next);
  return { kept: next, told: next.level === past.level ? [] : [['updated', next]] };
}

const read = (row: Row): Pick<Episode, 'direction' | 'time' | 'level' | 'rate' | 'z'> => ({
  direction: row.direction,
  time: Date.parse(row.timestamp),
  // A level this version does not know is placed by its z.
  level:
    level.safeParse(row.severity).data ??
    levels.findLast((name) => Math.abs(row.zScore) > thresholds[name]) ??
    'ELEVATED',
  rate: row.currentRate,
  z: row.zScore,
});

function eased<Seen extends Pick<Episode, 'level' | 'z'>>(past: Episode, seen: Seen, margin: number): Seen {
  const easing = rank(seen.level) < rank(past.level);
  const near = Math.abs(seen.z) >= thresholds[past.level] - margin;
  return easing && near ? { ...seen, level: past.level } : seen;
}

function change(
  status: Change['status'],
  symbol: string,
  { direction, level: reached, peak, rate, z }: Episode,
  {
    row,
    hours,
    dataTime,
  }: {
    readonly row: Row | undefined;
    /** Between two settlements; undefined: unknown. */
    readonly hours: number | undefined;
    readonly dataTime: number;
  },
): Change {
  const over = status === 'resolved';
  const side = direction.endsWith('SHORT') ? 'short' : 'long';
  const current = row?.direction === direction ? row : undefined;
  const latest = current?.currentRate ?? rate;
  const perSettlement = ratePer(latest, hours);
  const score = number(current?.zScore ?? z, 1);
  const annotations: Annotations = {
    title: over
      ? msg('{symbol} funding no longer {level}', { symbol, level: words(peak) })
      : msg('{symbol} funding {level}: {rate} (z {score})', {
          symbol,
          level: words(reached),
          rate: perSettlement,
          score,
        }),
    summary: over
      ? msg('Funding is back within what has been usual for it over the last 30 days.')
      : side === 'long'
        ? msg(
            'Longs pay shorts far more than has been usual over the last 30 days: the long side is crowded.',
          )
        : msg(
            'Shorts pay longs far more than has been usual over the last 30 days: the short side is crowded.',
          ),
    facts: [
      {
        name: over && current === undefined ? msg('Last seen') : msgIn('funding', 'Rate'),
        value: perSettlement,
      },
      ...(hours === undefined
        ? []
        : [{ name: msg('Per year'), value: percent(yearlyPct(latest, hours), 1) }]),
      ...(current === undefined ? [] : [{ name: msg('30-day mean'), value: rateOf(current.avg30dRate) }]),
      { name: msg('z-score'), value: score },
      { name: msg('Crowded side'), value: side === 'long' ? msg('longs') : msg('shorts') },
      { name: over ? msg('As of') : msg('Settled'), value: timeOf(dataTime) },
    ],
    prominence: Math.abs(current?.zScore ?? z),
    dataTime,
  };
  // The end carries the worst it reached, so that whoever was told of that is told of the end.
  const severity = severities[over ? peak : reached];
  return { status, labels: { kind: 'funding-extreme', symbol, direction }, severity, annotations };
}
