import { z } from 'zod';
import { severities } from '../alert/alert.ts';
import type { Rule } from '../alert/rule.ts';
import type { Compiled } from './compile.ts';
import type { View } from './expression.ts';
import { maxClockSkew } from './facts.ts';
import type { RuleIndex } from './rule-index.ts';

/**
 * What is remembered of a pair of rule and symbol that is not idle. `holding`: the condition is true, but not for long
 * enough, or by facts that are too old to be sure. `firing`: it has an open alert. `done`: the rule fires only once,
 * and its alert has ended.
 */
const entry = z.object({
  phase: z.enum(['holding', 'firing', 'done']),
  /** When the phase began, market ms. */
  since: z.number(),
  /** The condition that became true. Absent: the entry is from an earlier version, and counts as unchanged. */
  condition: z.string().optional(),
  /** While it is `firing`: what is needed to end its alert when the rule has been deleted. */
  alert: z
    .object({
      receiver: z.object({
        notifier: z.string(),
        address: z.record(z.string(), z.union([z.string(), z.number()])),
      }),
      severity: z.enum(severities),
    })
    .optional(),
});
export type RuleEntry = z.output<typeof entry>;

/**
 * What is remembered, by rule and then by symbol, or '' for the whole market. Idle pairs, which are nearly all, are
 * left out.
 */
export const ruleEntries = z.record(z.string(), z.record(z.string(), entry));
export type RuleEntries = z.output<typeof ruleEntries>;

/** Returns whether the rule was changed since the entry's alert fired, so that the entry no longer counts. */
export function isOutdated({ phase, condition }: RuleEntry, rule: Pick<Rule, 'condition' | 'mode'>): boolean {
  if (phase === 'holding') return false;
  const isOfAnother = condition !== undefined && condition !== rule.condition;
  return isOfAnother || (phase === 'done' && rule.mode !== 'once');
}

type Symbols = RuleEntries[string];
const currentPhases = (symbols: Symbols, rule: Rule): readonly RuleEntry['phase'][] =>
  Object.values(symbols).flatMap((each) => (isOutdated(each, rule) ? [] : [each.phase]));

/** Returns the ids of those rules that fire only once, have fired, and have no open alert. */
export const endedRuleIds = (entries: RuleEntries, rules: Pick<RuleIndex, 'get'>): string[] =>
  Object.entries(entries).flatMap(([id, symbols]) => {
    const rule = rules.get(id)?.rule;
    const phases = rule === undefined ? [] : currentPhases(symbols, rule);
    return phases.includes('done') && !phases.includes('firing') ? [id] : [];
  });

export const hasFired = (symbols: Symbols | undefined, rule: Rule): boolean =>
  currentPhases(symbols ?? {}, rule).some((phase) => phase !== 'holding');

/** The outcome of judging a rule for a symbol. */
interface Step {
  /** The next entry. The same object as before: nothing changes. Absent: the pair is idle again. */
  readonly entry?: RuleEntry;
  /** What to report. Absent: nothing. With `lasted`: the alert has ended after so many ms. Without: it begins. */
  readonly report?: { readonly lasted?: number };
}

interface Case {
  readonly compiled: Compiled;
  /** The present facts, without those that are too old to report. */
  readonly seen: View;
  /** The rule fires only once, and has fired already. */
  readonly once: boolean;
  readonly now: number;
}

/**
 * Judges a rule for a symbol.
 *
 * @param kept what is remembered of the pair; undefined: it was idle, and its condition became true, maybe by facts
 * that are too old to report
 */
export function step(kept: RuleEntry | undefined, { compiled, seen, once, now }: Case): Step {
  const { rule, condition } = compiled;
  const holding: RuleEntry = { phase: 'holding', since: now, condition: rule.condition };
  const fire = (): Step => ({
    entry: {
      phase: 'firing',
      since: now,
      condition: rule.condition,
      alert: { receiver: rule.receiver, severity: rule.severity },
    },
    report: {},
  });
  const isAhead = kept !== undefined && kept.since > now + maxClockSkew;
  const known = isAhead ? { ...kept, since: now } : kept;
  // If the condition was changed, the time for which the old one was true does not count.
  const past = known?.phase === 'holding' && known.condition !== rule.condition ? holding : known;
  if (past === undefined || past.phase === 'holding') {
    const holds = once ? false : condition.test(seen);
    if (past === undefined && !once)
      return rule.hold > 0 || holds === undefined ? { entry: holding } : fire();
    if (past === undefined || holds === false) return {};
    return holds === true && now - past.since >= rule.hold ? fire() : { entry: past };
  }
  if (past.phase === 'done' || compiled.clear().test(seen) !== true) return { entry: past };
  const report = { lasted: now - past.since };
  if (rule.mode !== 'once') return { report };
  return { report, entry: { phase: 'done', since: now, condition: rule.condition } };
}
