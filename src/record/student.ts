// biome-ignore-all lint/complexity/useMaxParams: as the formula is written, and asked in every round of a search
/**
 * Student's t distribution by the regularised incomplete beta function, whose continued fraction is computed by Lentz's
 * method (Press et al., Numerical Recipes, 3rd ed., 6.4 and 6.14.3); precise to ten digits and more.
 */

/** Returns the share of the distribution that is at least as far from 0 as `t`, on both sides together. */
export const beyond = (t: number, freedom: number): number =>
  incompleteBeta(freedom / 2, 0.5, freedom / (freedom + t * t));

/** Returns the value above which a share of the distribution lies: 0 < share ≤ 0.5. */
export function above(share: number, freedom: number): number {
  let low = 0;
  let high = 1;
  while (beyond(high, freedom) / 2 > share && high < 1e12) high *= 2;
  for (let round = 0; round < 60; round += 1) {
    const middle = (low + high) / 2;
    if (beyond(middle, freedom) / 2 > share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x));
  return x < (a + 1) / (a + b + 2)
    ? (front * fraction(a, b, x)) / a
    : 1 - (front * fraction(b, a, 1 - x)) / b;
}

function fraction(a: number, b: number, x: number): number {
  const tiny = 1e-300;
  const away = (value: number) => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m <= 300; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let step = 1;
    for (const term of [even, odd]) {
      d = 1 / away(1 + term * d);
      c = away(1 + term / c);
      step = c * d;
      result *= step;
    }
    if (Math.abs(step - 1) < 1e-13) break;
  }
  return result;
}

/** Coefficients of Lanczos' series from Numerical Recipes, 6.1. */
const lanczos = [
  76.18009172947146, -86.50532032941678, 24.01409824083091, -1.231739572450155, 0.001208650973866179,
  -0.000005395239384953,
] as const;

function logGamma(x: number): number {
  const shifted = x + 5.5;
  const series = lanczos.reduce((sum, each, index) => sum + each / (x + 1 + index), 1.000000000190015);
  return (x + 0.5) * Math.log(shifted) - shifted + Math.log((2.5066282746310007 * series) / x);
}
