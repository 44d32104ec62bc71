/** A value and the market ms that it is of. */
export interface Measured {
  readonly value: number;
  readonly time: number;
  /** When it was taken, where that is known to be another moment: what moves is of that one. */
  readonly taken?: number;
}

/** How far two readings of one value may differ without either being wrong. */
export interface Tolerance {
  /** Relative to the larger one, where both are of one moment. */
  readonly still: number;
  /** Absolute: what writing it in so many decimals comes to, and more of what is near nothing and moves. */
  readonly grain: number;
  /** A usual change (the median's size) over `per` ms, of the value; 0 of what never changes. */
  readonly move: number;
  readonly per: number;
  /** Ms by which the two moments may miss those at which their values stood. */
  readonly blur: number;
}

export interface Compared {
  /** Published less asked, of the larger of the two: −2 to 2. */
  readonly difference: number;
  /** Up to which size it is no fault. */
  readonly allowed: number;
  readonly verdict: 'WITHIN' | 'BEYOND' | 'LATE';
}

/**
 * Prices go as a random walk: how far they are after a while grows with its root. A median change is 0.67 standard
 * deviations of a normal one, so nine of them are six deviations: an honest feed passes in all but the minutes in which
 * the market itself breaks, and then in most of a round's symbols.
 */
const moves = 9;
/** No symbol moves more than this in five minutes as a rule: a feed gone wild must not excuse itself by its wildness. */
const mostMove = 0.01;
/** The age of a value excuses a difference no further than that of so long a time. */
const longest = 15 * 60_000;

/** @param late the venue has had a newer one for so long that ours is out of date, however alike they are */
export function compare(
  { published, asked }: { readonly published: Measured; readonly asked: Measured },
  { tolerance, late = false }: { readonly tolerance: Tolerance; readonly late?: boolean },
): Compared {
  const { still, grain, move, per, blur } = tolerance;
  const larger = Math.max(Math.abs(published.value), Math.abs(asked.value));
  const difference = larger === 0 ? 0 : (published.value - asked.value) / larger;
  const apart = Math.min(Math.abs((published.taken ?? published.time) - asked.time) + blur, longest);
  const moved = moves * Math.min(move, mostMove) * Math.sqrt(apart / per);
  const rounded = larger === 0 ? 0 : grain / larger;
  const allowed = Math.max(still + moved, Math.min(rounded, 2));
  const verdict = late ? 'LATE' : Math.abs(difference) <= allowed ? 'WITHIN' : 'BEYOND';
  return { difference, allowed, verdict };
}
