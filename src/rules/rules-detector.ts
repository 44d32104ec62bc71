import { z } from 'zod';
import type { Change } from '../alert/alert.ts';
import { ownRule, type Rule } from '../alert/rule.ts';
import { defineDetector } from '../detectors/detector.ts';
import { msg, typed } from '../language/text.ts';
import { minute, second } from '../runtime/units.ts';
import { feeds } from './all-feeds.ts';
import { compile } from './compile.ts';
import { ruleEntries } from './entries.ts';
import type { AskedAt, gather, Needs } from './gather.ts';
import { refreshInputs, ruleInputs } from './inputs.ts';
import { metricOf } from './metrics.ts';
import { judgeRound } from './round.ts';
import type { RuleIndex } from './rule-index.ts';

/** How long the alerts that one rule begins are gathered into one post, ms. */
export const ruleGroupWait = 30 * second;

/** Requests about single symbols in a minute's round: they are 60 of the 300 requests in 15 minutes. */
const requestsPerRound = 4;

const options = z.object({
  requests: z.int().min(0).max(100).default(requestsPerRound),
});

/** How often most figures of single symbols are published, ms. */
const publishedEvery = 5 * minute;

/**
 * Returns how many requests about single symbols a round makes. The first minute after a publication makes those of the last
 * minute before the next one as well, whose figures would be oldest: they are 45 s younger on average. Where nothing was
 * asked since the publication (a new rule, or a schedule of its own), the last minute asks as any other.
 */
function requestsAt(now: number, requests: number, asked: AskedAt) {
  const published = Math.floor(now / publishedEvery) * publishedEvery;
  if (now < published + minute) return 2 * requests;
  const isLast = now >= published + publishedEvery - minute;
  return isLast && Object.values(asked).some((at) => at >= published) ? 0 : requests;
}

const ownRules = {
  name: ownRule,
  description: msg('Your own alerts, set with "{alertCreate}"', { alertCreate: typed('alert create') }),
  preset: 'quiet',
  schedule: '15 * * * * *',
  groupWait: ruleGroupWait,
  prediction: null,
  options,
} as const;

/**
 * Returns how a replay judges rules: every minute, as live, if one of them needs what is new every minute or holds for minutes.
 * Otherwise every five minutes, which is how often the other data changes, because a person waits for it. Each of these rounds is
 * a first one after a publication and asks twice as much as the option says; together that is what a minute's rounds ask live.
 * With more, a rule over many markets would be credited with what the bot would not have seen.
 */
export function ruleReplay(rules: readonly Rule[]): {
  readonly schedule: string;
  readonly options: z.output<typeof options>;
} {
  const needsMinutes = rules.some(
    (rule) =>
      rule.hold % publishedEvery !== 0 ||
      compile(rule).metrics.some((metric) => feeds[metricOf(metric).feed].interval < publishedEvery),
  );
  return needsMinutes
    ? { schedule: ownRules.schedule, options: options.parse({}) }
    : {
        schedule: '15 */5 * * * *',
        options: options.parse({ requests: (requestsPerRound * publishedEvery) / minute / 2 }),
      };
}

/**
 * Makes a detector that reads the market for people's own rules and judges none of them: the process that judges them reads
 * the facts that it found.
 * @param needs returns what is needed by all rules that there are at `now`, market ms
 */
export const factsDetector = (needs: (now: number) => Promise<Needs>) =>
  defineDetector({
    ...ownRules,
    state: ruleInputs,
    async observe({ data, options: { requests }, state, now, signal }) {
      const most = requestsAt(now, requests, state?.asked ?? {});
      return refreshInputs(state, { needs: await needs(now), data, requests: most, now, signal });
    },
    step: (_before, known) => ({ state: known, changes: [] }),
  });

const state = ruleInputs.extend({ entries: ruleEntries });

/** Makes a detector that reads the market for the given rules and judges them as well, as a replay of the past needs it. */
export const rulesDetector = ({
  ruleIndex,
  universe,
  ask,
}: {
  readonly ruleIndex: () => RuleIndex;
  /** Tracked symbols, the largest volume first. */
  readonly universe: () => readonly string[];
  /** Gets the readings. Left out: `gather`, which asks the data service. */
  readonly ask?: typeof gather | undefined;
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
      const known = await refreshInputs(before, {
        needs,
        metrics: rules.metrics(),
        data,
        requests: requestsAt(now, requests, before?.asked ?? {}),
        now,
        signal,
        ask,
      });
      const judged = { facts: before?.facts ?? {}, entries: before?.entries ?? {} };
      const round = await judgeRound(rules, { judged, facts: known.facts, tracked, now });
      return { state: { ...known, entries: round.judged.entries }, changes: round.changes };
    },
    step: (_before, round) => round,
  });
