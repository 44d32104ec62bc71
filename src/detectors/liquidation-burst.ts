import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Annotations, Change, Severity } from '../alert/alert.ts';
import { number, share, usd, utc } from '../alert/format.ts';
import type { Answer } from '../contract/index.ts';
import { day, duration, iso, minute, second } from '../runtime/units.ts';
import { defineDetector } from './detector.ts';

/** The most an answer holds. */
const limit = 500;
/** Events can arrive this late. */
const overlap = 60 * second;
/** What an answer can bring again is among the newest 500; the rest is for those that share a millisecond. */
const remembered = 600;

type Event = Answer<'liquidations'>['data'][number];

const bucket = z.object({ minute: z.int(), long: z.number(), short: z.number() });
const tracked = z.object({
  /** Minutes of the rolling window in which something was liquidated, ascending. USD. */
  buckets: z.array(bucket),
  /** Decayed sum of the past windows' USD: divided by the weight it is the usual window. */
  past: z.number(),
  open: z
    .object({ quiet: z.boolean(), severity: z.enum(['warning', 'critical']), total: z.number() })
    .nullable(),
  endedAt: z.number(),
});
type Tracked = z.output<typeof tracked>;
const empty: Tracked = { buckets: [], past: 0, open: null, endedAt: 0 };

const options = z.object({
  window: duration.prefault('15m'),
  /** Times the usual window. */
  factor: z.number().gt(1).default(8),
  /** USD in a window below which nothing is a burst. */
  minUsd: z.number().positive().default(250_000),
  /** Ends below this part of the level that fires. */
  exit: z.number().gt(0).lt(1).default(0.5),
  /** Critical at this many times the level that fires. */
  critical: z.number().gt(1).default(3),
  /** Half of the past is younger than this. */
  halfLife: duration.prefault('3d'),
  /** Past windows needed before anything is judged. */
  minHistory: z.number().min(1).default(4),
  cooldown: duration.prefault('30m'),
});
type Options = z.output<typeof options>;

const memory = z.object({
  /** Of the newest event, ms. */
  last: z.number(),
  /** Newest first, those that may come again. */
  recent: z.array(z.tuple([z.number(), z.string()])),
  /** Start of the past window being filled. */
  slot: z.number(),
  /** Decayed number of past windows. */
  weight: z.number(),
  symbols: z.record(z.string(), tracked),
  /** Stretches of the window that could not be fetched. */
  gaps: z.array(z.tuple([z.number(), z.number()])),
});
type State = z.output<typeof memory>;

/**
 * Liquidations of one symbol in a rolling window, against that symbol's own past windows. Time is that of the
 * newest event of any symbol: while the feed is silent nothing ends. The past is a decaying mean in which a burst
 * counts for no more than the level that would have fired, so that bursts do not become what is usual.
 * Every sum is "at least": exchanges publish one liquidation per symbol and second at most, an answer 500.
 */
export default defineDetector({
  name: 'liquidation-burst',
  description: 'Far more of a market is liquidated than is usual for it',
  preset: 'standard',
  schedule: '5,35 * * * * *',
  options,
  state: memory,
  observe: async ({ data, state, signal }) => {
    const since = state === undefined ? {} : { since: iso(state.last - overlap) };
    return (await data.liquidations({ limit, ...since }, signal)).data;
  },

  step(state, rows, { options, now }) {
    const { window } = options;
    const known = new Set(state?.recent.map(([, hash]) => hash));
    const fresh = new Map<string, Event & { readonly time: number }>();
    for (const row of rows) {
      const time = Date.parse(row.event_time);
      const hash = identity(row);
      // What is from the future would stop the clock until then; what is older than was asked for is known.
      const asked = time <= now + minute && time >= (state?.last ?? 0) - overlap;
      if (asked && !known.has(hash)) fresh.set(hash, { ...row, time });
    }
    const events = [...fresh.values()].sort((a, b) => a.time - b.time);
    const newest = events.at(-1)?.time;
    if (newest === undefined) return { state: state ?? baseline(now, window), changes: [] };
    const oldest = rows.reduce(
      (time, row) => Math.min(time, Date.parse(row.event_time)),
      Number.POSITIVE_INFINITY,
    );

    const last = Math.max(state?.last ?? 0, newest);
    const missed = state !== undefined && rows.length >= limit && oldest > state.last;
    const gaps = [...(state?.gaps ?? []), ...(missed ? [[state.last, oldest] as [number, number]] : [])];
    const tape = new Tape(
      state ?? baseline(events[0]?.time ?? now, window),
      options,
      missed ? oldest : undefined,
    );
    for (const event of events) tape.add(event);

    const recent = [
      ...(state?.recent ?? []),
      ...[...fresh].map(([hash, { time }]): [number, string] => [time, hash]),
    ]
      .filter(([time]) => time >= last - overlap)
      .sort(([a], [b]) => b - a)
      .slice(0, remembered);
    const shown = gaps.filter(([, to]) => to > last - window);
    const changes: Change[] = [];
    const symbols: Record<string, Tracked> = {};
    for (const [symbol, { buckets, ...rest }] of [...tape.symbols].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const kept = { ...rest, buckets: buckets.filter((one) => one.minute > (last - window) / minute - 1) };
      const judged = judge(kept, tape.weight, last, state === undefined, options);
      if (judged.status !== undefined)
        changes.push(change(judged.status, symbol, judged, tape.weight, { window, last, gaps: shown }));
      if (judged.next.open !== null || judged.next.past >= 1 || kept.buckets.length > 0)
        symbols[symbol] = judged.next;
    }
    return { state: { last, recent, slot: tape.slot, weight: tape.weight, symbols, gaps: shown }, changes };
  },
});

const baseline = (at: number, window: number): State => ({
  last: at,
  recent: [],
  slot: Math.floor(at / window) * window,
  weight: 0,
  symbols: {},
  gaps: [],
});

/** The whole record: several events share one millisecond. */
const identity = ({ symbol, side, price, quantity, usd_value, event_time }: Event): string =>
  createHash('sha256')
    .update(JSON.stringify([symbol, side, price, quantity, usd_value, event_time]))
    .digest('base64url')
    .slice(0, 12);

const level = (past: number, weight: number, { factor, minUsd }: Options): number =>
  Math.max(minUsd, weight === 0 ? 0 : (factor * past) / weight);

/** Events in the order of time, sorted into minutes, and whole windows into the past. */
class Tape {
  readonly symbols: Map<string, Tracked>;
  slot: number;
  weight: number;
  readonly #options: Options;
  /** Windows that end before it were not seen whole: they say nothing about what is usual. */
  readonly #unseenUntil: number;

  constructor({ slot, weight, symbols }: State, options: Options, unseenUntil = 0) {
    this.symbols = new Map(
      Object.entries(symbols).map(([name, one]) => [name, { ...one, buckets: [...one.buckets] }]),
    );
    this.slot = slot;
    this.weight = weight;
    this.#options = options;
    this.#unseenUntil = unseenUntil;
  }

  add({ symbol, side, usd_value, time }: Event & { readonly time: number }): void {
    this.#advance(time);
    const one = this.symbols.get(symbol) ?? { ...empty, buckets: [] };
    const at = Math.floor(time / minute);
    const value = Math.round(Math.max(0, usd_value));
    const add = side === 'SHORT' ? { long: 0, short: value } : { long: value, short: 0 };
    const before = one.buckets.find((candidate) => candidate.minute === at) ?? {
      minute: at,
      long: 0,
      short: 0,
    };
    one.buckets = one.buckets
      .filter((candidate) => candidate.minute !== at)
      .concat({ minute: at, long: before.long + add.long, short: before.short + add.short })
      .sort((a, b) => a.minute - b.minute);
    if (one.open !== null) one.open = { ...one.open, total: one.open.total + value };
    this.symbols.set(symbol, one);
  }

  #advance(time: number): void {
    const { window, halfLife } = this.#options;
    const decay = 0.5 ** (window / halfLife);
    // Longer ago than this nothing weighs: after years of silence the loop need not count every window.
    this.slot = Math.max(this.slot, Math.floor((time - 30 * day) / window) * window);
    for (; this.slot + window <= time; this.slot += window) {
      if (this.slot < this.#unseenUntil) continue;
      for (const one of this.symbols.values()) {
        const sum = total(one, (this.slot - 1) / minute, this.slot + window);
        one.past = one.past * decay + Math.min(sum, level(one.past, this.weight, this.#options));
      }
      this.weight = this.weight * decay + 1;
    }
  }
}

const total = ({ buckets }: Tracked, afterMinute: number, before: number): number =>
  buckets.reduce(
    (sum, { minute: at, long, short }) =>
      at > afterMinute && at * minute < before ? sum + long + short : sum,
    0,
  );

interface Judged {
  readonly status?: Change['status'];
  readonly severity: Severity;
  readonly sum: number;
  readonly next: Tracked;
}

function judge(one: Tracked, weight: number, last: number, quiet: boolean, options: Options): Judged {
  const sum = total(one, (last - options.window) / minute, Number.POSITIVE_INFINITY);
  const enter = level(one.past, weight, options);
  const severity = sum >= enter * options.critical ? 'critical' : 'warning';
  const { open } = one;
  if (open === null) {
    const cooling = last - one.endedAt < options.cooldown && severity !== 'critical';
    if (sum < enter || cooling || (weight < options.minHistory && !quiet))
      return { severity, sum, next: one };
    const next = { ...one, open: { quiet, severity, total: sum } as const };
    return quiet ? { severity, sum, next } : { status: 'firing', severity, sum, next };
  }
  if (sum < enter * options.exit) {
    const next = { ...one, open: null, endedAt: last };
    return open.quiet
      ? { severity, sum, next }
      : { status: 'resolved', severity: open.severity, sum: open.total, next };
  }
  if (severity === 'critical' && open.severity === 'warning') {
    const next = { ...one, open: { ...open, quiet: false, severity } as const };
    return { status: open.quiet ? 'firing' : 'updated', severity, sum, next };
  }
  return { severity: open.severity, sum, next: one };
}

function change(
  status: Change['status'],
  symbol: string,
  { severity, sum, next }: Judged,
  weight: number,
  { window, last, gaps }: { window: number; last: number; gaps: readonly (readonly [number, number])[] },
): Change {
  const over = status === 'resolved';
  const usual = weight === 0 ? 0 : next.past / weight;
  const length = `${number(window / minute, 0)} min`;
  const longs = next.buckets.reduce((value, { long }) => value + long, 0);
  const all = next.buckets.reduce((value, { long, short }) => value + long + short, 0);
  const points = (side: 'long' | 'short') =>
    next.buckets.map((one) => [one.minute * minute, one[side]] as const);
  const annotations: Annotations = {
    title: over
      ? `${symbol} liquidation burst over: at least ${usd(sum)} in all`
      : `${symbol} liquidation burst: at least ${usd(sum)} in ${length}`,
    summary: over
      ? 'Liquidations are back near what is usual for this market.'
      : 'Positions are being closed by force far faster than is usual for this market.',
    facts: [
      { name: over ? 'Liquidated in all' : `Liquidated in ${length}`, value: `at least ${usd(sum)}` },
      { name: `Usual ${length}`, value: usual < 1 ? 'next to nothing' : usd(usual) },
      ...(over || usual < 1 ? [] : [{ name: 'Times the usual', value: number(sum / usual, 0) }]),
      ...(all > 0 ? [{ name: 'Longs among them', value: share(longs / all) }] : []),
      ...gaps.map(([from, to]) => ({
        name: 'Not fetched',
        value: `${number((to - from) / second, 0)} s from ${utc(from)}: more than ${limit} events between two looks`,
      })),
    ],
    ...(next.buckets.length > 1 && {
      chart: {
        title: 'Liquidated per minute',
        unit: 'USD',
        series: [
          { name: 'longs', points: points('long') },
          { name: 'shorts', points: points('short') },
        ],
      },
    }),
    dataTime: last,
  };
  return { status, labels: { kind: 'liquidation-burst', symbol }, severity, annotations };
}
