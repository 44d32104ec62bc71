import { z } from 'zod';
import { severities } from '../alert/alert.ts';
import type { Compiled } from './compile.ts';
import type { View } from './expression.ts';

/**
 * What is remembered of a rule about a symbol unless it is idle. `holding`: its condition is true, but not for long
 * enough, or by facts too old to be sure. `done`: it fired once, as asked, and is over.
 */
const entry = z.object({
  phase: z.enum(['holding', 'firing', 'done']),
  /** Market ms. */
  since: z.number(),
  /** Of one that holds: the condition that does. */
  condition: z.string().optional(),
  /** For one that fires: what is needed to end its alert when the rule has been deleted. */
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

/** Rule → symbol, or '' for the whole market → what is remembered. Idle pairs, which are nearly all, are left out. */
export const ruleEntries = z.record(z.string(), z.record(z.string(), entry));
export type RuleEntries = z.output<typeof ruleEntries>;

/** Rules that were to fire once and are over. */
export const overOf = (entries: RuleEntries): string[] =>
  Object.entries(entries).flatMap(([id, symbols]) => {
    const phases = Object.values(symbols).map(({ phase }) => phase);
    return phases.includes('done') && !phases.includes('firing') ? [id] : [];
  });

export const hasFired = (symbols: RuleEntries[string] | undefined): boolean =>
  Object.values(symbols ?? {}).some(({ phase }) => phase === 'firing' || phase === 'done');

/** What judging a rule about a symbol came to. */
interface Step {
  /** The same as before: nothing changes. Absent: idle again. */
  readonly entry?: RuleEntry;
  /** Absent: nothing is told. `lasted`: it is over, after so many ms. */
  readonly tell?: { readonly lasted?: number };
}

interface Case {
  readonly compiled: Compiled;
  /** Facts as they are, but for those too old to be told. */
  readonly seen: View;
  /** It was told already, and once was asked for. */
  readonly once: boolean;
  readonly now: number;
}

/** @param kept undefined: it was idle, and its condition became true, maybe by facts too old to be told */
export function step(kept: RuleEntry | undefined, { compiled, seen, once, now }: Case): Step {
  const { rule, condition } = compiled;
  const holding: RuleEntry = { phase: 'holding', since: now, condition: rule.condition };
  const fire = (): Step => ({
    entry: { phase: 'firing', since: now, alert: { receiver: rule.receiver, severity: rule.severity } },
    tell: {},
  });
  // The condition was changed: how long the old one held says nothing.
  const past = kept?.phase === 'holding' && kept.condition !== rule.condition ? holding : kept;
  if (past === undefined || past.phase === 'holding') {
    const holds = once ? false : condition.test(seen);
    if (past === undefined && !once)
      return rule.hold > 0 || holds === undefined ? { entry: holding } : fire();
    if (past === undefined || holds === false) return {};
    return holds === true && now - past.since >= rule.hold ? fire() : { entry: past };
  }
  if (past.phase === 'done' || compiled.clear().test(seen) !== true) return { entry: past };
  const tell = { lasted: now - past.since };
  return rule.mode === 'once' ? { tell, entry: { phase: 'done', since: now } } : { tell };
}
