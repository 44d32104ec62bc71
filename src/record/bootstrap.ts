/** The lower and the upper end of a 95 % confidence interval. */
export type Interval = readonly [low: number, high: number];

/** A value, and the block of values it hangs together with. */
export interface Blocked {
  readonly block: number;
  readonly value: number;
}

/** On each side of the interval. */
const tail = 0.025;
const resamples = 1_000;

/**
 * Percentile interval of the mean, by resampling whole blocks with replacement: values of one block (the moves of
 * one day, say) may depend on each other in any way, those of different blocks should not (Field and Welsh 2007,
 * the cluster bootstrap). The same values and the same randomness give the same interval. NaN of nothing.
 *
 * @param random 0 ≤ x < 1, seeded by the caller
 */
export function meanInterval(values: readonly Blocked[], random: () => number): Interval {
  const blocks = blocksOf(values);
  const sums = blocks.map(([, own]) => own.reduce((sum, { value }) => sum + value, 0));
  const counts = blocks.map(([, own]) => own.length);
  return interval(blocks.length, random, (drawn) => {
    let sum = 0;
    let count = 0;
    for (let at = 0; at < drawn.length; at += 1) {
      const times = drawn[at] ?? 0;
      sum += times * (sums[at] ?? 0);
      count += times * (counts[at] ?? 0);
    }
    return sum / count;
  });
}

/** The same of the (lower) median. */
export function medianInterval(values: readonly Blocked[], random: () => number): Interval {
  const blocks = blocksOf(values);
  // Sorted once: a resample is then one walk with each block's weight, rather than a sort of its own.
  const sorted = blocks
    .flatMap(([, own], block) => own.map(({ value }) => ({ block, value })))
    .sort((a, b) => a.value - b.value);
  const blockOf = Int32Array.from(sorted, ({ block }) => block);
  const counts = blocks.map(([, own]) => own.length);
  return interval(blocks.length, random, (drawn) => {
    let all = 0;
    for (let at = 0; at < drawn.length; at += 1) all += (drawn[at] ?? 0) * (counts[at] ?? 0);
    let passed = 0;
    for (let at = 0; at < sorted.length; at += 1) {
      passed += drawn[blockOf[at] ?? 0] ?? 0;
      if (passed * 2 >= all) return sorted[at]?.value ?? Number.NaN;
    }
    return Number.NaN;
  });
}

/** In an order of their own, so that the order of the values makes no difference. */
const blocksOf = (values: readonly Blocked[]) =>
  [...Map.groupBy(values, ({ block }) => block)].sort(([a], [b]) => a - b);

/** @param statistic of a resample, given how often each block was drawn */
function interval(blocks: number, random: () => number, statistic: (drawn: Int32Array) => number): Interval {
  const drawn = new Int32Array(blocks);
  const statistics = Float64Array.from({ length: resamples }, () => {
    drawn.fill(0);
    for (let draw = 0; draw < blocks; draw += 1) {
      const block = Math.floor(random() * blocks);
      drawn[block] = (drawn[block] ?? 0) + 1;
    }
    return statistic(drawn);
  }).sort();
  const low = statistics[Math.floor(tail * resamples)] ?? Number.NaN;
  return [low, statistics[Math.ceil((1 - tail) * resamples) - 1] ?? Number.NaN];
}

/** Mulberry32 (Tommy Ettinger, public domain): the same seed, the same numbers. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
