import type { Rule } from '../alert/rule.ts';
import { spellOut } from '../alert/symbols.ts';
import { UserError } from '../language/errors.ts';
import { type Compiled, compile } from './compile.ts';
import type { Changed } from './facts.ts';
import { type FeedName, feedNames } from './feed.ts';
import { type MetricName, metricOf } from './metrics.ts';

/** One question: is this rule true of this symbol? Undefined: of the whole market. */
export interface Pair {
  readonly compiled: Compiled;
  readonly symbol: string | undefined;
}

/** Rules about the same symbols, by what they are about. */
interface Shelf {
  /** Null: about the whole market. */
  readonly symbols: readonly string[] | null;
  readonly byMetric: Map<MetricName, Set<Compiled>>;
}

/**
 * All rules, found by what they are about, so that only those are asked whose facts have changed. Paused ones are
 * not in it, nor those that this version cannot read.
 */
export class RuleBook {
  readonly #rules = new Map<string, Compiled>();
  /** Id → market ms; most rules have no end. */
  readonly #expiring = new Map<string, number>();
  readonly #shelves = new Map<string, Shelf>();

  get size(): number {
    return this.#rules.size;
  }

  get(id: string): Compiled | undefined {
    return this.#rules.get(id);
  }

  put(rule: Rule): void {
    this.remove(rule.id);
    if (rule.paused) return;
    const compiled = readable(rule);
    if (compiled === undefined) return;
    this.#rules.set(rule.id, compiled);
    if (rule.expiresAt !== null) this.#expiring.set(rule.id, rule.expiresAt);
    const { symbols, key } = shelfOf(compiled);
    const shelf = this.#shelves.get(key) ?? { symbols, byMetric: new Map() };
    this.#shelves.set(key, shelf);
    for (const metric of compiled.metrics) {
      const there = shelf.byMetric.get(metric);
      if (there === undefined) shelf.byMetric.set(metric, new Set([compiled]));
      else there.add(compiled);
    }
  }

  remove(id: string): void {
    const compiled = this.#rules.get(id);
    if (compiled === undefined) return;
    this.#rules.delete(id);
    this.#expiring.delete(id);
    const { key } = shelfOf(compiled);
    const shelf = this.#shelves.get(key);
    if (shelf === undefined) return;
    for (const metric of compiled.metrics) {
      const there = shelf.byMetric.get(metric);
      there?.delete(compiled);
      if (there?.size === 0) shelf.byMetric.delete(metric);
    }
    if (shelf.byMetric.size === 0) this.#shelves.delete(key);
  }

  /** Takes those out whose time is over: nothing is asked for them any more. */
  expire(now: number): void {
    for (const [id, at] of this.#expiring) if (at <= now) this.remove(id);
  }

  /** What must be asked of the data service, and about which symbols; those of no symbol have none. */
  needs(universe: readonly string[]): ReadonlyMap<FeedName, ReadonlySet<string>> {
    const needs = new Map<FeedName, Set<string>>();
    for (const { symbols, byMetric } of this.#shelves.values()) {
      const spelled = symbols === null ? [] : spell(symbols, universe);
      for (const metric of byMetric.keys()) {
        const { feed, about } = metricOf(metric);
        const asked = needs.get(feed) ?? new Set();
        needs.set(feed, asked);
        if (about === 'symbol') for (const symbol of spelled) asked.add(symbol);
      }
    }
    // In one order whatever the order of the rules, so that a replay asks as another does.
    return new Map(
      feedNames.flatMap((name) => (needs.has(name) ? [[name, needs.get(name) ?? new Set()]] : [])),
    );
  }

  /** Questions whose answer may have changed, each once. */
  *touched(changed: readonly Changed[], universe: readonly string[]): Generator<Pair> {
    const market = new Set<MetricName>();
    const ofSymbol = new Map<MetricName, Set<string>>();
    for (const { metric, symbol } of changed) {
      if (symbol === undefined || metricOf(metric).about === 'market') market.add(metric);
      else ofSymbol.set(metric, (ofSymbol.get(metric) ?? new Set()).add(symbol));
    }
    for (const { symbols, byMetric } of this.#shelves.values()) {
      const moved = [...byMetric.keys()].filter((metric) => market.has(metric) || ofSymbol.has(metric));
      if (moved.length === 0) continue;
      for (const symbol of symbols === null ? [undefined] : spell(symbols, universe)) {
        const sets = moved
          .filter((metric) => market.has(metric) || ofSymbol.get(metric)?.has(symbol ?? ''))
          .flatMap((metric) => byMetric.get(metric) ?? []);
        for (const [index, set] of sets.entries()) {
          for (const compiled of set) {
            const asked = index > 0 && sets.slice(0, index).some((earlier) => earlier.has(compiled));
            if (!asked) yield { compiled, symbol };
          }
        }
      }
    }
  }
}

/** Whether that is still a question of the rule; where no market is known yet, it is as it was. */
export function asks({ compiled, symbol }: Pair, universe: readonly string[]): boolean {
  const { symbols } = shelfOf(compiled);
  if (symbols === null || symbol === undefined) return symbols === null && symbol === undefined;
  return universe.length === 0 || spell(symbols, universe).includes(symbol);
}

/** `*` stands for everything tracked. */
const spell = (symbols: readonly string[], universe: readonly string[]): readonly string[] =>
  symbols.includes('*') ? universe : spellOut(symbols, { universe, followed: [] });

function shelfOf({ about, rule }: Compiled): { readonly key: string; readonly symbols: Shelf['symbols'] } {
  const symbols = about === 'market' ? null : rule.symbols;
  return { key: JSON.stringify(symbols), symbols };
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
    .some(({ about, feed }) => about === 'market' && (feed === 'overview' || feed === 'quality'));
  const needs = [...bookOf(rules).needs(tracked).values()];
  return fromAll ? tracked : tracked.filter((symbol) => needs.some((symbols) => symbols.has(symbol)));
}
