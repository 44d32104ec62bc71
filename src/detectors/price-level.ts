import { z } from 'zod';
import type { Change } from '../alert/alert.ts';
import { count, marketName, price as quote, span, time as timeOf } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { duration, minute } from '../runtime/units.ts';
import { defineDetector } from './detector.ts';
import { charted } from './kit/series.ts';
import { sparsely, type Trail, trail, upTo } from './kit/trail.ts';

/** An overview older than this says nothing about the present. */
const stale = 10 * minute;
/** A day. */
const shown = { every: 10 * minute, most: 144 } as const;

const crossing = z.object({
  level: z.number(),
  direction: z.enum(['UP', 'DOWN']),
  at: z.number(),
});
type Crossing = z.output<typeof crossing>;

const watched = z.object({
  /** The step this was kept for: with another one it is met for the first time. */
  step: z.number(),
  /** The price is between this many steps and one more, give or take the margin. */
  band: z.int(),
  /** Looks in a row in one direction beyond the band. */
  beyond: z.object({ direction: z.enum(['UP', 'DOWN']), count: z.int() }).nullable(),
  /** The crossing people know of and that has not settled. */
  open: crossing.nullable(),
  /** Levels told of, and when. */
  told: z.array(z.tuple([z.number(), z.number()])),
  /** Prices. */
  past: trail.default([]),
});
type Watched = z.output<typeof watched>;

const options = z.object({
  steps: z
    .record(z.string(), z.number().positive())
    .default({ BTCUSDT: 5_000, ETHUSDT: 250 })
    .describe('quote currency between two round levels, by symbol'),
  margin: z
    .number()
    .gt(0)
    .lt(0.5)
    .default(0.1)
    .describe('part of a step by which the price must be beyond a level, either way'),
  confirm: z.int().min(1).default(2).describe('looks in a row beyond it'),
  settle: duration.prefault('12h').describe('a crossing that has stood this long is settled'),
  cooldown: duration
    .prefault('24h')
    .describe('no second alert for the same level for this long, in either direction'),
});
type Options = z.output<typeof options>;

/**
 * Round levels that the largest symbols cross. Each crossing is one alert with labels `{ kind, symbol, level,
 * direction }`: it ends when the price crosses back, goes on to the next level, or has stayed for `settle`. Of several
 * levels crossed between two looks the last is told. Measured on BTCUSDT, hourly, October 2020 to December 2022, with the
 * defaults: 65 a year.
 */
export default defineDetector({
  name: 'price-level',
  description: msg('The price of a large market crosses a round level'),
  preset: 'standard',
  schedule: '15 * * * * *',
  cost: 'one request for all symbols, half of them price-move’s too',
  options,
  state: z.object({ dataTime: z.number(), symbols: z.record(z.string(), watched) }),
  observe: ({ data, signal }) => data.marketOverview({}, signal),

  step(state, { coins, timestamp }, { options, now }) {
    const at = Date.parse(timestamp);
    const old = state ?? { dataTime: 0, symbols: {} };
    if (!(at <= now && now - at <= stale) || at <= old.dataTime) return { state: old, changes: [] };
    const prices = new Map(coins.map(({ symbol, price }) => [symbol, price]));
    const symbols: Record<string, Watched> = {};
    const changes: Change[] = [];
    for (const [symbol, step] of Object.entries(options.steps)) {
      const price = prices.get(symbol);
      const past = old.symbols[symbol]?.step === step ? old.symbols[symbol] : undefined;
      if (price === undefined || !(price > 0)) {
        if (past !== undefined) symbols[symbol] = past;
        continue;
      }
      const { next, told } = follow(past, { price, step, at }, options);
      symbols[symbol] = { ...next, past: sparsely(past?.past, at, price, shown) };
      const trace = upTo(past?.past, at, price, shown);
      for (const [status, crossing] of told)
        changes.push(change(status, symbol, crossing, { price, at, trace }));
    }
    // The alert of a symbol that is not configured any more ends.
    for (const [symbol, { open, step, past }] of Object.entries(old.symbols)) {
      const price = prices.get(symbol);
      if (open === null || options.steps[symbol] === step || price === undefined) continue;
      changes.push(change('resolved', symbol, open, { price, at, trace: upTo(past, at, price, shown) }));
    }
    return { state: { dataTime: at, symbols }, changes };
  },
});

type Told = readonly (readonly ['firing' | 'resolved', Crossing])[];

function follow(
  past: Watched | undefined,
  { price, step, at }: { readonly price: number; readonly step: number; readonly at: number },
  { margin, confirm, settle, cooldown }: Options,
): { readonly next: Watched; readonly told: Told } {
  const band = Math.floor(price / step);
  if (past === undefined)
    return { next: { step, band, beyond: null, open: null, told: [], past: [] }, told: [] };
  const settled = past.open !== null && at - past.open.at >= settle;
  const ended: Told = past.open === null ? [] : [['resolved', past.open]];
  const known = past.told.filter(([, when]) => at - when < cooldown);
  const still = { ...past, open: settled ? null : past.open, told: known };

  const up = Math.floor(price / step - margin);
  const down = Math.floor(price / step + margin);
  const direction = up > past.band ? 'UP' : down < past.band ? 'DOWN' : null;
  if (direction === null) return { next: { ...still, beyond: null }, told: settled ? ended : [] };
  const looks = past.beyond?.direction === direction ? past.beyond.count + 1 : 1;
  if (looks < confirm)
    return { next: { ...still, beyond: { direction, count: looks } }, told: settled ? ended : [] };

  const crossed = direction === 'UP' ? up : down;
  // Of a step such as 0.1 a multiple is 0.30000000000000004, which is no name for a level.
  const level = Number(((direction === 'UP' ? crossed : crossed + 1) * step).toPrecision(12));
  const open = { level, direction, at } as const;
  const turned = { ...still, band: crossed, beyond: null };
  return known.some(([one]) => one === level)
    ? { next: { ...turned, open: null }, told: ended }
    : { next: { ...turned, open, told: [...known, [level, at]] }, told: [...ended, ['firing', open]] };
}

function change(
  status: Told[number][0],
  symbol: string,
  { level, direction, at: since }: Crossing,
  now: { readonly price: number; readonly at: number; readonly trace: Trail },
): Change {
  const price = quote(now.price);
  const round = Number.isInteger(level) ? count(level) : quote(level);
  const up = direction === 'UP';
  const back = up ? now.price < level : now.price > level;
  return {
    status,
    labels: { kind: 'price-level', symbol, level: String(level), direction },
    severity: 'warning',
    annotations: {
      title:
        status === 'firing'
          ? up
            ? msg('{symbol} rose above {level}: {price}', { symbol: marketName(symbol), level: round, price })
            : msg('{symbol} fell below {level}: {price}', { symbol: marketName(symbol), level: round, price })
          : back
            ? msg('{symbol} is back across {level}: {price}', {
                symbol: marketName(symbol),
                level: round,
                price,
              })
            : msg('{symbol} still {direction, select, UP {above} other {below}} {level} after {after}', {
                symbol: marketName(symbol),
                direction,
                level: round,
                after: span(now.at - since),
              }),
      summary: msg('Round level crossed.'),
      facts: [
        { name: msg('Price'), value: price },
        { name: msg('Level'), value: round },
        ...(status === 'resolved' ? [{ name: msg('Crossed'), value: timeOf(since) }] : []),
      ],
      ...(now.trace.length > 1 && {
        chart: charted(msg('{symbol} price', { symbol: marketName(symbol) }), {
          unit: 'USDT',
          series: [{ name: marketName(symbol), points: now.trace }],
          marks: [{ name: msg('Level'), value: level }],
        }),
      }),
      dataTime: now.at,
    },
  };
}
