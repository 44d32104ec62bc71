import { setImmediate } from 'node:timers/promises';
import { asks, type Pair, type RuleBook } from './book.ts';
import type { RuleEntries } from './entries.ts';
import { changedSince, type KnownFacts, viewer } from './facts.ts';

/**
 * What was found of a rule about a symbol that became true, also by facts too old to be told, or is not idle. Undefined:
 * not known.
 */
export interface RuleVerdict extends Pair {
  readonly holds: boolean | undefined;
  readonly over: boolean | undefined;
}

/** Pairs looked at before others have their turn: some milliseconds. */
const slice = 500;

/** What is put to the rules: facts as they are and as they were before, and what is remembered of each rule. */
interface Case {
  readonly tracked: readonly string[];
  readonly entries: RuleEntries;
  readonly before: KnownFacts;
  readonly facts: KnownFacts;
  readonly now: number;
}

/** Puts to the rules the facts that changed, and to those that are not idle how they stand. */
export async function judge(
  rules: RuleBook,
  { tracked, entries, before, facts, now }: Case,
): Promise<readonly RuleVerdict[]> {
  const view = viewer(facts, now);
  const lastKnown = viewer(facts);
  const earlier = viewer(before);
  const verdicts: RuleVerdict[] = [];
  let looked = 0;
  for (const { compiled, symbol } of rules.touched(changedSince(before, facts), tracked)) {
    looked += 1;
    if (looked % slice === 0) await setImmediate();
    const { rule, condition } = compiled;
    if (entries[rule.id]?.[symbol ?? ''] !== undefined) continue;
    if (condition.test(lastKnown(symbol)) !== true) continue;
    // True already when the rule was made, or when its facts were first known: that is no change.
    if (condition.test(earlier(symbol)) !== false) continue;
    verdicts.push({ compiled, symbol, holds: condition.test(view(symbol)), over: false });
  }
  for (const [id, symbols] of Object.entries(entries)) {
    const compiled = rules.get(id);
    if (compiled === undefined) continue;
    looked += 1;
    if (looked % slice === 0) await setImmediate();
    for (const key of Object.keys(symbols)) {
      const symbol = key === '' ? undefined : key;
      if (!asks({ compiled, symbol }, tracked)) continue;
      const seen = view(symbol);
      const holds = compiled.condition.test(seen);
      verdicts.push({ compiled, symbol, holds, over: compiled.clear().test(seen) });
    }
  }
  return verdicts;
}
