import { z } from 'zod';
import { severities } from '../alert/alert.ts';
import { marketName, number, percent, price as quote, share, span } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { day, duration, hour, minute, msOf, second } from '../runtime/units.ts';
import type { Sample } from './kit/episode.ts';
import { defineEpisodes } from './kit/episodes.ts';
import { charted } from './kit/series.ts';

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

const tracked = z.object({
  /** One for each of `times`; null where the price was not known. */
  marks: z.array(z.number().nullable()),
  /** Decayed sums of the sizes of past moves, percent, and of their number, one an hour. */
  usual: z.record(z.string(), z.object({ sum: z.number(), weight: z.number() })),
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

/**
 * A price that has moved in 1 h or 24 h by far more than is usual for it: the mean size of its own moves over such a
 * time, decaying, in which one that stands out counts for no more than the level at which it does. Until a symbol has
 * a past it is not judged. Measured on BTCUSDT, hourly, October 2020 to December 2022, with the defaults: 23 a year in 1 h, 21
 * in 24 h.
 */
export default defineEpisodes({
  name: 'price-move',
  description: msg('A price moves far more than usual in 1 h or 24 h'),
  preset: 'standard',
  schedule: '15 */2 * * * *',
  cost: 'one request for all symbols',
  groupWait: 30 * second,
  options,
  memory: z.object({
    dataTime: z.number(),
    times: z.array(z.number()),
    symbols: z.record(z.string(), tracked),
  }),
  rules: ({ confirm, cooldown }) => ({ confirm, calm: confirm, cooldown, keep: day, news: true }),
  wave: ({ wave: length }) => ({ length, sideOf: ({ labels }) => labels.direction ?? '' }),
  observe: ({ data, signal }) => data.marketOverview({}, signal),

  look({ coins, timestamp }, { options, now, memory = { dataTime: 0, times: [], symbols: {} } }) {
    const at = msOf(timestamp);
    if (!(at <= now && now - at <= stale) || at <= memory.dataTime || coins.length === 0)
      return { seen: [], memory };
    const prices = new Map(
      coins.filter(({ price }) => price > 0).map(({ symbol, price }) => [symbol, price]),
    );
    const marked = at - (memory.times.at(-1) ?? 0) >= markEvery;
    const times = marked ? [...memory.times, at] : memory.times;
    const keep = times.map((time, index) => {
      const before = times[index - 1] ?? 0;
      const firstOfHour = Math.floor(time / hour) > Math.floor(before / hour);
      return at - time <= hour + windows['1h'].slack || (firstOfHour && at - time <= markFor);
    });
    const newHour = Math.floor(at / hour) > Math.floor(memory.dataTime / hour);

    const symbols: Record<string, Tracked> = {};
    const seen = [...new Set([...Object.keys(memory.symbols), ...prices.keys()])].flatMap((symbol) => {
      const price = prices.get(symbol);
      const { marks: known = memory.times.map(() => null), usual = {} } = memory.symbols[symbol] ?? {};
      const marks = marked ? [...known, price ?? null] : known;
      const next = { marks: marks.filter((_, index) => keep[index]), usual: { ...usual } };
      if (next.marks.some((mark) => mark !== null)) symbols[symbol] = next;
      return names.flatMap((window) => {
        const from = priceBefore(memory.times, known, at, window);
        if (price === undefined || from === undefined) return [];
        const move = (price / from - 1) * 100;
        const { sum, weight } = usual[window] ?? { sum: 0, weight: 0 };
        const { factor, minPct } = options[window];
        const level = Math.max(minPct, weight === 0 ? 0 : (factor * sum) / weight);
        if (newHour) {
          const decay = 0.5 ** (hour / options.halfLife);
          const size = Math.min(Math.abs(move), level);
          next.usual[window] = { sum: sum * decay + size, weight: weight * decay + 1 };
        }
        if (weight < options.minHistory) return [];
        const samples = [sampleOf(at, move, level, symbol, options)];
        const about = { symbol, window, price, move, from, level, usualPct: sum / weight, times, marks, at };
        return [{ key: `${symbol} ${window}`, samples, ...about }];
      });
    });
    return { seen, memory: { dataTime: at, times: times.filter((_, index) => keep[index]), symbols } };
  },

  tell({ status, side }, { symbol, window, price, move, from, level, usualPct, times, marks, at }) {
    const length = span(windows[window].length);
    const size = share(Math.abs(move) / 100, 1);
    const name = marketName(symbol);
    return {
      labels: { symbol, window, direction: side },
      title:
        status === 'resolved'
          ? msg('{symbol} calm again: {move} in {length}', { symbol: name, move: percent(move, 1), length })
          : side === 'UP'
            ? msg('{symbol} rose {size} in {length}', { symbol: name, size, length })
            : msg('{symbol} fell {size} in {length}', { symbol: name, size, length }),
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
      chart: charted(msg('{symbol} price', { symbol: name }), {
        unit: 'USD',
        series: [
          {
            name,
            points: times.flatMap((time, index) => {
              const mark = marks[index] ?? null;
              return mark === null ? [] : [[time, mark] as const];
            }),
          },
        ],
        marks: [
          { name: msg('{length} before', { length }), value: from, tone: 'neutral' },
          { name: msg('large from'), value: from * (1 + ((side === 'UP' ? 1 : -1) * level) / 100) },
        ],
      }),
      prominence: Math.abs(move),
      inGroup: {
        name: side === 'UP' ? msg('Prices rose') : msg('Prices fell'),
        row: msg('{symbol}: {move} in {length}', { symbol, move: percent(move, 1), length }),
        change: { symbol, pct: move },
      },
      dataTime: at,
    };
  },
});

function sampleOf(
  at: number,
  move: number,
  level: number,
  symbol: string,
  { exit, critical, majors }: z.output<typeof options>,
): Sample<never> {
  const size = Math.abs(move);
  const steps = (majors.includes(symbol) ? 1 : 0) + (size >= level * critical ? 1 : 0);
  const side = size < level * exit ? null : move > 0 ? 'UP' : 'DOWN';
  return { at, side, strong: size >= level, severity: severities[steps] ?? 'critical' };
}

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
