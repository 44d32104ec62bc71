import { z } from 'zod';
import type { Change } from '../alert/alert.ts';
import { askEach, symbolsWithin } from '../client/each.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { amount, count, marketName, price as quote, share } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { day, duration, hour, second } from '../runtime/units.ts';
import { defineDetector } from './detector.ts';
import { type Followed, follow, followed, opened, remembered, type Sighting } from './kit/follow.ts';
import { charted, points, series } from './kit/series.ts';

/** What /intelligence gives: hourly closes of a day. */
const asked = 24;
/** Below this many hours in which both are known, there is no window to make a high of. */
const fewest = 18;
/** Hours in which the new high or low was made; those before are what it is measured against. */
const recent = 6;
/** Hours close every hour: two missing, and what is going on is not known. */
const stale = 3 * hour;
/** Followed on over a gap of this length; after a longer one a symbol is met as if for the first time. */
const keep = 2 * day;

/** An hour in which both are known, by its opening time. */
interface Point {
  readonly at: number;
  readonly price: number;
  readonly cvd: number;
}
interface Divergence {
  readonly side: 'BEARISH' | 'BULLISH';
  /** How far the CVD stayed behind, as a part of its range over the window. */
  readonly gap: number;
  readonly before: Point;
  readonly after: Point;
}

/**
 * The price makes a new high of its day and the cumulative volume delta does not, or a new low likewise. Divergence
 * has no public standard beyond that sentence. Ours: the highest close of the last 6 hours is above the highest of
 * the hours before them, while the CVD is lower than it was then, by at least `enter` of its range over the day. It
 * ends below `exit`, when the CVD has followed or the high is one of yesterday's. Differences of a CVD do not depend
 * on where it is anchored.
 */
export default defineDetector({
  name: 'cvd-divergence',
  description: msg('A new 24 h high or low that taker volume does not back (CVD divergence)'),
  preset: 'everything',
  claim: {
    of: ({ side }) => (side === 'BULLISH' ? 'up' : 'down'),
    said: msg('back from its new extreme'),
  },
  schedule: '50 5 * * * *',
  groupWait: 30 * second,
  options: z.object({
    /** Two requests each, every hour. */
    maxSymbols: z.int().min(1).max(100).default(5),
    /** Parts of the CVD's range over the day, 0 to 1. */
    enter: z.number().gt(0).max(1).default(0.4),
    exit: z.number().min(0).max(1).default(0.1),
    /** Percent by which the price must be beyond its earlier extreme: less is within its spread and noise. */
    minPct: z.number().min(0).default(0.2),
    /** USD of volume delta by which the takers stayed behind; less is a few orders. */
    minUsd: z.number().min(0).default(1_000_000),
    /** Hours in a row. */
    confirm: z.int().min(1).default(2),
    calm: z.int().min(1).default(2),
    cooldown: duration.prefault('24h'),
  }),
  state: z.object({ symbols: z.record(z.string(), followed) }),

  async observe({ data, options, state, symbols, signal }) {
    const known = state?.symbols ?? {};
    const first = [...opened(known), ...symbols, ...Object.keys(known)];
    const chosen = await symbolsWithin(options.maxSymbols, first, data, signal);
    const answers = await askEach(chosen, async (symbol) => ({
      volume: (await data.volumeCvd({ symbol, hours: asked }, signal)).data,
      candles: (await data.intelligence({ symbol }, signal)).candles24h,
    }));
    return [...answers].map(([symbol, answer]) => ({ symbol, ...answer }));
  },

  step(state, answers, { options, now }) {
    const symbols: Record<string, Followed> = remembered(state?.symbols ?? {}, now, keep);
    const changes: Change[] = [];
    for (const { symbol, volume, candles } of answers) {
      const known = hours(volume, candles, now);
      const current = known.at(-1);
      if (current === undefined || now - current.at > stale) continue;
      const past = symbols[symbol];
      const sightings = known.flatMap((point, index): Sighting[] => {
        if (point.at <= (past?.seen ?? 0) || index + 1 < fewest) return [];
        const found = divergence(known.slice(0, index + 1));
        const stands = found !== undefined && found.gap >= options.exit;
        return [
          {
            at: point.at,
            side: stands ? found.side : null,
            strong: stands && found.gap >= options.enter && isWorth(found, options),
          },
        ];
      });
      const { next, told } = follow(past, sightings, options);
      if (next === undefined) continue;
      symbols[symbol] = next;
      for (const [status, side] of told)
        changes.push(change(status, side, symbol, known, Math.min(current.at + hour, now)));
    }
    return { state: { symbols }, changes };
  },
});

const isWorth = (
  { before, after }: Divergence,
  { minPct, minUsd }: { readonly minPct: number; readonly minUsd: number },
): boolean =>
  Math.abs(after.price / before.price - 1) * 100 >= minPct &&
  Math.abs(after.cvd - before.cvd) * after.price >= minUsd;

/** Closes with the CVD of the same hour, oldest first. */
function hours(
  volume: EndpointAnswer<'volumeCvd'>['data'],
  candles: EndpointAnswer<'intelligence'>['candles24h'],
  now: number,
): readonly Point[] {
  const ofHour = new Map(series(volume, now).map(({ at, cvd }) => [Math.floor(at / hour), cvd]));
  const closes = candles.map(({ open_time, c }) => ({ timestamp: open_time, price: Number(c) }));
  return series(closes, now).flatMap(({ at, price }) => {
    const cvd = ofHour.get(Math.floor(at / hour));
    return cvd === undefined ? [] : [{ at, price, cvd }];
  });
}

/** As of the last point; the wider one where the price made a new high and a new low. */
function divergence(known: readonly Point[]): Divergence | undefined {
  const values = known.map(({ cvd }) => cvd);
  const range = Math.max(...values) - Math.min(...values);
  if (!(range > 0)) return undefined;
  const found = (
    [
      ['BEARISH', 1],
      ['BULLISH', -1],
    ] as const
  ).flatMap(([side, up]): Divergence[] => {
    const before = extreme(known.slice(0, -recent), up);
    const after = extreme(known.slice(-recent), up);
    if (before === undefined || after === undefined || (after.price - before.price) * up <= 0) return [];
    return [{ side, gap: ((before.cvd - after.cvd) * up) / range, before, after }];
  });
  return found.sort((a, b) => b.gap - a.gap)[0];
}

/** The first of the highest closes, or of the lowest. */
const extreme = (known: readonly Point[], up: 1 | -1): Point | undefined =>
  known.reduce<Point | undefined>(
    (best, point) => (best === undefined || (point.price - best.price) * up > 0 ? point : best),
    undefined,
  );

function change(
  status: Change['status'],
  side: string,
  symbol: string,
  known: readonly Point[],
  dataTime: number,
): Change {
  const found = divergence(known);
  return {
    status,
    labels: { kind: 'cvd-divergence', symbol, side },
    severity: 'info',
    annotations: {
      title:
        status === 'resolved'
          ? msg('{symbol}: price/CVD divergence over', { symbol: marketName(symbol) })
          : msg(
              '{symbol}: {side, select, BEARISH {new 24 h high while takers are not buying (bearish divergence)} other {new 24 h low while takers are not selling (bullish divergence)}}',
              { symbol: marketName(symbol), side },
            ),
      summary:
        status === 'resolved'
          ? msg('The volume has followed, or the price has come back.')
          : msg(
              '{side, select, BEARISH {The price closed above its earlier high, while takers bought less than they sold since.} other {The price closed below its earlier low, while takers sold less than they bought since.}} A divergence can go on for long and often leads nowhere.',
              { side },
            ),
      facts:
        found === undefined || found.side !== side
          ? []
          : [
              {
                name: msg('Price'),
                value: msg('{before} → {after}', {
                  before: quote(found.before.price),
                  after: quote(found.after.price),
                }),
              },
              {
                name: msg('Volume delta since'),
                value: msg('{delta} coins', { delta: amount(found.after.cvd - found.before.cvd) }),
              },
              { name: msg('Share of the day’s CVD range'), value: share(found.gap) },
              { name: msg('Hours apart'), value: count((found.after.at - found.before.at) / hour) },
            ],
      chart: charted(msg('{symbol}: price and volume delta', { symbol: marketName(symbol) }), {
        unit: 'USDT',
        series: [{ name: msg('Price'), points: points(known, ({ price }) => price) }],
        below: { unit: '', series: [{ name: 'CVD', points: points(known, ({ cvd }) => cvd) }] },
      }),
      prominence: found?.side === side ? Math.max(0, found.gap) : 0,
      dataTime,
    },
  };
}
