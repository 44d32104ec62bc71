import { setImmediate } from 'node:timers/promises';
import { hasFired, isOutdated, type RuleEntries, type RuleEntry, step } from './entries.ts';
import type { FactMoves, FactViews } from './facts.ts';
import type { Pair } from './rule-group.ts';
import type { RuleIndex } from './rule-index.ts';

/** A rule's condition has become true for a symbol, or its alert has ended after `lasted` ms. */
export interface RuleTransition extends Pair {
  readonly lasted?: number | undefined;
}

/**
 * Why an alert that fires is no longer judged. `rule`: its rule was deleted, paused or changed, or has expired.
 * `market`: its rule is no longer about that symbol. `data`: the symbol is no longer tracked, and nothing has been known
 * of it for `maxDataGap`.
 */
export type OrphanReason = 'rule' | 'market' | 'data';

/** An alert that fires and is no longer judged. */
interface OrphanedAlert {
  readonly rule: string;
  readonly symbol: string | undefined;
  readonly alert: NonNullable<RuleEntry['alert']>;
  readonly reason: OrphanReason;
}

interface Judged {
  /** The same object as before where nothing changed. */
  readonly entries: RuleEntries;
  readonly transitions: readonly RuleTransition[];
  readonly orphaned: readonly OrphanedAlert[];
}

/** How many pairs are judged before other work gets a turn: some milliseconds. */
const pairsPerTurn = 2_000;
/** What it costs to find the pairs of one list of symbols, as a number of pairs judged. */
const pageCost = 50;

/** What rules are judged by. */
interface Case {
  readonly tracked: readonly string[];
  /** What is remembered of each rule. */
  readonly entries: RuleEntries;
  /** The facts that changed since the rules were last judged. */
  readonly moves: FactMoves;
  /**
   * The facts when the rules were last judged, the present facts, `fresh`, the present facts without those that are too
   * old to report, and, `remembered`, without those that have been so for `maxDataGap`.
   */
  readonly earlier: FactViews;
  readonly latest: FactViews;
  readonly fresh: FactViews;
  readonly remembered: FactViews;
  readonly now: number;
}

/** Judges the rules that the changed facts may have made true, and those that are not idle. */
export async function judge(
  rules: RuleIndex,
  { tracked, entries, moves, earlier, latest, fresh, remembered, now }: Case,
): Promise<Judged> {
  let next = entries;
  const transitions: RuleTransition[] = [];
  const orphaned: OrphanedAlert[] = [];
  let pairsThisTurn = 0;
  /** Returns whether other work should get a turn, after this many more pairs. */
  const isTurnOver = (pairs: number): boolean => {
    pairsThisTurn += pairs;
    if (pairsThisTurn < pairsPerTurn) return false;
    pairsThisTurn = 0;
    return true;
  };

  /** @param entry undefined: the pair is idle again */
  const setEntry = ([id, key]: readonly [rule: string, key: string], entry: RuleEntry | undefined) => {
    if (next === entries) next = { ...entries };
    const { [key]: _, ...others } = next[id] ?? {};
    if (entry !== undefined) next[id] = { ...next[id], [key]: entry };
    else if (Object.keys(others).length > 0) next[id] = others;
    else delete next[id];
  };
  function advance(pair: Pair, kept: RuleEntry | undefined): void {
    const { compiled, symbol } = pair;
    const { rule } = compiled;
    const once = rule.mode === 'once' && hasFired(entries[rule.id], rule);
    const { entry, report: tell } = step(kept, { compiled, seen: fresh(symbol), once, now });
    if (entry !== kept) setEntry([rule.id, symbol ?? ''], entry);
    if (tell !== undefined) transitions.push({ ...pair, ...tell });
  }

  /** Returns whether the data on the pair's market has ended, as when it was delisted. A market that is tracked is unknown. */
  const isForgotten = ({ compiled, symbol }: Pair): boolean =>
    symbol !== undefined &&
    tracked.length > 0 &&
    !tracked.includes(symbol) &&
    compiled.clear().test(remembered(symbol)) === undefined;

  for (const page of rules.affectedPairs(moves, tracked)) {
    if (isTurnOver(pageCost)) await setImmediate();
    for (const pair of page) {
      if (isTurnOver(1)) await setImmediate();
      const { compiled, symbol } = pair;
      const { rule, condition } = compiled;
      const kept = entries[rule.id]?.[symbol ?? ''];
      if (kept !== undefined && !isOutdated(kept, rule)) continue;
      // The condition was true already when the rule was made, or when its facts were first known: it has not become
      // true.
      if (condition.test(latest(symbol)) !== true || condition.test(earlier(symbol)) !== false) continue;
      advance(pair, undefined);
    }
  }
  for (const id of Object.keys(entries)) {
    const compiled = rules.get(id);
    for (const [key, entry] of Object.entries(entries[id] ?? {})) {
      if (isTurnOver(1)) await setImmediate();
      const symbol = key === '' ? undefined : key;
      const isCurrent = compiled !== undefined && !isOutdated(entry, compiled.rule);
      const isAbout = isCurrent && rules.isAbout(id, { symbol, universe: tracked });
      const isLost = isAbout && entry.phase === 'firing' && isForgotten({ compiled, symbol });
      if (isAbout && !isLost) {
        advance({ compiled, symbol }, entry);
      } else {
        // The changed rule may have begun an alert of its own above.
        if (next[id]?.[key] === entry) setEntry([id, key], undefined);
        if (entry.alert !== undefined)
          orphaned.push({
            rule: id,
            symbol,
            alert: entry.alert,
            reason: isLost ? 'data' : isCurrent && symbol !== undefined ? 'market' : 'rule',
          });
      }
    }
  }
  return { entries: next, transitions, orphaned };
}
