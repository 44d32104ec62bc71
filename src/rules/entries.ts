import { z } from 'zod';
import { type Change, severities } from '../alert/alert.ts';
import type { KnownFacts } from './facts.ts';
import type { RuleVerdict } from './judge.ts';
import { bare, type Scene } from './scene.ts';
import { endedUnseen, ruleChange } from './tell.ts';

/**
 * What is remembered of a rule about a symbol while it is not idle. `holding`: true, and not for long enough, or by
 * facts too old to be sure; `done`: told once, and over.
 */
const entry = z.object({
  phase: z.enum(['holding', 'firing', 'done']),
  /** Market ms. */
  since: z.number(),
  /** Of one that holds: the condition that does. */
  condition: z.string().optional(),
  /** Of one that fires: enough to end it when its rule is no more. */
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
type Entry = z.output<typeof entry>;

/** Rule → symbol, or '' for the whole market → what is remembered. Idle ones, mostly all, are not there. */
export const ruleEntries = z.record(z.string(), z.record(z.string(), entry));
export type RuleEntries = z.output<typeof ruleEntries>;

/** Rules that were to fire once and are over. */
export const overOf = (entries: RuleEntries): string[] =>
  Object.entries(entries).flatMap(([id, symbols]) => {
    const phases = Object.values(symbols).map(({ phase }) => phase);
    return phases.includes('done') && !phases.includes('firing') ? [id] : [];
  });

/** What a round found, and what is told with it. */
interface Round {
  readonly verdicts: readonly RuleVerdict[];
  readonly facts: KnownFacts;
  readonly scene?: Scene;
  readonly now: number;
}

/** What is remembered after these verdicts, and what is told of them. */
export function advance(
  before: RuleEntries,
  { verdicts, facts, scene = bare, now }: Round,
): { readonly entries: RuleEntries; readonly changes: readonly Change[] } {
  const entries: RuleEntries = {};
  const changes = unseen(before, { verdicts, now });
  for (const verdict of verdicts) {
    const { rule } = verdict.compiled;
    const key = verdict.symbol ?? '';
    const once = rule.mode === 'once' && hasFired(before[rule.id]);
    const next = advanceOne(before[rule.id]?.[key], { ...verdict, once, now });
    if (next.tell !== undefined) changes.push(ruleChange(verdict, { facts, now, scene, ...next.tell }));
    if (next.entry === undefined) continue;
    entries[rule.id] ??= {};
    (entries[rule.id] as Record<string, Entry>)[key] = next.entry;
  }
  return { entries, changes };
}

const hasFired = (symbols: RuleEntries[string] | undefined): boolean =>
  Object.values(symbols ?? {}).some(({ phase }) => phase === 'firing' || phase === 'done');

/** Of rules that were deleted, paused or changed, or whose time is over: nobody is told anew. */
function unseen(before: RuleEntries, { verdicts, now }: Pick<Round, 'verdicts' | 'now'>): Change[] {
  const seen = new Set(verdicts.map(({ compiled, symbol }) => `${compiled.rule.id} ${symbol ?? ''}`));
  return Object.entries(before).flatMap(([id, symbols]) =>
    Object.entries(symbols).flatMap(([symbol, { alert }]) =>
      alert === undefined || seen.has(`${id} ${symbol}`)
        ? []
        : [endedUnseen({ id, ...alert }, { symbol: symbol === '' ? undefined : symbol, now })],
    ),
  );
}

interface Step {
  /** Absent: idle again. */
  readonly entry?: Entry;
  /** Absent: nothing is told. `lasted`: it is over, after so many ms. */
  readonly tell?: { readonly lasted?: number };
}

interface Verdict extends RuleVerdict {
  /** It was told already, and once was asked for. */
  readonly once: boolean;
  readonly now: number;
}

function advanceOne(kept: Entry | undefined, { compiled, holds, over, once, now }: Verdict): Step {
  const { rule } = compiled;
  const holding: Entry = { phase: 'holding', since: now, condition: rule.condition };
  const firing: Step = {
    entry: { phase: 'firing', since: now, alert: { receiver: rule.receiver, severity: rule.severity } },
    tell: {},
  };
  // Another condition has not held yet.
  const past = kept?.phase === 'holding' && kept.condition !== rule.condition ? holding : kept;
  if (past === undefined) {
    if (once) return {};
    return rule.hold > 0 || holds === undefined ? { entry: holding } : firing;
  }
  if (past.phase === 'holding') {
    if (holds === false || once) return {};
    return holds === true && now - past.since >= rule.hold ? firing : { entry: past };
  }
  if (past.phase !== 'firing' || over !== true) return { entry: past };
  const tell = { lasted: now - past.since };
  return rule.mode === 'once' ? { tell, entry: { phase: 'done', since: now } } : { tell };
}
