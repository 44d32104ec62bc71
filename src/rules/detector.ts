import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { severities } from '../alert/alert.ts';
import { ownRule } from '../alert/rule.ts';
import { defineDetector } from '../detectors/detector.ts';
import { msg } from '../language/text.ts';
import { second } from '../runtime/units.ts';
import { asks, type Pair, type RuleBook } from './book.ts';
import { type KnownFacts, knownFacts, learn, viewer } from './facts.ts';
import { type AskedAt, gather } from './gather.ts';
import { metricOf } from './metrics.ts';
import { endedUnseen, inBursts, told } from './tell.ts';

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
  told: z
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

const state = z.object({
  facts: knownFacts,
  asked: z.record(z.string(), z.number()),
  /** Rule → symbol, or '' for the whole market → what is remembered. Idle ones, mostly all, are not there. */
  entries: z.record(z.string(), z.record(z.string(), entry)),
});

/**
 * What was found of a rule about a symbol that became true, also by facts too old to be told, or is not idle. Undefined:
 * not known.
 */
interface Verdict extends Pair {
  readonly holds: boolean | undefined;
  readonly over: boolean | undefined;
}

export interface RulesObserved {
  readonly facts: KnownFacts;
  readonly asked: AskedAt;
  readonly verdicts: readonly Verdict[];
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
}

/** Pairs looked at before others have their turn: some milliseconds. */
const slice = 500;

/**
 * People's own rules as one detector. It is edge-triggered: a rule fires when its condition becomes true, by facts
 * known before and now, and is over when its clear condition is true. What is not known changes nothing.
 *
 * `observe` asks only what rules need, and puts to them only the facts that changed; what they answer is reduced by
 * `step`. The longer part, the asking, is in `observe`, because that may yield.
 */
export const rulesDetector = ({ book, universe, ended, gather: ask = gather }: RuleSource) =>
  defineDetector<typeof options, typeof state, RulesObserved>({
    name: ownRule,
    description: msg('Conditions that people set for themselves with "alert create"'),
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
      const over = Object.entries(entries).flatMap(([id, symbols]) => {
        const phases = Object.values(symbols).map(({ phase }) => phase);
        return rules.get(id) !== undefined && phases.includes('done') && !phases.includes('firing')
          ? [id]
          : [];
      });
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
      const { facts, changed } = learn(state?.facts ?? {}, readings, {
        now,
        useful: ({ metric, symbol }) => {
          const symbols = needs.get(metricOf(metric).feed);
          return metricOf(metric).about === 'market'
            ? symbols !== undefined
            : symbols?.has(symbol ?? '') === true;
        },
      });

      const view = viewer(facts, now);
      const lastKnown = viewer(facts);
      const earlier = viewer(state?.facts ?? {});
      const verdicts: Verdict[] = [];
      let looked = 0;
      for (const { compiled, symbol } of rules.touched(changed, tracked)) {
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
      return { facts, asked, verdicts };
    },

    step(before, { facts, asked, verdicts }, { now }) {
      const entries: Record<string, Record<string, Entry>> = {};
      const changes = [];
      const seen = new Map<string, Verdict>();
      for (const verdict of verdicts)
        seen.set(`${verdict.compiled.rule.id} ${verdict.symbol ?? ''}`, verdict);
      const keep = (id: string, symbol: string, kept: Entry) => {
        entries[id] ??= {};
        entries[id][symbol] = kept;
      };
      const toldBefore = (id: string) =>
        Object.values(before?.entries[id] ?? {}).some(({ phase }) => phase === 'firing' || phase === 'done');

      for (const [id, symbols] of Object.entries(before?.entries ?? {})) {
        for (const [symbol, past] of Object.entries(symbols)) {
          const verdict = seen.get(`${id} ${symbol}`);
          // Its rule was deleted, paused or changed, or its time is over: nobody is told anew.
          if (verdict === undefined && past.told !== undefined)
            changes.push(endedUnseen({ id, ...past.told }, symbol === '' ? undefined : symbol, now));
        }
      }
      for (const verdict of verdicts) {
        const { compiled, symbol, holds, over } = verdict;
        const { rule } = compiled;
        const key = symbol ?? '';
        const kept = before?.entries[rule.id]?.[key];
        const holding: Entry = { phase: 'holding', since: now, condition: rule.condition };
        // Another condition has not held yet.
        const past = kept?.phase === 'holding' && kept.condition !== rule.condition ? holding : kept;
        const once = rule.mode === 'once' && toldBefore(rule.id);
        const fire = () => {
          changes.push(told(verdict, facts, { now }));
          keep(rule.id, key, {
            phase: 'firing',
            since: now,
            told: { receiver: rule.receiver, severity: rule.severity },
          });
        };
        if (past === undefined) {
          if (once) continue;
          if (rule.hold > 0 || holds === undefined) keep(rule.id, key, holding);
          else fire();
        } else if (past.phase === 'holding') {
          if (holds === false || once) continue;
          if (holds === true && now - past.since >= rule.hold) fire();
          else keep(rule.id, key, past);
        } else if (past.phase === 'firing' && over === true) {
          changes.push(told(verdict, facts, { now, lasted: now - past.since }));
          if (rule.mode === 'once') keep(rule.id, key, { phase: 'done', since: now });
        } else {
          keep(rule.id, key, past);
        }
      }
      return { state: { facts, asked: { ...asked }, entries }, changes: inBursts(changes, now) };
    },
  });
