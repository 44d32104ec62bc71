import { z } from 'zod';
import { severities } from '../alert/alert.ts';
import type { Compiled } from './compile.ts';
import type { View } from './expression.ts';

/**
 * What is remembered of a pair of rule and symbol that is not idle. `holding`: the condition is true, but not for long
 * enough, or by facts that are too old to be sure. `firing`: it has an open alert. `done`: the rule fires only once,
 * and its alert has ended.
 */
const entry = z.object({
  phase: z.enum(['holding', 'firing', 'done']),
  /** When the phase began, market ms. */
  since: z.number(),
  /** While it is `holding`: the condition that is true. */
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

/** Returns the ids of rules that fire only once, have fired, and have no open alert. */
export const endedRuleIds = (entries: RuleEntries): string[] =>
  Object.entries(entries).flatMap(([id, symbols]) => {
    const phases = Object.values(symbols).map(({ phase }) => phase);
    return phases.includes('done') && !phases.includes('firing') ? [id] : [];
  });

export const hasFired = (symbols: RuleEntries[string] | undefined): boolean =>
  Object.values(symbols ?? {}).some(({ phase }) => phase === 'firing' || phase === 'done');

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
    entry: { phase: 'firing', since: now, alert: { receiver: rule.receiver, severity: rule.severity } },
    report: {},
  });
  // If the condition was changed, the time for which the old one was true does not count.
  const past = kept?.phase === 'holding' && kept.condition !== rule.condition ? holding : kept;
  if (past === undefined || past.phase === 'holding') {
    const holds = once ? false : condition.test(seen);
    if (past === undefined && !once)
      return rule.hold > 0 || holds === undefined ? { entry: holding } : fire();
    if (past === undefined || holds === false) return {};
    return holds === true && now - past.since >= rule.hold ? fire() : { entry: past };
  }
  if (past.phase === 'done' || compiled.clear().test(seen) !== true) return { entry: past };
  const report = { lasted: now - past.since };
  return rule.mode === 'once' ? { report, entry: { phase: 'done', since: now } } : { report };
}
