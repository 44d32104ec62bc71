import type { Rule } from '../alert/rule.ts';
import { type Compiled, compile, tryCompile } from './compile.ts';
import type { FactMoves } from './facts.ts';
import { type FeedName, feedNames } from './feed-names.ts';
import type { Needs } from './gather.ts';
import { type MetricName, metricOf } from './metrics.ts';
import { type Pair, RuleGroup } from './rule-group.ts';

/**
 * The active rules, indexed by what they are about, so that after a change only those are judged that it may have made
 * true. Paused rules, and rules that this version cannot read, are not in the index.
 */
export class RuleIndex {
  readonly #rules = new Map<string, { readonly compiled: Compiled; readonly group: RuleGroup }>();
  /** When rules expire, by id, market ms. Most rules never do. */
  readonly #expiring = new Map<string, number>();
  readonly #groups = new Map<string, RuleGroup>();
  /** The last answer of `needs`, until a rule is added or removed. */
  #needs: { readonly universe: readonly string[]; readonly needs: Needs } | undefined;

  get size(): number {
    return this.#rules.size;
  }

  get(id: string): Compiled | undefined {
    return this.#rules.get(id)?.compiled;
  }

  put(rule: Rule): void {
    this.remove(rule.id);
    if (rule.paused) return;
    const compiled = tryCompile(rule);
    if (compiled === undefined) return;
    const symbols = compiled.about === 'market' ? null : rule.symbols;
    const key = JSON.stringify(symbols);
    const group = this.#groups.getOrInsertComputed(key, () => new RuleGroup(key, symbols));
    this.#needs = undefined;
    group.add(compiled);
    this.#rules.set(rule.id, { compiled, group });
    if (rule.expiresAt !== null) this.#expiring.set(rule.id, rule.expiresAt);
  }

  remove(id: string): void {
    const known = this.#rules.get(id);
    if (known === undefined) return;
    const { compiled, group } = known;
    this.#rules.delete(id);
    this.#needs = undefined;
    this.#expiring.delete(id);
    group.remove(compiled);
    if (group.byMetric.size === 0) this.#groups.delete(group.key);
  }

  /** Removes the rules that have expired, so that no data is asked for them. */
  expire(now: number): void {
    for (const [id, at] of this.#expiring) if (at <= now) this.remove(id);
  }

  positions(): readonly Rule[] {
    return [...this.#rules.values()].flatMap(({ compiled: { rule } }) =>
      rule.position === undefined ? [] : rule,
    );
  }

  metrics(): ReadonlySet<MetricName> {
    return new Set([...this.#groups.values()].flatMap(({ byMetric }) => [...byMetric.keys()]));
  }

  /**
   * Returns the feeds that must be asked, each with the symbols that it is needed for. The set is empty where only
   * metrics of the whole market are needed. Returns the same object as long as rules and universe are the same.
   */
  needs(universe: readonly string[]): Needs {
    if (this.#needs?.universe !== universe) this.#needs = { universe, needs: this.#findNeeds(universe) };
    return this.#needs.needs;
  }

  #findNeeds(universe: readonly string[]): Needs {
    const needs = new Map<FeedName, Set<string>>();
    for (const group of this.#groups.values()) {
      for (const metric of group.byMetric.keys()) {
        const { feed, about } = metricOf(metric);
        const symbols = needs.getOrInsertComputed(feed, () => new Set());
        if (about === 'market') continue;
        for (const symbol of group.expandedSymbols(universe)) if (symbol !== undefined) symbols.add(symbol);
      }
    }
    // The order is always the same, so that all replays ask in the same order.
    return new Map([...needs].sort(([a], [b]) => feedNames.indexOf(a) - feedNames.indexOf(b)));
  }

  /**
   * Returns whether a rule is about that symbol (undefined: the whole market). As long as no market is known, all
   * symbols count.
   */
  isAbout(
    id: string,
    { symbol, universe }: { symbol: string | undefined; universe: readonly string[] },
  ): boolean {
    const group = this.#rules.get(id)?.group;
    if (group === undefined) return false;
    if (group.symbols === null || symbol === undefined) return group.symbols === null && symbol === undefined;
    return universe.length === 0 || group.expandedSymbols(universe).has(symbol);
  }

  /**
   * Yields the pairs of rule and symbol that these moves may have made true, each once; a page for each list of symbols
   * that rules are about.
   */
  *affectedPairs(moves: FactMoves, universe: readonly string[]): Generator<readonly Pair[]> {
    for (const group of this.#groups.values()) yield group.affectedPairs(moves, universe);
  }
}

export function ruleIndexOf(rules: readonly Rule[]): RuleIndex {
  const ruleIndex = new RuleIndex();
  for (const rule of rules) ruleIndex.put(rule);
  return ruleIndex;
}

/**
 * Returns the symbols that these rules depend on. They are all tracked symbols if a rule names the data quality, which
 * the service computes from all of them.
 */
export function symbolsOf(rules: readonly Rule[], tracked: readonly string[]): readonly string[] {
  const fromAll = rules
    .flatMap((rule) => compile(rule).metrics.map(metricOf))
    .some(({ about, feed }) => about === 'market' && feed === 'quality');
  const needs = [...ruleIndexOf(rules).needs(tracked).values()];
  return fromAll ? tracked : tracked.filter((symbol) => needs.some((symbols) => symbols.has(symbol)));
}
