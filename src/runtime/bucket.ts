/** One use of a limit. */
interface Use<Lane> {
  readonly at: number;
  readonly cost: number;
  readonly lane: Lane | undefined;
}

interface Fit<Lane> {
  /** The most that all uses in any window may cost together, and the length of the window; absent: the longest one. */
  readonly max: number;
  readonly per?: number | undefined;
  /** What the next use costs. Absent: 1. */
  readonly cost?: number | undefined;
  /** Absent: the uses of all lanes count. */
  readonly lane?: Lane | undefined;
}

/**
 * The uses of one limit in rolling windows, rather than a bucket that is refilled: who counts over a sliding window refuses
 * the burst that such a bucket allows.
 */
export class Bucket<Lane = never> {
  /** In order of time. Those before `#first` have expired; they are removed many at once, because moving the rest is costly. */
  readonly #uses: Use<Lane>[] = [];
  readonly #longest: number;
  #first = 0;

  /** @param longest the longest window that is asked about, ms */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Returns the uses in the longest window that ends at `now`, in order of time. */
  uses(now: number): readonly Use<Lane>[] {
    this.#expire(now);
    return this.#uses.slice(this.#first);
  }

  /** Returns the ms until one more use fits; 0: it does now. One that costs more than `max` fits when nothing else counts. */
  wait(now: number, { max, per = this.#longest, cost = 1, lane }: Fit<Lane>): number {
    this.#expire(now);
    let left = Math.max(max, cost) - cost;
    for (let index = this.#uses.length - 1; index >= this.#first; index -= 1) {
      const use = this.#uses[index] as Use<Lane>;
      if (use.at <= now - per) return 0;
      if (lane !== undefined && use.lane !== lane) continue;
      left -= use.cost;
      if (left < 0) return use.at + per - now;
    }
    return 0;
  }

  add(at: number, { cost = 1, lane }: Pick<Fit<Lane>, 'cost' | 'lane'> = {}): Use<Lane> {
    const use = { at, cost, lane };
    const after = this.#uses.findLastIndex((other) => other.at <= at) + 1;
    this.#uses.splice(Math.max(after, this.#first), 0, use);
    return use;
  }

  /** Takes a use back, unless it has expired. */
  remove(use: Use<Lane>): void {
    const index = this.#uses.indexOf(use, this.#first);
    if (index >= 0) this.#uses.splice(index, 1);
  }

  #expire(now: number): void {
    const begin = now - this.#longest;
    while (this.#first < this.#uses.length && (this.#uses[this.#first] as Use<Lane>).at <= begin)
      this.#first += 1;
    if (2 * this.#first <= this.#uses.length) return;
    this.#uses.splice(0, this.#first);
    this.#first = 0;
  }
}

/** The most keys remembered. Beyond it the one used longest ago is forgotten, and so starts anew. */
const maxKeys = 10_000;

/**
 * Buckets by key that are refilled: `burst` uses at once, and one more after each `interval` ms. One number is kept for each
 * that is not full, so that very many may be in use.
 */
export function createRefills({ burst, interval }: { readonly burst: number; readonly interval: number }) {
  /** When all uses of a key are available again. */
  const fullAt = new Map<string, number>();
  const keep = (key: string, until: number, now: number) => {
    fullAt.delete(key);
    if (until > now) fullAt.set(key, until);
    for (const [other, otherUntil] of fullAt) {
      if (otherUntil > now && fullAt.size <= maxKeys) break;
      fullAt.delete(other);
    }
  };
  return {
    /** Takes one use of the key. Returns 0 if there is one, else the ms to wait. */
    take(key: string, now: number): number {
      const kept = fullAt.get(key) ?? 0;
      // What lies further ahead is of a clock that was set back since.
      const before = kept > now + burst * interval ? now : Math.max(kept, now);
      const wait = before + interval - now - burst * interval;
      if (wait > 0) return wait;
      keep(key, before + interval, now);
      return 0;
    },
    giveBack: (key: string, now: number): void => keep(key, (fullAt.get(key) ?? 0) - interval, now),
  };
}
