/**
 * Which prices are believed, in one place. Between two prints, a second apart, even a crash is no larger step than this: a
 * larger one is a wrong print (a shifted decimal point, another market's price), or it is confirmed by the next seconds.
 */
const plausibleStep = 1.1;
/** A redenomination is by 100 or another power of ten from there on, and the market moves meanwhile, by no more than this. */
const redenominated = { from: 100, moved: 1.25 } as const;

const ratioOf = (a: number, b: number): number => Math.max(a / b, b / a);

/** Returns whether a price may directly follow the other. */
export const isPlausibleStep = (before: number, price: number): boolean =>
  ratioOf(before, price) <= plausibleStep;

/** Returns whether two prices of a market are of different units: between them lies no move, and nothing is told of one. */
export function isRedenominated(before: number, price: number): boolean {
  const ratio = ratioOf(before, price);
  if (!(ratio * redenominated.moved >= redenominated.from && Number.isFinite(ratio))) return false;
  const power = 10 ** Math.round(Math.log10(ratio));
  return ratioOf(ratio, power) <= redenominated.moved;
}
