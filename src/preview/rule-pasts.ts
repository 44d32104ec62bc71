import type { Rule } from '../alert/rule.ts';
import { UserError } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import { gatherSeen } from '../rules/past-readings.ts';
import { symbolsOf } from '../rules/rule-index.ts';
import type { Patience } from '../runtime/patience.ts';
import { hour, minute } from '../runtime/units.ts';
import type { PreviewsOptions } from './create-previews.ts';
import type { PastAlerts } from './past-alerts.ts';
import { createReplayQueue } from './replay-queue.ts';
import { noData, replayRule } from './replay-rule.ts';
import type { SlicePause, Slices } from './slices.ts';

const limits = { maxWaiting: 3, maxCached: 20, cachedFor: 30 * minute };
/** How long a rule's replay may take, wall ms. */
const longestRule = 2 * minute;

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
  const queue = createReplayQueue<PastAlerts>({ ...limits, wall, closing });

  async function pastOf(rule: Rule, { signal, pause }: Replaying): Promise<PastAlerts> {
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
    if (rows === 'many') throw new UserError(tooMany);
    if (rows === undefined || to - rows.since < hour) throw new UserError(notSeen);
    const given = { inhibitRules, symbols: universe(), from: rows.since, to, signal };
    return replayRule(rule, { ...given, at: () => noData, ask: gatherSeen(rows.seen) });
  }

  async function replayInTime(rule: Rule): Promise<PastAlerts> {
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, closing]);
    const replayed = slices.urgently((pause) => pastOf(rule, { signal, pause }));
    const past = await within(longestRule, replayed).finally(() => ended.abort());
    if (past === undefined) throw new UserError(tooLong);
    return past;
  }

  return {
    /** Returns the past of the rule. @throws UserError if there is none, or too many rules wait */
    async of(rule: Rule): Promise<PastAlerts> {
      const { condition, clear, symbols, hold, mode, severity } = rule;
      const key = JSON.stringify([condition, clear, symbols, hold, mode, severity]);
      const past = queue.of(key, () => replayInTime(rule));
      if (past === undefined) throw new UserError(busy);
      return past;
    },
    ended: queue.ended,
  };
}

const notSeen = msg(
  'No preview yet: a hosted data service has no history of this, and the bot has recorded it for less than an hour.',
);
const tooMany = msg(
  'Too many markets for a preview with a hosted data service: preview it for a few of them.',
);
const busy = msg('Other previews are running: ask again in a minute.');
const tooLong = msg('No preview: checking this rule over the past takes too long.');
