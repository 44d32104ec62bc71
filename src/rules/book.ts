import type { Rule } from '../alert/rule.ts';
import { UserError } from '../language/errors.ts';
import { type Compiled, compile } from './compile.ts';
import type { FactMoves } from './facts.ts';
import { type FeedName, feedNames } from './feed.ts';
import { metricOf } from './metrics.ts';
import { type Pair, Shelf } from './shelf.ts';

/**
 * All rules, found by what they are about, so that only those are asked whom what changed may have made true. Paused
 * ones are not in it, nor those that this version cannot read.
 */
export class RuleBook {
  readonly #rules = new Map<string, { readonly compiled: Compiled; readonly shelf: Shelf }>();
  /** Id → market ms; most rules have no end. */
  readonly #expiring = new Map<string, number>();
  readonly #shelves = new Map<string, Shelf>();

  get size(): number {
    return this.#rules.size;
  }

  get(id: string): Compiled | undefined {
    return this.#rules.get(id)?.compiled;
  }

  put(rule: Rule): void {
    this.remove(rule.id);
    if (rule.paused) return;
    const compiled = readable(rule);
    if (compiled === undefined) return;
    const symbols = compiled.about === 'market' ? null : rule.symbols;
    const key = JSON.stringify(symbols);
    const shelf = this.#shelves.get(key) ?? new Shelf(key, symbols);
    this.#shelves.set(key, shelf);
    shelf.add(compiled);
    this.#rules.set(rule.id, { compiled, shelf });
    if (rule.expiresAt !== null) this.#expiring.set(rule.id, rule.expiresAt);
  }

  remove(id: string): void {
    const there = this.#rules.get(id);
    if (there === undefined) return;
    const { compiled, shelf } = there;
    this.#rules.delete(id);
    this.#expiring.delete(id);
    shelf.remove(compiled);
    if (shelf.byMetric.size === 0) this.#shelves.delete(shelf.key);
  }

  /** Takes those out whose time is over: nothing is asked for them any more. */
  expire(now: number): void {
    for (const [id, at] of this.#expiring) if (at <= now) this.remove(id);
  }

  /** What must be asked of the data service, and about which symbols; those of no symbol have none. */
  needs(universe: readonly string[]): ReadonlyMap<FeedName, ReadonlySet<string>> {
    const needs = new Map<FeedName, Set<string>>();
    for (const shelf of this.#shelves.values()) {
      for (const metric of shelf.byMetric.keys()) {
        const { feed, about } = metricOf(metric);
        const asked = needs.get(feed) ?? new Set();
        needs.set(feed, asked);
        if (about === 'market') continue;
        for (const symbol of shelf.about(universe)) if (symbol !== undefined) asked.add(symbol);
      }
    }
    // In one order whatever the order of the rules, so that a replay asks as another does.
    return new Map(
      feedNames.flatMap((name) => (needs.has(name) ? [[name, needs.get(name) ?? new Set()]] : [])),
    );
  }

  /** Whether a rule is about that symbol (undefined: about the whole market); before any market is known, it is as it was. */
  asks(
    id: string,
    { symbol, universe }: { symbol: string | undefined; universe: readonly string[] },
  ): boolean {
    const shelf = this.#rules.get(id)?.shelf;
    if (shelf === undefined) return false;
    if (shelf.symbols === null || symbol === undefined) return shelf.symbols === null && symbol === undefined;
    return universe.length === 0 || shelf.about(universe).has(symbol);
  }

  /** Questions that what moved may have made true, each once; a page for each list of symbols that rules are about. */
  *touched(moves: FactMoves, universe: readonly string[]): Generator<readonly Pair[]> {
    for (const shelf of this.#shelves.values()) yield shelf.touched(moves, universe);
  }
}

/** What the rules of all of these need: see `needs` of each. */
export function needsOf(
  books: readonly RuleBook[],
  universe: readonly string[],
): ReadonlyMap<FeedName, ReadonlySet<string>> {
  const each = books.map((book) => book.needs(universe));
  return new Map(
    feedNames.flatMap((name) => {
      const asked = each.flatMap((needs) => needs.get(name) ?? []);
      return asked.length === 0 ? [] : [[name, new Set(asked.flatMap((symbols) => [...symbols]))]];
    }),
  );
}

function readable(rule: Rule): Compiled | undefined {
  try {
    return compile(rule);
  } catch (error) {
    // Written by another version: its owner sees in the list that it cannot be read.
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** A book of exactly these. */
export function bookOf(rules: readonly Rule[]): RuleBook {
  const book = new RuleBook();
  for (const rule of rules) book.put(rule);
  return book;
}

/** Symbols that these are about; all, where they look at what the service concludes from every one it tracks. */
export function symbolsOf(rules: readonly Rule[], tracked: readonly string[]): readonly string[] {
  const fromAll = rules
    .flatMap((rule) => compile(rule).metrics.map(metricOf))
    .some(({ about, feed }) => about === 'market' && feed === 'quality');
  const needs = [...bookOf(rules).needs(tracked).values()];
  return fromAll ? tracked : tracked.filter((symbol) => needs.some((symbols) => symbols.has(symbol)));
}
