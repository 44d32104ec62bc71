import type { Rule } from '../alert/rule.ts';
import { msg, type Text } from '../language/text.ts';
import { gatherSeen } from '../rules/past-readings.ts';
import { symbolsOf } from '../rules/rule-index.ts';
import type { Patience } from '../runtime/patience.ts';
import { hour, minute } from '../runtime/units.ts';
import type { PreviewsOptions } from './create-previews.ts';
import type { PastAlerts } from './past-alerts.ts';
import { noData, replayRule } from './replay-rule.ts';
import type { SlicePause, Slices } from './slices.ts';

/** How many rules may wait while another is replayed. */
const maxWaiting = 3;
/** How many rules' pasts are cached. */
const maxCached = 20;
/** How long a rule's replay may take, wall ms. */
const longestRule = 2 * minute;
/** How long a rule's past is cached, wall ms. */
const cachedFor = 30 * minute;

/** The past of a rule, or why there is none. */
type RulePast = PastAlerts | { readonly why: Text };

interface RulePastsOptions
  extends Pick<PreviewsOptions, 'archive' | 'seen' | 'universe' | 'inhibitRules' | 'wall'> {
  readonly slices: Slices;
  readonly window: () => { readonly from: number; readonly to: number };
  readonly within: Patience;
  readonly closing: AbortSignal;
}

interface Replaying {
  readonly signal: AbortSignal;
  readonly pause: SlicePause;
}

/** Replays rules, one at a time. */
export function createRulePasts({
  archive,
  seen,
  universe,
  inhibitRules,
  wall,
  slices,
  window,
  within,
  closing,
}: RulePastsOptions) {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const jobs = new Map<string, { readonly begun: number; readonly past: Promise<RulePast> }>();

  async function pastOf(rule: Rule, { signal, pause }: Replaying): Promise<RulePast> {
    const { from, to } = window();
    if (archive !== undefined) {
      const choose = (tracked: readonly string[]) => symbolsOf([rule], tracked);
      const past = await archive.open({ end: to, pause, choose });
      try {
        return await replayRule(rule, { ...past, inhibitRules, from, to, signal });
      } finally {
        await past.close();
      }
    }
    const rows = await seen(rule, { window: { from, to }, signal });
    if (rows === 'many') return { why: tooMany };
    if (rows === undefined || to - rows.since < hour) return { why: notSeen };
    const given = { inhibitRules, symbols: universe(), from: rows.since, to, signal };
    return replayRule(rule, { ...given, at: () => noData, ask: gatherSeen(rows.seen) });
  }

  /** Computes the past of a rule after those of the rules before it in the queue. */
  function inTurn(rule: Rule): Promise<RulePast> {
    waiting += 1;
    const job = last.then(async () => {
      const ended = new AbortController();
      const signal = AbortSignal.any([ended.signal, closing]);
      const replayed = slices.urgently((pause) => pastOf(rule, { signal, pause }));
      const past = await within(longestRule, replayed).finally(() => ended.abort());
      return past ?? { why: tooLong };
    });
    last = job.catch(() => {}).finally(() => (waiting -= 1));
    return job;
  }

  return {
    /** Returns the cached past of the rule, or a new one; undefined if too many rules wait. */
    of(rule: Rule): Promise<RulePast> | undefined {
      const { condition, clear, symbols, hold, mode, severity } = rule;
      const key = JSON.stringify([condition, clear, symbols, hold, mode, severity]);
      const cached = jobs.get(key);
      if (cached !== undefined && wall.now() - cached.begun < cachedFor) return cached.past;
      if (waiting > maxWaiting) return undefined;
      const past = inTurn(rule);
      const forget = () => jobs.delete(key);
      past.then((result) => 'why' in result && forget(), forget);
      if (jobs.size >= maxCached) jobs.delete(jobs.keys().next().value ?? '');
      jobs.set(key, { begun: wall.now(), past });
      return past;
    },
    ended: () => last,
  };
}

const notSeen = msg(
  'No preview yet: a hosted data service has no history of this, and the bot has recorded it for less than an hour.',
);
const tooMany = msg(
  'Too many markets for a preview with a hosted data service: preview it for a few of them.',
);
const tooLong = msg('No preview: checking this rule over the past takes too long.');
