import { z } from 'zod';
import type { Change } from '../alert/alert.ts';
import { ownRule } from '../alert/rule.ts';
import { defineDetector } from '../detectors/detector.ts';
import { msg } from '../language/text.ts';
import { second } from '../runtime/units.ts';
import { ruleEntries } from './entries.ts';
import type { gather } from './gather.ts';
import { lookAround, type Needs, ruleInputs } from './inputs.ts';
import { judgeRound } from './round.ts';
import type { RuleIndex } from './rule-index.ts';

/** Ms for which the alerts that one rule begins are gathered into one post. */
export const ruleGroupWait = 30 * second;

const options = z.object({
  /** Questions about single symbols a round: 4 a minute are 60 of the 300 requests in 15 minutes. */
  requests: z.int().min(0).max(100).default(4),
});

const ownRules = {
  name: ownRule,
  description: msg('Your own alerts, set with "alert create"'),
  preset: 'quiet',
  schedule: '15 * * * * *',
  groupWait: ruleGroupWait,
  claim: null,
  options,
} as const;

/**
 * A detector that reads the market for people's own rules and judges none. One process asks for what the rules of all
 * need; whoever judges a share of them reads what it found.
 * @param needs of all rules there are at that time, market ms
 */
export const factsDetector = (needs: (now: number) => Promise<Needs>) =>
  defineDetector({
    ...ownRules,
    state: ruleInputs,
    async observe({ data, options: { requests }, state, now, signal }) {
      return lookAround(state, { needs: await needs(now), data, requests, now, signal });
    },
    step: (_before, known) => ({ state: known, changes: [] }),
  });

const state = ruleInputs.extend({ entries: ruleEntries });

/** These rules as a detector that looks and judges by itself, as a replay of the past needs it. */
export const rulesDetector = ({
  ruleIndex,
  universe,
  ask,
}: {
  readonly ruleIndex: () => RuleIndex;
  /** Tracked symbols, the largest volume first. */
  readonly universe: () => readonly string[];
  /** Of the data service, where nothing else is said. */
  readonly ask?: typeof gather;
}) =>
  defineDetector<
    typeof options,
    typeof state,
    { readonly state: z.output<typeof state>; readonly changes: readonly Change[] }
  >({
    ...ownRules,
    state,
    async observe({ data, options: { requests }, state: before, now, signal }) {
      const rules = ruleIndex();
      const tracked = universe();
      rules.expire(now);
      const needs = rules.needs(tracked);
      const known = await lookAround(before, {
        needs,
        data,
        requests,
        now,
        signal,
        ...(ask !== undefined && { ask }),
      });
      const judged = { facts: before?.facts ?? {}, entries: before?.entries ?? {} };
      const [round] = await judgeRound([{ ruleIndex: rules, judged }], { facts: known.facts, tracked, now });
      return { state: { ...known, entries: round?.judged.entries ?? {} }, changes: round?.changes ?? [] };
    },
    step: (_before, round) => round,
  });
