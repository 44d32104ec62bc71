import type { EndpointAnswer } from '../../contract/index.ts';
import type { Side } from '../../runtime/liquidation-price.ts';
import { day } from '../../runtime/units.ts';
import type { Candle, Liquidation, OpenInterest } from '../archive/archive.ts';
import { openPositions, zonesWindow, zoneWidthPct } from './liquidation-zones.ts';
import { clip, round } from './statistics.ts';

/** The part of the levels that is judged: those with the largest estimates. A map that knows nothing takes as much. */
const quarter = 0.25;
/** Fewer days, or fewer liquidations, tell nothing. */
const least = { days: 7, liquidations: 50 } as const;
/** How often the estimates of a day are shuffled. */
const shuffles = 20;

type JudgedZones = NonNullable<EndpointAnswer<'liquidationZones'>['judged']>;

interface JudgedDay {
  readonly usd: number;
  readonly hit: number;
  readonly shuffled: number;
}

/**
 * Judges maps of liquidation levels by what was liquidated after they were drawn. A map is drawn at the beginning of each UTC
 * day from the week before. Only levels that the price reached on the day are compared, because elsewhere nothing can be
 * liquidated: a map is not praised for knowing that what is near is reached first. Of each side the USD are counted that
 * fell into the quarter of the price range whose levels have the largest estimates; of a level at the edge of the quarter, and
 * of equal levels, the part that belongs to it. Days are the blocks of the interval, because liquidations of a day
 * come together.
 *
 * @param random Draws from 0 to 1, for the placebo: the same maps with their estimates shuffled among the levels.
 */
export function judgeZones(
  {
    snapshots,
    candles,
    liquidations,
  }: {
    /** Ascending, from a week before the first day on. */
    readonly snapshots: readonly OpenInterest[];
    /** Hourly, ascending. */
    readonly candles: readonly Candle[];
    readonly liquidations: readonly Liquidation[];
  },
  random: () => number,
): JudgedZones | undefined {
  const [first, last] = [snapshots[0], candles.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const events = Map.groupBy(liquidations, ({ time }) => Math.floor(time / day));
  const hours = Map.groupBy(candles, ({ time }) => Math.floor(time / day));
  const days: JudgedDay[] = [];
  let count = 0;
  for (const [at, ofDay] of events) {
    const range = hours.get(at) ?? [];
    // A day of which hours are missing, or which is not over, was not seen whole.
    if (range.length < 24 || first.time > at * day - zonesWindow + day) continue;
    const before = snapshots.filter(({ time }) => time > at * day - zonesWindow && time <= at * day);
    const judged = judgeDay({ before, range, events: ofDay }, random);
    if (judged === undefined) continue;
    days.push(judged);
    count += ofDay.length;
  }
  if (days.length < least.days || count < least.liquidations) return undefined;
  const total = (of: keyof JudgedDay) => days.reduce((sum, each) => sum + each[of], 0);
  const share = total('hit') / total('usd');
  const squares = days.reduce((sum, { usd, hit }) => sum + (hit - share * usd) ** 2, 0);
  const error = Math.sqrt((days.length / (days.length - 1)) * squares) / total('usd');
  const reach = studentQuantile(days.length - 1) * error;
  const [low, high] = [clip(share - reach, 1), clip(share + reach, 1)];
  const placebo = total('shuffled') / total('usd');
  return {
    share: round(share, 4),
    low: round(Math.max(0, low), 4),
    high: round(high, 4),
    chance: quarter,
    placebo: round(placebo, 4),
    isBetter: low > Math.max(quarter, placebo),
    liquidations: count,
    days: days.length,
  };
}

function judgeDay(
  {
    before,
    range,
    events,
  }: {
    readonly before: readonly OpenInterest[];
    readonly range: readonly Candle[];
    readonly events: readonly Liquidation[];
  },
  random: () => number,
): JudgedDay | undefined {
  const { positions } = openPositions(before);
  const drawn = before.at(-1);
  if (drawn === undefined || positions.length === 0) return undefined;
  const price = drawn.valueUsd / drawn.contracts;
  const levelOf = (at: number) => Math.floor((at / price - 1) / (zoneWidthPct / 100));
  const [low, high] = [
    Math.min(...range.map((hour) => hour.low)),
    Math.max(...range.map((hour) => hour.high)),
  ];
  const lowest = levelOf(low);
  const count = levelOf(high) - lowest + 1;
  /** How much of each level the price reached: of the outer ones only a part. */
  const width = price * (zoneWidthPct / 100);
  const sizes = Array.from({ length: count }, (_, at) => {
    const bottom = price + (lowest + at) * width;
    return (Math.min(high, bottom + width) - Math.max(low, bottom)) / width;
  });
  const place = (at: number) => levelOf(at) - lowest;
  const [day, sides] = [{ usd: 0, hit: 0, shuffled: 0 }, ['LONG', 'SHORT'] as const satisfies Side[]];
  for (const side of sides) {
    const estimates = new Array<number>(count).fill(0);
    for (const position of positions) {
      const at = place(position.price);
      if (position.side === side && at >= 0 && at < count)
        estimates[at] = (estimates[at] ?? 0) + position.usd;
    }
    const usd = new Array<number>(count).fill(0);
    for (const event of events) {
      if (event.side !== side) continue;
      // A print may lie a tick beyond the candle's range.
      const at = Math.max(0, Math.min(count - 1, place(event.price)));
      usd[at] = (usd[at] ?? 0) + event.price * event.quantity;
    }
    const sumOf = (parts: readonly number[]) =>
      usd.reduce((sum, each, index) => sum + each * (parts[index] ?? 0), 0);
    day.usd += usd.reduce((sum, each) => sum + each, 0);
    day.hit += sumOf(largestQuarter(estimates, sizes));
    for (let shuffle = 0; shuffle < shuffles; shuffle += 1)
      day.shuffled += sumOf(largestQuarter(shuffled(estimates, random), sizes)) / shuffles;
  }
  return day.usd > 0 ? day : undefined;
}

/** Returns which part of each level belongs to the quarter of the range with the largest estimates. */
function largestQuarter(estimates: readonly number[], sizes: readonly number[]): number[] {
  const parts = new Array<number>(estimates.length).fill(0);
  const sizeOf = (levels: Iterable<number>) =>
    [...levels].reduce((sum, index) => sum + (sizes[index] ?? 0), 0);
  let left = sizeOf(estimates.keys()) * quarter;
  const groups = Map.groupBy(estimates.keys(), (index) => estimates[index] ?? 0);
  for (const [, levels] of [...groups].sort(([a], [b]) => b - a)) {
    const size = sizeOf(levels);
    const part = size > 0 ? Math.min(1, left / size) : 0;
    for (const index of levels) parts[index] = part;
    left -= part * size;
  }
  return parts;
}

function shuffled(values: readonly number[], random: () => number): number[] {
  const all = [...values];
  for (let last = all.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [all[last], all[other]] = [all[other] as number, all[last] as number];
  }
  return all;
}

/** The 97.5 % quantile of Student's distribution, to 1 % from 6 degrees of freedom on (Abramowitz and Stegun 26.7.5). */
function studentQuantile(freedom: number): number {
  const z = 1.959964;
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
}
