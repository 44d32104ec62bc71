/**
 * Which prices are believed, in one place. Between two prints, a second apart, even a crash is no larger step than this: a
 * larger one is a wrong print (a shifted decimal point, another market's price), or it is confirmed by the next seconds.
 */
const plausibleStep = 1.1;
/**
 * How long prices must stay beyond a plausible step from the last one to be believed, ms: a wrong print is followed by right
 * ones, in a liquid market within the second.
 */
const confirmedAfter = 2_000;
/** A redenomination is by 100 or another power of ten from there on, and the market moves meanwhile, by no more than this. */
const redenominated = { from: 100, moved: 1.25 } as const;

const ratioOf = (a: number, b: number): number => Math.max(a / b, b / a);

/** Returns whether a price may follow the other after some seconds; what a market moves grows with the root of time. */
export const isPlausibleStep = (before: number, price: number, seconds = 1): boolean =>
  ratioOf(before, price) <= plausibleStep ** Math.sqrt(Math.max(1, seconds));

/** A print that is not believed yet, and when the first print like it was told, ms. */
export interface DoubtedPrice {
  readonly price: number;
  readonly since: number;
}

/**
 * Returns the doubt about a price that was told at `time`, ms; undefined: it is believed.
 * @param before the price that was believed last, when it is known to have been right, and the doubt about what was told since
 */
export function doubtAbout(
  { price, time }: { readonly price: number; readonly time: number },
  before: { readonly price: number; readonly time: number; readonly doubt?: DoubtedPrice | undefined },
): DoubtedPrice | undefined {
  if (isPlausibleStep(before.price, price, (time - before.time) / 1_000)) return undefined;
  const { doubt } = before;
  const since = doubt !== undefined && isPlausibleStep(doubt.price, price) ? doubt.since : time;
  return time - since >= confirmedAfter ? undefined : { price, since };
}

/** Returns whether two prices of a market are of different units: between them lies no move, and nothing is told of one. */
export function isRedenominated(before: number, price: number): boolean {
  const ratio = ratioOf(before, price);
  if (!(ratio * redenominated.moved >= redenominated.from && Number.isFinite(ratio))) return false;
  const power = 10 ** Math.round(Math.log10(ratio));
  return ratioOf(ratio, power) <= redenominated.moved;
}
