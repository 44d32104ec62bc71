import { z } from 'zod';
import type { Change, Severity } from '../alert/alert.ts';
import { type FundingHours, fundingHours } from '../client/funding-hours.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { yearlyPct } from '../contract/settlements.ts';
import { count, marketName, percent, share as shareOf, time as timeOf } from '../language/format.ts';
import { listOf, msg } from '../language/text.ts';
import { mean } from '../runtime/statistics.ts';
import { duration, hour } from '../runtime/units.ts';
import { defineDetector } from './detector.ts';
import { costs, fundingFloor, spreadIn8h } from './kit/funding-floor.ts';
import { charted } from './kit/series.ts';
import { extended, type Trail, trail } from './kit/trail.ts';

/** What a service takes at most is not shown: the client falls back to the interface's default of 30. */
const limits = { asked: 100, fallback: 30 } as const;
/** Settlements are 8 h apart at most: an older one is not the most recent. */
const stale = 8 * hour + hour;

type Extreme = EndpointAnswer<'fundingExtremes'>['data'][number];

const episode = z.object({
  /** True where it was there at the baseline: nobody was told. */
  quiet: z.boolean(),
  severity: z.enum(['warning', 'critical']),
  /** Settlements in a row below the share at which it ends. */
  calm: z.int(),
});

const options = z
  .object({
    /** z-score from which a symbol counts, on either side. */
    z: z.number().min(1.5).default(2),
    floor: fundingFloor,
    /** Fraction in 8 h: a market whose own standard deviation is smaller has stood still. */
    minSpread: z.number().min(0).default(0.00001),
    /** Share of the tracked symbols. */
    enter: z.number().gt(0).max(1).default(0.2),
    /** Ends below this share. */
    exit: z.number().gt(0).max(1).default(0.1),
    /** Share from which it is critical. */
    critical: z.number().gt(0).max(1).default(0.4),
    /** Tracked symbols below which there is no market to speak of. */
    minSymbols: z.int().min(2).default(10),
    /** Newer settlements in a row below `exit` before it has ended. */
    calm: z.int().min(1).default(2),
    /** From the settlement at which it ended, the same side is not told again for this long unless it is worse. */
    cooldown: duration.prefault('24h'),
  })
  .refine(
    ({ enter, exit, critical }) => exit < enter && enter <= critical,
    'exit < enter ≤ critical is expected',
  );

/**
 * The whole market's funding is extreme on one side: the share of tracked symbols whose funding costs enough to act on
 * and has |z| ≥ `z` against its own last 30 days there. A rate stands until its next settlement, so there is nothing to confirm between two.
 * Where the answer was cut at its limit above `z`, the share is "at least": that begins an alert and ends none.
 */
export default defineDetector({
  name: 'funding-overheated',
  description: msg('Funding is extreme on one side in many markets at once'),
  preset: 'quiet',
  claim: {
    of: ({ direction }) => (direction?.endsWith('SHORT') ? 'up' : 'down'),
    said: msg('against the crowded side'),
  },
  schedule: '20 */5 * * * *',
  options,
  state: z.object({
    /** Of the newest settlement. */
    dataTime: z.number(),
    /** By direction. */
    open: z.record(z.string(), episode),
    ended: z.record(z.string(), z.object({ at: z.number(), severity: z.enum(['warning', 'critical']) })),
    /** By direction: percent of the markets. */
    trails: z.record(z.string(), trail).default({}),
  }),
  async observe({ data, signal }) {
    const [current, extremes, hours] = await Promise.all([
      data.fundingCurrent({}, signal),
      data.fundingExtremes({ limit: limits.asked }, signal),
      fundingHours(data, signal),
    ]);
    return { current: current.data, extremes, hours };
  },

  step(state, { current, extremes: { data, count: total }, hours }, { options, now }) {
    const recent = <Row extends { readonly timestamp: string }>({ timestamp }: Row) =>
      Date.parse(timestamp) <= now && now - Date.parse(timestamp) <= stale;
    const tracked = new Set(current.filter(recent).map(({ symbol }) => symbol));
    const dataTime = Math.max(...current.filter(recent).map(({ timestamp }) => Date.parse(timestamp)));
    const old = state ?? { dataTime: 0, open: {}, ended: {}, trails: {} };
    if (tracked.size < options.minSymbols || dataTime < old.dataTime) return { state: old, changes: [] };

    const rows = data.filter(
      (row) =>
        recent(row) &&
        tracked.has(row.symbol) &&
        Math.abs(row.zScore) >= options.z &&
        costs(row.currentRate, hours.get(row.symbol), options.floor) &&
        spreadIn8h(row, hours.get(row.symbol)) >= options.minSpread,
    );
    const cut = data.length >= limits.asked || data.length === limits.fallback || total > data.length;
    const atLeast = cut && data.every(({ zScore }) => Math.abs(zScore) >= options.z);
    const open = { ...old.open };
    const ended = { ...old.ended };
    const trails = { ...old.trails };
    const changes: Change[] = [];
    for (const direction of [
      ...new Set([...Object.keys(open), ...Object.keys(trails), ...rows.map((row) => row.direction)]),
    ].sort()) {
      const among = rows.filter((row) => row.direction === direction);
      const share = new Set(among.map(({ symbol }) => symbol)).size / tracked.size;
      const severity = share >= options.critical ? 'critical' : 'warning';
      trails[direction] = extended(trails[direction], dataTime, share * 100, shownSettlements);
      const tell = (status: Change['status'], told: Severity) =>
        changes.push(
          change(status, direction, told, {
            ...{ among, hours, share, tracked: tracked.size, atLeast, dataTime },
            ...{ past: trails[direction] ?? [], options },
          }),
        );
      const past = open[direction];
      if (past === undefined) {
        const last = ended[direction];
        const worse = severity === 'critical' && last?.severity === 'warning';
        const cooling = last !== undefined && dataTime - last.at < options.cooldown && !worse;
        if (share < options.enter || cooling) continue;
        open[direction] = { quiet: state === undefined, severity, calm: 0 };
        if (state !== undefined) tell('firing', severity);
      } else if (share < options.exit) {
        // Settlements count, not polls; and of an answer that was cut the share may be larger.
        const calm = atLeast || dataTime === old.dataTime ? past.calm : past.calm + 1;
        if (calm < options.calm) {
          open[direction] = { ...past, calm };
          continue;
        }
        delete open[direction];
        ended[direction] = { at: dataTime, severity: past.severity };
        if (!past.quiet) tell('resolved', past.severity);
      } else if (severity === 'critical' && past.severity === 'warning') {
        open[direction] = { quiet: false, severity, calm: 0 };
        tell(past.quiet ? 'firing' : 'updated', severity);
      } else open[direction] = { ...past, calm: 0 };
    }
    return { state: { dataTime, open, ended, trails }, changes };
  },
});

/** Settlements of the chart: ten days of every eight hours, more where some markets settle in between. */
const shownSettlements = 60;

/** Symbols that are named. */
const shown = 5;

function change(
  status: Change['status'],
  direction: string,
  severity: Severity,
  seen: {
    readonly among: readonly Extreme[];
    readonly hours: FundingHours;
    readonly share: number;
    readonly tracked: number;
    readonly atLeast: boolean;
    readonly dataTime: number;
    /** Their share, settlement by settlement. */
    readonly past: Trail;
    readonly options: z.output<typeof options>;
  },
): Change {
  const { among, hours, tracked, atLeast, dataTime } = seen;
  const share = atLeast ? msg('at least {share}', { share: shareOf(seen.share) }) : shareOf(seen.share);
  const short = direction.endsWith('SHORT');
  // Over the markets whose interval is known.
  const yearly = among.flatMap(({ symbol, currentRate }) => yearlyPct(currentRate, hours.get(symbol)) ?? []);
  const highest = [...among].sort((a, b) => Math.abs(b.zScore) - Math.abs(a.zScore)).slice(0, shown);
  const annotations = {
    title:
      status === 'resolved'
        ? msg('Market funding calmed down: still extreme in {share} of markets', { share })
        : short
          ? msg('Market funding overheated, shorts crowded: extreme in {share} of markets', { share })
          : msg('Market funding overheated, longs crowded: extreme in {share} of markets', { share }),
    summary:
      status === 'resolved'
        ? msg('Funding is back near its 30-day normal in most markets.')
        : short
          ? msg('In many markets at once shorts pay longs far more than usual over the last 30 days.')
          : msg('In many markets at once longs pay shorts far more than usual over the last 30 days.'),
    facts: [
      {
        name: msg('Markets'),
        value: msg('{some} of {all}', { some: count(among.length), all: count(tracked) }),
      },
      ...(among.length === 0
        ? []
        : [
            ...(yearly.length === 0
              ? []
              : [{ name: msg('Their mean per year'), value: percent(mean(yearly), 1) }]),
            {
              name: msg('Most extreme'),
              value: listOf(highest.map(({ symbol }) => marketName(symbol))),
            },
          ]),
      { name: msg('Settled'), value: timeOf(dataTime) },
    ],
    ...(seen.past.length > 1 && {
      chart: charted(short ? msg('Markets with crowded shorts') : msg('Markets with crowded longs'), {
        unit: '%',
        series: [{ name: msg('Share of the markets'), points: seen.past }],
        marks: [{ name: msg('overheated from'), value: seen.options.enter * 100 }],
      }),
    }),
    dataTime,
  };
  return { status, labels: { kind: 'funding-overheated', direction }, severity, annotations };
}
