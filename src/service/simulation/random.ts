// biome-ignore-all lint/complexity/useMaxParams: drawn for every value of the market
/**
 * Random numbers without a sequence: every draw is a function of (key, index, salt). A value therefore does not depend on
 * earlier draws, and a restart continues the same market. The mixing is that of MurmurHash3 (Appleby, public domain).
 */

const mix = (hash: number, word: number): number => {
  let k = Math.imul(word, 0xcc9e2d51);
  k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  const h = hash ^ k;
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
};

const finish = (hash: number): number => {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
};

/** Returns a separate key for a named part of the market, e.g. `keyOf(seed, 'BTCUSDT')`. */
export const keyOf = (seed: number, name: string): number => {
  let hash = mix(0x9747b28c, seed | 0);
  for (let index = 0; index < name.length; index += 1) hash = mix(hash, name.charCodeAt(index));
  return finish(hash) | 0;
};

/** Returns the hash that all draws of a key at one index begin with. `index` may be as large as a time in ms. */
export const hashAt = (key: number, index: number): number =>
  mix(mix(key, index | 0), Math.floor(index / 2 ** 32));

/** Draws an integer, 0 ≤ x < 2^32. */
export const bits = (key: number, index: number, salt: number): number =>
  finish(mix(hashAt(key, index), salt));

/** Draws a uniformly distributed number, 0 ≤ x < 1. */
export const uniform = (key: number, index: number, salt: number): number =>
  uniformFrom(hashAt(key, index), salt);

/** Draws as `uniform` does. @param hash of `hashAt`, for many draws at one index */
export const uniformFrom = (hash: number, salt: number): number => finish(mix(hash, salt)) / 2 ** 32;

/**
 * Quantiles of the standard normal at the middles of 2^15 equal shares, up to ±4.2. With this table a draw is one look-up,
 * which matters because two years of a coin need millions of draws. The table is integrated outwards from the median,
 * dx = dp / density (midpoint rule).
 */
const quantiles = (() => {
  const count = 2 ** 15;
  const table = new Float64Array(count);
  const slope = (x: number) => Math.sqrt(2 * Math.PI) * Math.exp((x * x) / 2);
  let x = slope(0) * (0.5 / count);
  for (let index = count / 2; index < count; index += 1) {
    table[index] = x;
    table[count - 1 - index] = -x;
    x += slope(x + slope(x) * (0.5 / count)) / count;
  }
  return table;
})();

/** Draws from the standard normal distribution. */
export const normal = (key: number, index: number, salt: number): number =>
  normalFrom(hashAt(key, index), salt);

/** Draws as `normal` does. @param hash of `hashAt`, for many draws at one index */
export const normalFrom = (hash: number, salt: number): number =>
  quantiles[finish(mix(hash, salt + 0x10000)) >>> 17] ?? 0;

/** Returns slow noise that needs no history: standard normal at each multiple of `period` (ms), with cosines in between. */
export const drift = (key: number, time: number, period: number, salt: number): number => {
  const knot = Math.floor(time / period);
  const weight = (1 - Math.cos(Math.PI * (time / period - knot))) / 2;
  return (1 - weight) * normal(key, knot, salt) + weight * normal(key, knot + 1, salt);
};
