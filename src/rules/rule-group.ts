import { expandGroups } from '../alert/symbols.ts';
import type { Compiled } from './compile.ts';
import { Crossings } from './crossings.ts';
import type { FactMoves } from './facts.ts';
import type { MetricName } from './metrics.ts';

/** A rule and a symbol to judge it for; undefined: the whole market. */
export interface Pair {
  readonly compiled: Compiled;
  readonly symbol: string | undefined;
}

/** What rules about the whole market are judged for: no symbol, which is undefined. */
const marketOnly: ReadonlySet<undefined> = new Set([undefined]);

/** Rules about the same symbols, by the metrics that they name. */
export class RuleGroup {
  readonly key: string;
  /** Symbols and groups of symbols; null: the whole market. */
  readonly symbols: readonly string[] | null;
  readonly byMetric = new Map<MetricName, Crossings>();
  #spelled: { readonly universe: readonly string[]; readonly symbols: ReadonlySet<string> } | undefined;

  constructor(key: string, symbols: readonly string[] | null) {
    this.key = key;
    this.symbols = symbols;
  }

  add(compiled: Compiled): void {
    for (const metric of compiled.metrics) {
      this.byMetric.getOrInsertComputed(metric, () => new Crossings(metric)).add(compiled);
    }
  }

  remove(compiled: Compiled): void {
    for (const metric of compiled.metrics) {
      const crossings = this.byMetric.get(metric);
      crossings?.remove(compiled);
      if (crossings?.size === 0) this.byMetric.delete(metric);
    }
  }

  /** Returns the symbols that the rules are about, with groups replaced by their symbols. */
  expandedSymbols(universe: readonly string[]): ReadonlySet<string | undefined> {
    const { symbols } = this;
    if (symbols === null) return marketOnly;
    if (this.#spelled?.universe !== universe) {
      // `*` stands for everything tracked.
      const spelled = symbols.includes('*') ? universe : expandGroups(symbols, universe, []);
      this.#spelled = { universe, symbols: new Set(spelled) };
    }
    return this.#spelled.symbols;
  }

  /** Returns the pairs that these moves may have made true, each once. */
  affectedPairs(moves: FactMoves, universe: readonly string[]): readonly Pair[] {
    const pairs: Pair[] = [];
    for (const symbol of this.expandedSymbols(universe)) {
      // A rule may be reached by several levels, and by several metrics.
      const reached = new Set<Compiled>();
      for (const [metric, crossings] of this.byMetric) {
        const moveBySymbol = moves.get(metric);
        const move = moveBySymbol?.get(symbol) ?? moveBySymbol?.get(undefined);
        if (move === undefined) continue;
        for (const compiled of crossings.crossed(move)) {
          if (reached.has(compiled)) continue;
          reached.add(compiled);
          pairs.push({ compiled, symbol });
        }
      }
    }
    return pairs;
  }
}
