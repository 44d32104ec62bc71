import { z } from 'zod';
import type { Annotations, Change } from '../alert/alert.ts';
import type { DataClient } from '../contract/data-client.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { count, marketName, share, time as timeOf, usd } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { ApiError } from '../runtime/errors.ts';
import { duration, hour, iso, minute, second } from '../runtime/units.ts';
import { defineDetector } from './detector.ts';
import { burst, calm, grown, type JudgedBurst, judgeBurst } from './kit/burst.ts';
import { burstChart, burstMinutes } from './kit/burst-chart.ts';
import {
  type Rolled,
  roll,
  rolling,
  standingOut,
  startRolling,
  windowLongs,
  windowSum,
} from './kit/rolling.ts';
import { readSoFar, readTape, tapeLimit, tapeOverlap } from './kit/tape.ts';
import { inWaves, waves } from './kit/wave.ts';

/** Open interest is asked for where liquidations come near a burst: of so many symbols a look, and anew after this. */
const openInterestPerLook = 4;
const openInterestFresh = hour;

const openInterest = z.object({ at: z.number(), usd: z.number().nullable() });
type OpenInterest = Readonly<Record<string, z.output<typeof openInterest>>>;

const options = z.object({
  window: duration.prefault('15m').describe('what is summed up'),
  factor: z.number().gt(1).default(8).describe('times the symbol’s normal window'),
  minUsd: z
    .number()
    .positive()
    .default(500_000)
    .describe('USD in a window below which nothing is a burst: less may be one position'),
  minShare: z
    .number()
    .min(0)
    .max(1)
    .default(0.0002)
    .describe('share of the symbol’s open interest, likewise; 0: not checked'),
  exit: z.number().gt(0).lt(1).default(0.5).describe('ends below this part of the level that fires'),
  critical: z.number().gt(1).default(3).describe('times the level that fires'),
  halfLife: duration.prefault('3d').describe('half of the past is younger than this'),
  minHistory: z.number().min(1).default(4).describe('past windows needed before anything is judged'),
  wave: duration.prefault('30m').describe('a burst in another market within this of the last joins its post'),
  cooldown: duration.prefault('30m').describe('after its end'),
});
type Options = z.output<typeof options>;

const memory = z.object({
  read: readSoFar,
  rolling,
  episodes: z.record(z.string(), burst),
  openInterest: z.record(z.string(), openInterest),
  waves: waves.default({}),
});
type State = z.output<typeof memory>;

/**
 * Liquidations of one symbol in a rolling window, against that symbol's own past windows and its open interest. Time
 * is that of the newest event of any symbol: while the feed is silent nothing ends.
 * Every sum is "at least": exchanges publish one liquidation per symbol and second at most, an answer 500.
 */
export default defineDetector({
  name: 'liquidation-burst',
  description: msg('Liquidations in a market far above normal'),
  preset: 'standard',
  schedule: '5,35 * * * * *',
  cost: 'one request for all symbols; a cascade is over in minutes',
  groupWait: 30 * second,
  options,
  state: memory,
  sample: (now) => {
    const [longs, shorts] = [3_526_000, 574_000];
    // As a burst comes and goes.
    const buckets = [0.04, 0.08, 0.23, 0.3, 0.2, 0.1, 0.05].map((part, index) => ({
      minute: Math.floor(now / minute) - 12 + 2 * index,
      long: part * longs,
      short: part * shorts,
    }));
    const read = { last: now, recent: [], gaps: [] };
    const market = { symbol: 'ETHUSDT', usual: 210_000, oi: 5_200_000_000, window: 15 * minute };
    const judged = { severity: 'warning', sum: longs + shorts, longs } as const;
    return change('firing', judged, { ...market, enter: 1_680_000, minutes: buckets, read });
  },
  async observe({ data, state, options, now, signal }) {
    const since = state === undefined ? {} : { since: iso(state.read.last - tapeOverlap) };
    const rows = (await data.liquidations({ limit: tapeLimit, ...since }, signal)).data;
    const asked = state === undefined ? [] : nearBursts(state, rows, options, now);
    return { rows, openInterest: await openInterestOf(asked, now, data, signal) };
  },

  step(state, { rows, openInterest }, { options, now }) {
    const tape = readTape(state?.read, rows, { now, window: options.window });
    const known = Object.fromEntries(
      Object.entries({ ...state?.openInterest, ...openInterest }).filter(
        ([, { at }]) => now - at < openInterestFresh,
      ),
    );
    if (tape === undefined) {
      return { state: { ...(state ?? baseline(now, options)), openInterest: known }, changes: [] };
    }
    const { read, events, missedUntil: unseenUntil } = tape;
    const { last } = read;
    const before = state ?? baseline(events[0]?.time ?? now, options);
    const rules = { ...options, last, unseenUntil };
    const rolling = roll(before.rolling, events, ({ symbol }) => symbol, rules);
    const added = Map.groupBy(events, ({ symbol }) => symbol);

    const changes: Change[] = [];
    const names: Record<string, Rolled> = {};
    const episodes: Record<string, z.output<typeof burst>> = {};
    for (const [symbol, one] of Object.entries(rolling.names)) {
      const oi = known[symbol]?.usd ?? null;
      const unasked = options.minShare > 0 && known[symbol] === undefined;
      const sum = windowSum(one, last, options.window);
      const enter = Math.max(standingOut(one, rolling.weight, options), options.minShare * (oi ?? 0));
      const judged = judgeBurst(grown(before.episodes[symbol] ?? calm, added.get(symbol)), {
        sum,
        longs: windowLongs(one, last, options.window),
        enter,
        last,
        // Too early to begin, except in silence, so that what is under way at the baseline is not told later either.
        early: (rolling.weight < options.minHistory || unasked) && state !== undefined,
        quiet: state === undefined,
        options,
      });
      const usual = rolling.weight === 0 ? 0 : one.past / rolling.weight;
      const minutes = burstMinutes(before.episodes[symbol]?.open?.minutes, one.buckets);
      const told = { symbol, minutes, enter, usual, oi, window: options.window, read };
      if (judged.status !== undefined) changes.push(change(judged.status, judged, told));
      if (judged.next.open !== null || one.past >= 1 || one.buckets.length > 0) {
        names[symbol] = one;
        const { open } = judged.next;
        episodes[symbol] = { ...judged.next, open: open && { ...open, minutes } };
      }
    }
    const sides = { now: last, length: options.wave, sideOf: () => 'ALL' };
    const told = inWaves(before.waves, changes, sides);
    const next = { read, rolling: { ...rolling, names }, episodes, openInterest: known, waves: told.waves };
    return { state: next, changes: told.changes };
  },
});

const baseline = (at: number, options: Options): State => ({
  read: { last: at, recent: [], gaps: [] },
  rolling: startRolling(at, options),
  episodes: {},
  openInterest: {},
  waves: {},
});

/** Symbols whose liquidations may come near a burst and whose open interest is not known, largest first. */
function nearBursts(
  { read, rolling, openInterest }: State,
  rows: EndpointAnswer<'liquidations'>['data'],
  { window, minUsd }: Options,
  now: number,
): string[] {
  const sums = new Map(
    Object.entries(rolling.names).map(([symbol, one]) => [symbol, windowSum(one, read.last, window)]),
  );
  for (const { symbol, usd_value } of rows) sums.set(symbol, (sums.get(symbol) ?? 0) + usd_value);
  return [...sums]
    .filter(([symbol, sum]) => {
      const known = openInterest[symbol];
      return sum >= minUsd && (known === undefined || now - known.at >= openInterestFresh);
    })
    .sort(([, a], [, b]) => b - a)
    .slice(0, openInterestPerLook)
    .map(([symbol]) => symbol);
}

/** What cannot be had is not asked for again at every look: the symbol is judged without it. */
async function openInterestOf(
  symbols: readonly string[],
  now: number,
  data: Pick<DataClient, 'oi'>,
  signal: AbortSignal,
): Promise<OpenInterest> {
  const found = await Promise.all(
    symbols.map(async (symbol) => {
      try {
        const newest = (await data.oi({ symbol, limit: 1 }, signal)).data.at(-1);
        const usd = Number(newest?.oi_value_usd);
        return [symbol, { at: now, usd: usd > 0 ? usd : null }] as const;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return [symbol, { at: now, usd: null }] as const;
      }
    }),
  );
  return Object.fromEntries(found);
}

function change(
  status: Change['status'],
  { severity, sum, longs }: Pick<JudgedBurst, 'severity' | 'sum' | 'longs'>,
  seen: {
    readonly symbol: string;
    /** Of the burst, and of the window before it. */
    readonly minutes: Rolled['buckets'];
    /** USD of a window at which it begins. */
    readonly enter: number;
    readonly usual: number;
    readonly oi: number | null;
    readonly window: number;
    readonly read: State['read'];
  },
): Change {
  const { symbol, usual, oi, window, read } = seen;
  const over = status === 'resolved';
  const minutes = count(window / minute);
  const annotations: Annotations = {
    title: over
      ? msg('{symbol} liquidation burst over: at least {usd} in all', {
          symbol: marketName(symbol),
          usd: usd(sum),
        })
      : msg('{symbol} liquidation burst: at least {usd} in {minutes} min', {
          symbol: marketName(symbol),
          usd: usd(sum),
          minutes,
        }),
    summary: over
      ? msg('Liquidations are back to normal in this market.')
      : msg('Positions are being liquidated far faster than usual in this market.'),
    facts: [
      {
        name: over ? msg('Liquidated in all') : msg('Liquidated in {minutes} min', { minutes }),
        value: msg('at least {usd}', { usd: usd(sum) }),
      },
      {
        name: msg('Usual {minutes} min', { minutes }),
        value: usual < 1 ? msg('next to nothing') : usd(usual),
      },
      ...(over || usual < 1 ? [] : [{ name: msg('× normal'), value: count(sum / usual) }]),
      ...(oi === null ? [] : [{ name: msg('Share of open interest'), value: share(sum / oi, 2) }]),
      ...(sum > 0 ? [{ name: msg('Share of longs'), value: share(longs / sum) }] : []),
      ...read.gaps.map(([from, to]) => ({
        name: msg('Missing'),
        value: msg('{seconds} s from {from}: more than {limit} events between two checks', {
          seconds: count((to - from) / second),
          from: timeOf(from),
          limit: count(tapeLimit),
        }),
      })),
    ],
    ...(seen.minutes.length > 1 && { chart: burstChart({ ...seen, until: read.last }) }),
    prominence: sum,
    dataTime: read.last,
  };
  return { status, labels: { kind: 'liquidation-burst', symbol }, severity, annotations };
}
