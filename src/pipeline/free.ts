import { inhibitor } from '../alert/inhibit.ts';
import type { KeptAlert } from '../store/ports.ts';
import type { DispatchContext } from './revise.ts';
import { pass, type Verdict } from './stage.ts';

/**
 * Releases held-back alerts. When a broader alert ends or eases, the alerts that it held back and would no longer hold
 * back are passed on together with its revision, even if the broader alert is itself held back.
 */
export async function free(kept: KeptAlert, context: DispatchContext): Promise<Verdict<KeptAlert>> {
  const { unit, inhibitRules } = context;
  const { alert } = kept;
  // An alert for one place alone holds back no others, and a first revision has held back none yet.
  const holds = alert.revision > 1 && inhibitRules.some(({ by }) => by.kind === alert.labels.kind);
  if (!holds || alert.only !== undefined) return pass(kept);
  const firing = await unit.firing();
  const alerts = firing.map((each) => each.alert);
  const freed = firing
    .filter(({ heldBy }) => heldBy === alert.fingerprint)
    .filter((held) => inhibitor(inhibitRules, alerts, held.alert)?.fingerprint !== alert.fingerprint);
  return pass(kept, ...freed);
}

/**
 * Returns the held-back alerts of a kind that nothing holds back any more although no broader alert has changed: the rule
 * that held them back is gone, say.
 */
export async function unheld(
  kind: string,
  { unit, inhibitRules }: Pick<DispatchContext, 'unit' | 'inhibitRules'>,
): Promise<KeptAlert[]> {
  const held = await unit.heldBack(kind);
  if (held.length === 0) return [];
  const broader = await unit.firing(inhibitRules.map(({ by }) => by.kind));
  const firing = broader.map(({ alert }) => alert);
  return held.filter(({ alert }) => inhibitor(inhibitRules, firing, alert) === undefined);
}
