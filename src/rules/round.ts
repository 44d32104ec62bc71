import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Change } from '../alert/alert.ts';
import { withBursts } from '../alert/post-group.ts';
import { maxDataGap } from '../detectors/detector.ts';
import { orphanedEnd, ruleChange } from './alert-change.ts';
import { ruleEntries } from './entries.ts';
import { areLiquidations, type Evidence, noEvidence, type Subject } from './evidence.ts';
import { excessOf } from './excess.ts';
import { factKey, type KnownFacts, knownFacts, movesSince, viewsOf } from './facts.ts';
import { judge, type RuleTransition } from './judge.ts';
import type { RuleIndex } from './rule-index.ts';
import { comparisonOf } from './words.ts';

/** The facts that rules were last judged by, and what is remembered of each rule. */
export const ruleMemory = z.object({ facts: knownFacts, entries: ruleEntries });
type RuleMemory = z.output<typeof ruleMemory>;
export const emptyRuleMemory: RuleMemory = { facts: {}, entries: {} };

/** How many alerts are written before other work gets a turn: some milliseconds. */
const alertsPerTurn = 100;

/**
 * Judges rules by the present facts. A rule fires when its condition becomes true, by facts that were known before and
 * are known at present. Its alert ends when its clear condition is true. Facts that are not known change nothing. Only
 * facts that changed can make a rule fire.
 * @param gatherEvidence returns what the posts show beside the alerts; it is given what the alerts are about, those
 * furthest beyond their level first. Left out: they show nothing else
 */
export async function judgeRound(
  ruleIndex: RuleIndex,
  {
    judged: last,
    facts,
    tracked,
    now,
    gatherEvidence,
  }: {
    /** What is known from judging them last. */
    readonly judged: RuleMemory;
    readonly facts: KnownFacts;
    /** Tracked symbols, the largest volume first: `top20` and `*` stand for some of them, or all. */
    readonly tracked: readonly string[];
    /** Market ms. */
    readonly now: number;
    readonly gatherEvidence?: (subjects: readonly Subject[]) => Promise<Evidence>;
  },
): Promise<{ readonly judged: RuleMemory; readonly changes: readonly Change[] }> {
  ruleIndex.expire(now);
  const { entries, transitions, orphaned } = await judge(ruleIndex, {
    entries: last.entries,
    tracked,
    latest: viewsOf(facts),
    fresh: viewsOf(facts, now),
    remembered: viewsOf(facts, now - maxDataGap),
    moves: movesSince(last.facts, facts),
    earlier: viewsOf(last.facts),
    now,
  });
  const evidence = (await gatherEvidence?.(subjectsOf(transitions, facts))) ?? noEvidence;
  const changes = orphaned.map(({ rule, symbol, alert, reason }) =>
    orphanedEnd({ id: rule, ...alert }, { symbol, reason, now }),
  );
  for (const [index, { lasted, ...pair }] of transitions.entries()) {
    if (index % alertsPerTurn === alertsPerTurn - 1) await setImmediate();
    changes.push(ruleChange(pair, { facts, now, evidence, lasted }));
  }
  return { judged: { facts, entries }, changes: withBursts(changes, now, ({ labels }) => labels.rule ?? '') };
}

/** Returns what the transitions are about, those furthest beyond their level first. */
const subjectsOf = (transitions: readonly RuleTransition[], facts: KnownFacts): readonly Subject[] =>
  transitions
    .map(({ compiled: { condition, metrics }, symbol }) => ({
      prominence: excessOf(condition, (metric) => facts[factKey(metric, symbol)]?.value) ?? 0,
      metric: comparisonOf(condition.ast)?.metric,
      symbol,
      areLiquidations: metrics.some(areLiquidations),
    }))
    .sort((a, b) => b.prominence - a.prominence);
