import type { InhibitRule } from '../alert/inhibit.ts';
import type { Rule } from '../alert/rule.ts';
import type { DataClient } from '../contract/data-client.ts';
import { contract, type EndpointName } from '../contract/index.ts';
import type { Detector } from '../detectors/detector.ts';
import type { gatherSeen } from '../rules/past-readings.ts';
import { ruleIndexOf } from '../rules/rule-index.ts';
import { ruleReplay, rulesDetector } from '../rules/rules-detector.ts';
import { ApiError } from '../runtime/errors.ts';
import { followAlerts, type PastAlerts } from './past-alerts.ts';
import { type ReplayOptions, replay } from './replay.ts';

interface RuleReplay extends Pick<ReplayOptions, 'at' | 'from' | 'to' | 'signal'> {
  readonly inhibitRules: readonly InhibitRule[];
  /** The symbols that the rule may be about. */
  readonly symbols: readonly string[];
  /** Gets the readings; absent: they are asked of the client. */
  readonly ask?: ReturnType<typeof gatherSeen> | undefined;
}

/** A client that answers nothing: without an archive a rule is judged by what was seen. */
export const noData = Object.fromEntries(
  (Object.keys(contract) as EndpointName[]).map((name) => [
    name,
    async () => {
      throw new ApiError(contract[name].path, 'not_offered', 'only what was seen is known');
    },
  ]),
) as unknown as DataClient;

/** Returns the alerts of a rule in a period of the past. */
export async function replayRule(
  rule: Rule,
  { inhibitRules, symbols, ask, ...given }: RuleReplay,
): Promise<PastAlerts> {
  const ruleIndex = ruleIndexOf([rule]);
  const detector = rulesDetector({
    ruleIndex: () => ruleIndex,
    universe: () => symbols,
    ask,
  }) as Detector;
  const followed = followAlerts(inhibitRules);
  const { seenSince } = await replay({
    ...given,
    detectors: [{ detector, ...ruleReplay([rule]) }],
    symbols,
    onAlert: followed.add,
  });
  return { from: given.from, to: given.to, alerts: followed.alerts(), since: seenSince };
}
