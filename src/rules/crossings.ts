import type { Compiled } from './compile.ts';
import type { FactMove } from './facts.ts';
import type { MetricName } from './metrics.ts';

interface Row {
  readonly level: number;
  readonly compiled: Compiled;
}

/**
 * The rules about one metric, sorted by the levels that they compare it with. When the metric's value moves, this finds
 * the rules that the move may have made true.
 */
export class Crossings {
  readonly #metric: MetricName;
  readonly #rules = new Set<Compiled>();
  /** The rules that any change of the metric may make true. */
  readonly #unranked = new Set<Compiled>();
  /** The other rules, a row for each of their levels, sorted by level. */
  #ranked: readonly Row[] = [];
  #added: Row[] = [];
  #removed = false;

  constructor(metric: MetricName) {
    this.#metric = metric;
  }

  get size(): number {
    return this.#rules.size;
  }

  add(compiled: Compiled): void {
    this.#rules.add(compiled);
    // A change of the metric cannot make a rule true that names it only in its clear condition.
    if (!compiled.condition.metrics.includes(this.#metric)) return;
    const levels = compiled.levels.get(this.#metric);
    if (levels === undefined) this.#unranked.add(compiled);
    else for (const level of levels) this.#added.push({ level, compiled });
  }

  remove(compiled: Compiled): void {
    this.#unranked.delete(compiled);
    this.#removed = this.#rules.delete(compiled) || this.#removed;
  }

  /** Returns the rules that a move from one value to another may make true; some more than once. */
  *crossed({ from, to }: FactMove): Generator<Compiled> {
    yield* this.#unranked;
    if (typeof from !== 'number' || typeof to !== 'number') return;
    const rows = this.#rank();
    const highest = Math.max(from, to);
    for (let at = firstIndexFrom(rows, Math.min(from, to)); at < rows.length; at += 1) {
      const row = rows[at];
      if (row === undefined || row.level > highest) return;
      yield row.compiled;
    }
  }

  /**
   * Returns the rows sorted by level. Rules that were added or removed since the last call are sorted in together,
   * because that happens rarely and mostly to many.
   */
  #rank(): readonly Row[] {
    if (this.#added.length === 0 && !this.#removed) return this.#ranked;
    const remaining = this.#removed
      ? [...this.#ranked, ...this.#added].filter(({ compiled }) => this.#rules.has(compiled))
      : [...this.#ranked, ...this.#added];
    this.#ranked = remaining.sort((a, b) => a.level - b.level);
    this.#added = [];
    this.#removed = false;
    return this.#ranked;
  }
}

/** Returns the index of the first row at or above a level. */
function firstIndexFrom(rows: readonly Row[], level: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.level ?? 0) < level) low = middle + 1;
    else high = middle;
  }
  return low;
}
