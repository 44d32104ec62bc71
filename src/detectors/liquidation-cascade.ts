import { z } from 'zod';
import type { Annotations, Change, Severity } from '../alert/alert.ts';
import { count, marketName, usd } from '../language/format.ts';
import { join, listOf, msg } from '../language/text.ts';
import { duration, iso, minute } from '../runtime/units.ts';
import { defineDetector } from './detector.ts';
import { roll, rolling, standingOut, startRolling, windowSum } from './kit/rolling.ts';
import { charted } from './kit/series.ts';
import { readSoFar, readTape, tapeLimit, tapeOverlap } from './kit/tape.ts';
import { extended, type Trail, trail } from './kit/trail.ts';

/** The liquidated sides of the interface; an event of another is none of either. */
const sides = ['LONG', 'SHORT'] as const;
type Side = (typeof sides)[number];
/** Minutes of the chart. */
const shownMinutes = 60;

const options = z
  .object({
    window: duration.prefault('15m'),
    /** Markets with a burst on one side within the window. */
    enter: z.int().min(2).default(8),
    /** Ends with fewer than this. */
    exit: z.int().min(1).default(4),
    /** Markets from which it is critical. */
    critical: z.int().min(2).default(20),
    /** USD of them all together below which nothing is a cascade. */
    minTotalUsd: z.number().min(0).default(5_000_000),
    /** A burst: times the usual window of that market and side, and at least so many USD. */
    factor: z.number().gt(1).default(6),
    minUsd: z.number().positive().default(50_000),
    /** Half of the past is younger than this. */
    halfLife: duration.prefault('3d'),
    /** Past windows needed before anything is judged. */
    minHistory: z.number().min(1).default(4),
    /** After its end the same side is not told again for this long, unless it is critical. */
    cooldown: duration.prefault('2h'),
  })
  .refine(
    ({ exit, enter, critical }) => exit < enter && enter <= critical,
    'exit < enter ≤ critical is expected',
  );

const episode = z.object({
  /** True where it was there at the baseline: nobody was told. */
  quiet: z.boolean(),
  severity: z.enum(['warning', 'critical']),
});

const memory = z.object({
  read: readSoFar,
  rolling,
  /** By side. */
  open: z.record(z.string(), episode),
  endedAt: z.record(z.string(), z.number()),
  /** By side: markets with a burst. */
  trails: z.record(z.string(), trail).default({}),
});
type State = z.output<typeof memory>;

/**
 * Liquidation bursts of many markets on one side at once: longs (prices fall) or shorts (prices rise). Each market and
 * side is held against its own past windows. Time is that of the newest event: while the feed is silent nothing ends.
 * Every sum is "at least", as with single bursts; the request is theirs too.
 */
export default defineDetector({
  name: 'liquidation-cascade',
  description: msg('Liquidations far above normal on one side of many markets at once'),
  preset: 'quiet',
  schedule: '5,35 * * * * *',
  options,
  state: memory,
  observe: async ({ data, state, signal }) => {
    const since = state === undefined ? {} : { since: iso(state.read.last - tapeOverlap) };
    return (await data.liquidations({ limit: tapeLimit, ...since }, signal)).data;
  },

  step(state, rows, { options, now }) {
    const { window } = options;
    const tape = readTape(state?.read, rows, { now, window });
    const baseline = (at: number): State => ({
      read: { last: at, recent: [], gaps: [] },
      rolling: startRolling(at, options),
      open: {},
      endedAt: {},
      trails: {},
    });
    if (tape === undefined) return { state: state ?? baseline(now), changes: [] };
    const { read, events, missedUntil: unseenUntil } = tape;
    const { last } = read;
    const before = state ?? baseline(events[0]?.time ?? now);
    const rolled = roll(before.rolling, events, nameOf, { ...options, last, unseenUntil });
    const kept = Object.entries(rolled.names).filter(([, one]) => one.past >= 1 || one.buckets.length > 0);

    const open: Record<string, z.output<typeof episode>> = { ...before.open };
    const endedAt: Record<string, number> = { ...before.endedAt };
    const trails: Record<string, Trail> = {};
    const changes: Change[] = [];
    for (const side of sides) {
      const bursts = kept.flatMap(([name, one]) => {
        const [symbol = '', of] = name.split(' ');
        const sum = windowSum(one, last, window);
        return of === side && sum >= standingOut(one, rolled.weight, options) ? [{ symbol, sum }] : [];
      });
      const total = bursts.reduce((all, { sum }) => all + sum, 0);
      const minuteOf = Math.floor(last / minute) * minute;
      const markets = extended(before.trails[side], minuteOf, bursts.length, shownMinutes);
      trails[side] = markets;
      const severity = bursts.length >= options.critical ? 'critical' : 'warning';
      const tell = (status: Change['status'], told: Severity) =>
        changes.push(change(status, side, told, { bursts, total, markets, options, read }));
      const past = open[side];
      if (past === undefined) {
        const cooling = last - (endedAt[side] ?? 0) < options.cooldown && severity === 'warning';
        const young = rolled.weight < options.minHistory && state !== undefined;
        if (bursts.length < options.enter || total < options.minTotalUsd || cooling || young) continue;
        open[side] = { quiet: state === undefined, severity };
        if (state !== undefined) tell('firing', severity);
      } else if (bursts.length < options.exit) {
        delete open[side];
        endedAt[side] = last;
        if (!past.quiet) tell('resolved', past.severity);
      } else if (severity === 'critical' && past.severity === 'warning') {
        open[side] = { quiet: false, severity };
        tell(past.quiet ? 'firing' : 'updated', severity);
      }
    }
    const rolling = { ...rolled, names: Object.fromEntries(kept) };
    return { state: { read, rolling, open, endedAt, trails }, changes };
  },
});

const nameOf = ({ symbol, side }: { readonly symbol: string; readonly side: string }) => `${symbol} ${side}`;

/** Symbols that are named. */
const shown = 5;

function change(
  status: Change['status'],
  side: Side,
  severity: Severity,
  seen: {
    readonly bursts: readonly { readonly symbol: string; readonly sum: number }[];
    readonly total: number;
    /** With a burst, minute by minute. */
    readonly markets: Trail;
    readonly options: z.output<typeof options>;
    readonly read: z.output<typeof readSoFar>;
  },
): Change {
  const { bursts, total, options: rules, read } = seen;
  const { window, enter, critical } = rules;
  const over = status === 'resolved';
  const markets = bursts.length;
  const values = { markets, usd: usd(total), minutes: count(window / minute) };
  const largest = bursts.toSorted((a, b) => b.sum - a.sum).slice(0, shown);
  const annotations: Annotations = {
    title: over
      ? side === 'LONG'
        ? msg('Liquidation cascade of longs is over')
        : msg('Liquidation cascade of shorts is over')
      : side === 'LONG'
        ? msg('Liquidation cascade: longs of {markets} markets, at least {usd} in {minutes} min', values)
        : msg('Liquidation cascade: shorts of {markets} markets, at least {usd} in {minutes} min', values),
    summary: over
      ? msg('Liquidations are back to normal in most markets.')
      : side === 'LONG'
        ? msg('Falling prices close longs by force in many markets at once, which can push prices further.')
        : msg('Rising prices close shorts by force in many markets at once, which can push prices further.'),
    facts: [
      { name: msg('Markets'), value: count(markets) },
      ...(markets === 0
        ? []
        : [
            {
              name: msg('Liquidated in {minutes} min', { minutes: values.minutes }),
              value: msg('at least {usd}', { usd: values.usd }),
            },
            {
              name: msg('Largest'),
              value: listOf(largest.map(({ symbol, sum }) => join([marketName(symbol), usd(sum)], ' '))),
            },
          ]),
      ...(read.gaps.length === 0
        ? []
        : [
            {
              name: msg('Missing'),
              value: msg('more events between two checks than one answer holds'),
            },
          ]),
    ],
    ...(seen.markets.length > 1 && {
      chart: charted(
        side === 'LONG' ? msg('Markets with long liquidations') : msg('Markets with short liquidations'),
        {
          unit: '',
          series: [{ name: msg('Markets'), points: seen.markets }],
          marks: [
            { name: msg('cascade from'), value: enter },
            ...(seen.markets.some(([, count]) => count >= critical / 2)
              ? [{ name: msg('critical from'), value: critical, tone: 'bad' as const }]
              : []),
          ],
        },
      ),
    }),
    dataTime: read.last,
  };
  return { status, labels: { kind: 'liquidation-cascade', side }, severity, annotations };
}
