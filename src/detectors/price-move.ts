import { z } from 'zod';
import { type Change, type Severity, severities, severityRank } from '../alert/alert.ts';
import { marketName, number, percent, price as quote, share, span } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { day, duration, hour, minute, second } from '../runtime/units.ts';
import { defineDetector } from './detector.ts';
import { follow, followed } from './kit/follow.ts';
import { charted } from './kit/series.ts';
import { inWaves, waves } from './kit/wave.ts';

/** How far back a move is measured, and by how much the price it is measured from may be older. */
const windows = {
  '1h': { length: hour, slack: 10 * minute },
  '24h': { length: day, slack: 70 * minute },
} as const;
type Window = keyof typeof windows;
const names = ['1h', '24h'] as const satisfies readonly Window[];

/** Prices are kept this often over the last hour, and hourly before that. */
const markEvery = 5 * minute;
const markFor = day + windows['24h'].slack;
/** An overview older than this says nothing about the present. */
const stale = 10 * minute;

const usual = z.object({ sum: z.number(), weight: z.number() });
const followedMove = followed.extend({ severity: z.enum(severities) });

const tracked = z.object({
  /** One for each of `times`; null where the price was not known. */
  marks: z.array(z.number().nullable()),
  /** Decayed sums of the sizes of past moves, percent, and of their number, one an hour. */
  usual: z.record(z.string(), usual),
  /** Moves that are followed. */
  moves: z.record(z.string(), followedMove),
});
type Tracked = z.output<typeof tracked>;

const rule = (factor: number, minPct: number) =>
  z
    .strictObject({
      factor: z
        .number()
        .gt(1)
        .default(factor)
        .describe('times the mean size of the symbol’s own moves over such a time'),
      minPct: z.number().positive().default(minPct).describe('percent below which nothing stands out'),
    })
    .prefault({});

const options = z.object({
  '1h': rule(8, 3),
  '24h': rule(4, 8),
  exit: z.number().gt(0).lt(1).default(0.5).describe('ends below this part of the level that fires'),
  critical: z
    .number()
    .gt(1)
    .default(1.5)
    .describe('one severity more at this many times the level that fires'),
  confirm: z.int().min(1).default(2).describe('looks that must agree on a beginning and on an end'),
  halfLife: duration.prefault('14d').describe('half of the past is younger than this'),
  minHistory: z.number().min(1).default(48).describe('past moves, one an hour, before a symbol is judged'),
  wave: duration
    .prefault('6h')
    .describe('what moves the same way in another market within this of the last joins its post'),
  cooldown: duration.prefault('12h').describe('after its end, of the same move'),
  majors: z
    .array(z.string())
    .default(['BTCUSDT', 'ETHUSDT'])
    .describe('their moves are warnings, those of others info until critical'),
});
type Options = z.output<typeof options>;

/**
 * A price that has moved in 1 h or 24 h by far more than is usual for it: the mean size of its own moves over such a
 * time, decaying, in which one that stands out counts for no more than the level at which it does. Until a symbol has
 * a past it is not judged. Measured on BTCUSDT, hourly, October 2020 to December 2022, with the defaults: 23 a year in 1 h, 21
 * in 24 h.
 */
export default defineDetector({
  name: 'price-move',
  description: msg('A price moves far more than usual in 1 h or 24 h'),
  preset: 'standard',
  schedule: '15 */2 * * * *',
  cost: 'one request for all symbols',
  groupWait: 30 * second,
  options,
  state: z.object({
    dataTime: z.number(),
    times: z.array(z.number()),
    symbols: z.record(z.string(), tracked),
    waves: waves.default({}),
  }),
  observe: ({ data, signal }) => data.marketOverview({}, signal),

  step(state, { coins, timestamp }, { options, now }) {
    const at = Date.parse(timestamp);
    const old = state ?? { dataTime: 0, times: [], symbols: {}, waves: {} };
    if (!(at <= now && now - at <= stale) || at <= old.dataTime || coins.length === 0) {
      return { state: old, changes: [] };
    }
    const prices = new Map(
      coins.filter(({ price }) => price > 0).map(({ symbol, price }) => [symbol, price]),
    );
    const marked = at - (old.times.at(-1) ?? 0) >= markEvery;
    const times = marked ? [...old.times, at] : old.times;
    const keep = times.map((time, index) => {
      const before = times[index - 1] ?? 0;
      const firstOfHour = Math.floor(time / hour) > Math.floor(before / hour);
      return at - time <= hour + windows['1h'].slack || (firstOfHour && at - time <= markFor);
    });
    const newHour = Math.floor(at / hour) > Math.floor(old.dataTime / hour);

    const symbols: Record<string, Tracked> = {};
    const changes: Change[] = [];
    for (const symbol of new Set([...Object.keys(old.symbols), ...prices.keys()])) {
      const price = prices.get(symbol);
      const past = old.symbols[symbol];
      const { moves = {}, usual = {} } = past ?? {};
      const known = past?.marks ?? old.times.map(() => null);
      const marks = marked ? [...known, price ?? null] : known;
      const next: Tracked = {
        marks: marks.filter((_, index) => keep[index]),
        usual: { ...usual },
        moves: {},
      };
      for (const window of names) {
        const from = priceBefore(old.times, known, at, window);
        const move = price === undefined || from === undefined ? undefined : (price / from - 1) * 100;
        const mean = usual[window] ?? { sum: 0, weight: 0 };
        const level = levelOf(mean, options, window);
        if (move !== undefined && newHour) {
          const decay = 0.5 ** (hour / options.halfLife);
          const size = Math.min(Math.abs(move), level);
          next.usual[window] = { sum: mean.sum * decay + size, weight: mean.weight * decay + 1 };
        }
        const seen = {
          at,
          move,
          level,
          judged: mean.weight >= options.minHistory,
          first: past === undefined,
        };
        const { kept, told } = followMove(moves[window], seen, options, symbol);
        if (kept !== undefined) next.moves[window] = kept;
        for (const [status, side, severity] of told) {
          const usualPct = mean.sum / mean.weight;
          const about = { symbol, window, side, price, move, from, level, usualPct, times, marks, at };
          changes.push(change(status, severity, about));
        }
      }
      if (next.marks.some((mark) => mark !== null)) symbols[symbol] = next;
    }
    const sideOf = ({ labels }: Change) => labels.direction ?? '';
    const told = inWaves(old.waves, changes, { now: at, length: options.wave, sideOf });
    const kept = times.filter((_, index) => keep[index]);
    return { state: { dataTime: at, times: kept, symbols, waves: told.waves }, changes: told.changes };
  },
});

const levelOf = ({ sum, weight }: z.output<typeof usual>, options: Options, window: Window): number =>
  Math.max(options[window].minPct, weight === 0 ? 0 : (options[window].factor * sum) / weight);

/** The newest price that is as old as the window, and not much older. */
function priceBefore(
  times: readonly number[],
  marks: readonly (number | null)[],
  at: number,
  window: Window,
): number | undefined {
  const { length, slack } = windows[window];
  const index = times.findLastIndex((time) => at - time >= length);
  const time = times[index];
  return time !== undefined && at - time <= length + slack ? (marks[index] ?? undefined) : undefined;
}

type Followed = z.output<typeof followedMove>;
type Told = readonly (readonly [Change['status'], side: string, severity: Severity])[];

function followMove(
  past: Followed | undefined,
  seen: {
    readonly at: number;
    readonly move: number | undefined;
    readonly level: number;
    readonly judged: boolean;
    readonly first: boolean;
  },
  { exit, critical, confirm, cooldown, majors }: Options,
  symbol: string,
): { readonly kept: Followed | undefined; readonly told: Told } {
  const { at, move, level, judged, first } = seen;
  if (move === undefined || !judged) return { kept: past, told: [] };
  const size = Math.abs(move);
  const side = size < level * exit ? null : move > 0 ? 'UP' : 'DOWN';
  const rules = { confirm, calm: confirm, cooldown };
  const none = { seen: 0, open: null, pending: null, ended: null };
  const { next, told } = follow(
    first ? undefined : (past ?? none),
    [{ at, side, strong: size >= level }],
    rules,
  );
  if (next === undefined) return { kept: past, told: [] };

  const steps = (majors.includes(symbol) ? 1 : 0) + (size >= level * critical ? 1 : 0);
  const reached = severities[steps] ?? 'critical';
  const before = past?.severity ?? 'info';
  const { open, pending, ended } = next;
  const begun = told.some(([status]) => status === 'firing');
  const worse = open !== null && !begun && severityRank(reached) > severityRank(before);
  const severity = begun || worse ? reached : before;
  const idle = open === null && pending === null && (ended === null || at - ended.at >= cooldown);
  return {
    kept: idle ? undefined : { ...next, severity },
    told: [
      ...told.map(([status, side]) => [status, side, status === 'firing' ? reached : before] as const),
      ...(worse && !open.quiet ? [['updated', open.side, reached] as const] : []),
    ],
  };
}

function change(
  status: Change['status'],
  severity: Severity,
  about: {
    readonly symbol: string;
    readonly window: Window;
    readonly side: string;
    readonly price: number | undefined;
    readonly move: number | undefined;
    /** The price that it is measured from. */
    readonly from: number | undefined;
    /** Percent of that at which a move begins. */
    readonly level: number;
    readonly usualPct: number;
    readonly times: readonly number[];
    readonly marks: readonly (number | null)[];
    readonly at: number;
  },
): Change {
  const { symbol, window, side, price, move = 0, from, level, usualPct, times, marks, at } = about;
  const length = span(windows[window].length);
  const size = share(Math.abs(move) / 100, 1);
  return {
    status,
    labels: { kind: 'price-move', symbol, window, direction: side },
    severity,
    annotations: {
      title:
        status === 'resolved'
          ? msg('{symbol} calm again: {move} in {length}', {
              symbol: marketName(symbol),
              move: percent(move, 1),
              length,
            })
          : side === 'UP'
            ? msg('{symbol} rose {size} in {length}', { symbol: marketName(symbol), size, length })
            : msg('{symbol} fell {size} in {length}', { symbol: marketName(symbol), size, length }),
      summary:
        status === 'resolved'
          ? msg('The price is moving about as much as usual again.')
          : msg('That is far more than usual; it says nothing about what comes next.'),
      facts: [
        { name: msg('Price'), value: quote(price) },
        { name: msg('Move'), value: percent(move) },
        { name: msg('Usual move'), value: share(usualPct / 100, 2) },
        { name: msg('× normal'), value: number(Math.abs(move) / usualPct, 1) },
      ],
      chart: charted(msg('{symbol} price', { symbol: marketName(symbol) }), {
        unit: 'USD',
        series: [
          {
            name: marketName(symbol),
            points: times.flatMap((time, index) => {
              const mark = marks[index] ?? null;
              return mark === null ? [] : [[time, mark] as const];
            }),
          },
        ],
        ...(from !== undefined && {
          marks: [
            { name: msg('{length} before', { length }), value: from, tone: 'neutral' },
            { name: msg('large from'), value: from * (1 + ((side === 'UP' ? 1 : -1) * level) / 100) },
          ],
        }),
      }),
      prominence: Math.abs(move),
      inGroup: {
        name: side === 'UP' ? msg('Prices rose') : msg('Prices fell'),
        row: msg('{symbol}: {move} in {length}', { symbol, move: percent(move, 1), length }),
        change: { symbol, pct: move },
      },
      dataTime: at,
    },
  };
}
