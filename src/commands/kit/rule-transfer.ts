import { z } from 'zod';
import { severities } from '../../alert/alert.ts';
import type { Rule } from '../../alert/rule.ts';
import { compile } from '../../rules/compile.ts';
import { checkDecides } from '../../rules/decides.ts';
import { day, msOf, parseDuration } from '../../runtime/units.ts';
import type { CommandContext } from '../../shell/command.ts';
import { checkMarkets } from './build-rule.ts';
import { makerOf } from './change.ts';

/** A rule as `export` writes it, without the fields that have their default. Times are market ms. */
export const ruleEntry = z.strictObject({
  when: z.string().trim().min(1).max(500),
  clear: z.string().trim().min(1).max(600).optional(),
  symbols: z.array(z.string().min(1).max(40)).max(100).default([]),
  /** Ms, or a length of time as people write it: 10m. */
  for: z.preprocess(
    (given) => (typeof given === 'string' ? (parseDuration(given) ?? given) : given),
    z
      .int()
      .min(0)
      .max(7 * day)
      .default(0),
  ),
  once: z.boolean().default(false),
  /** Ms, or an ISO 8601 time. */
  until: z.preprocess((given) => (typeof given === 'string' ? msOf(given) : given), z.int().optional()),
  severity: z.enum(severities).default('warning'),
  name: z.string().min(1).max(80).optional(),
  paused: z.boolean().default(false),
});

export const entryOfRule = (rule: Rule): z.input<typeof ruleEntry> => ({
  when: rule.condition,
  ...(rule.clear !== null && { clear: rule.clear }),
  ...(rule.symbols.length > 0 && { symbols: [...rule.symbols] }),
  ...(rule.hold > 0 && { for: rule.hold }),
  ...(rule.mode === 'once' && { once: true }),
  ...(rule.expiresAt !== null && { until: rule.expiresAt }),
  ...(rule.severity !== 'warning' && { severity: rule.severity }),
  ...(rule.name !== null && { name: rule.name }),
  ...(rule.paused && { paused: true }),
});

/** Reads a rule. Throws UserError if its condition cannot be read, or it needs markets and names none. */
export function ruleOfEntry(
  entry: z.output<typeof ruleEntry>,
  { caller, now }: Pick<CommandContext, 'caller' | 'now'>,
): Rule {
  const rule: Rule = {
    id: '',
    receiver: caller.receiver,
    name: entry.name ?? null,
    condition: entry.when,
    clear: entry.clear ?? null,
    symbols: entry.symbols,
    hold: entry.for,
    mode: entry.once ? 'once' : 'always',
    expiresAt: entry.until ?? null,
    severity: entry.severity,
    paused: entry.paused,
    createdBy: makerOf(caller),
    createdAt: now,
  };
  checkMarkets(rule);
  const compiled = compile(rule);
  checkDecides(compiled.condition);
  compiled.clear();
  return rule;
}

/**
 * Returns the rule that equals the given one in all that a person can set, except for its end: "until=7d" ends a little
 * later each time it is asked for.
 */
export function findSame(rule: Rule, rules: readonly Rule[]): Rule | undefined {
  const endless = (each: Rule) => textOf({ ...each, expiresAt: null });
  return rules.find((each) => endless(each) === endless(rule));
}

/** Returns the rules that differ from all existing ones, each once. */
export const newRules = (rules: readonly Rule[], existing: readonly Rule[]): readonly Rule[] => {
  const known = new Set(existing.map(textOf));
  return [...new Map(rules.map((rule) => [textOf(rule), rule])).entries()]
    .filter(([text]) => !known.has(text))
    .map(([, rule]) => rule);
};

const textOf = (rule: Rule): string => JSON.stringify(entryOfRule(rule));
