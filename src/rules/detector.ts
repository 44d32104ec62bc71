import { z } from 'zod';
import type { Change } from '../alert/alert.ts';
import { ownRule } from '../alert/rule.ts';
import { defineDetector } from '../detectors/detector.ts';
import { msg } from '../language/text.ts';
import { second } from '../runtime/units.ts';
import type { RuleBook } from './book.ts';
import { advance, overOf, ruleEntries } from './entries.ts';
import { type KnownFacts, knownFacts, learn } from './facts.ts';
import { type AskedAt, gather } from './gather.ts';
import { judge, type RuleVerdict } from './judge.ts';
import { metricOf } from './metrics.ts';
import { bare, type Scene, type Subject, type setScene } from './scene.ts';
import { inBursts } from './tell.ts';
import { comparisonOf } from './words.ts';

const state = z.object({
  facts: knownFacts,
  asked: z.record(z.string(), z.number()),
  entries: ruleEntries,
});

export interface RulesObserved {
  readonly facts: KnownFacts;
  readonly asked: AskedAt;
  readonly verdicts: readonly RuleVerdict[];
  readonly scene: Scene;
}

const options = z.object({
  /** Questions about single symbols a round: 4 a minute are 60 of the 300 requests in 15 minutes. */
  requests: z.int().min(0).max(100).default(4),
});

export interface RuleSource {
  readonly book: () => RuleBook | Promise<RuleBook>;
  /** Tracked symbols, the largest volume first: what `top20` and `*` stand for. */
  readonly universe: () => readonly string[];
  /** Told of rules that were to fire once and are over; told again until they are no more in the book. */
  readonly ended: (ids: readonly string[]) => Promise<void>;
  /** Of the data service, where nothing else is said. */
  readonly gather?: typeof gather;
  /** Prices and pictures beside what is told; absent: none, as where the past is replayed. */
  readonly setScene?: typeof setScene;
}

/**
 * People's own rules as one detector. It is edge-triggered: a rule fires when its condition becomes true, by facts
 * known before and now, and is over when its clear condition is true. What is not known changes nothing.
 *
 * `observe` asks only what rules need, and puts to them only the facts that changed; what they answer is reduced by
 * `step`. The longer part, the asking, is in `observe`, because that may yield.
 */
export const rulesDetector = ({ book, universe, ended, gather: ask = gather, setScene }: RuleSource) =>
  defineDetector<typeof options, typeof state, RulesObserved>({
    name: ownRule,
    description: msg('Your own alerts, set with "alert create"'),
    preset: 'quiet',
    schedule: '15 * * * * *',
    groupWait: 30 * second,
    claim: null,
    options,
    state,

    async observe({ data, options: { requests }, state, now, signal }) {
      const rules = await book();
      rules.expire(now);
      const entries = state?.entries ?? {};
      const over = overOf(entries).filter((id) => rules.get(id) !== undefined);
      if (over.length > 0) await ended(over);

      const tracked = universe();
      const needs = rules.needs(tracked);
      const { readings, asked } = await ask(needs, {
        data,
        asked: state?.asked ?? {},
        requests,
        now,
        signal,
      });
      const { facts, changed } = learn(state?.facts ?? {}, {
        readings,
        now,
        useful: ({ metric, symbol }) => {
          const symbols = needs.get(metricOf(metric).feed);
          return metricOf(metric).about === 'market'
            ? symbols !== undefined
            : symbols?.has(symbol ?? '') === true;
        },
      });

      const before = state?.facts ?? {};
      const verdicts = await judge(rules, { tracked, entries, before, facts, changed, now });
      const { changes } = setScene ? advance(entries, { verdicts, facts, now }) : { changes: [] };
      const scene = await setScene?.(subjectsOf(changes, rules), { data, now, signal });
      return { facts, asked, verdicts, scene: scene ?? bare };
    },

    // biome-ignore lint/complexity/useMaxParams: a reducer: what was, what is seen, and by which options
    step(before, { facts, asked, verdicts, scene }, { now }) {
      const { entries, changes } = advance(before?.entries ?? {}, { verdicts, facts, scene, now });
      return { state: { facts, asked: { ...asked }, entries }, changes: inBursts(changes, now) };
    },
  });

/** What these are about, those furthest beyond their level first. */
const subjectsOf = (changes: readonly Change[], rules: RuleBook): readonly Subject[] =>
  changes
    .toSorted((a, b) => (b.annotations.prominence ?? 0) - (a.annotations.prominence ?? 0))
    .flatMap(({ labels: { rule = '', symbol } }) => {
      const compiled = rules.get(rule);
      return compiled === undefined ? [] : [{ metric: comparisonOf(compiled.condition.ast)?.metric, symbol }];
    });
