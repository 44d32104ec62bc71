import { inhibitor } from '../alert/inhibit.ts';
import type { KeptAlert } from '../store/store.ts';
import type { DispatchContext } from './record.ts';
import { pass, type Verdict } from './stage.ts';

/**
 * With each revision of a broader alert, those that it holds back and now would not go on to be told: it has ended, or
 * it has eased, also where it is itself held back.
 */
export async function free(kept: KeptAlert, context: DispatchContext): Promise<Verdict<KeptAlert>> {
  const { unit, inhibitRules, now } = context;
  const { alert } = kept;
  // What is for one place alone holds nothing back from others, and its first revision nothing yet.
  const holds = alert.revision > 1 && inhibitRules.some(({ by }) => by.kind === alert.labels.kind);
  if (!holds || alert.only !== undefined) return pass(kept);
  const firing = await unit.firing();
  const alerts = firing.map((each) => each.alert);
  const freed = firing
    .filter(({ heldBy }) => heldBy === alert.fingerprint)
    .filter(
      (held) =>
        inhibitor(inhibitRules, { firing: alerts, alert: held.alert })?.fingerprint !== alert.fingerprint,
    )
    // Due from now on: a digest of the time in which it was held back is told already.
    .map((held) => ({ ...held, due: Math.max(held.due, now) }));
  return pass(kept, ...freed);
}
