import type { Alert } from '../alert/alert.ts';
import { inhibitor, matchesSelector } from '../alert/inhibit.ts';
import type { Reason } from '../alert/reason.ts';
import { msg } from '../language/text.ts';
import type { KeptAlert } from '../store/ports.ts';
import type { DispatchContext } from './revise.ts';
import { pass, suppress, type Verdict } from './stage.ts';

export const heldBackBy = ({ annotations }: Alert): Reason => ({
  code: 'held_back',
  text: msg('held back by "{alert}"', { alert: annotations.title }),
});

/**
 * Holds an alert back while a broader alert fires; the stage `free` releases it when the broader alert ends or eases.
 * An alert that was announced already is never held back: its message must still be updated and resolved.
 */
export async function inhibit(kept: KeptAlert, context: DispatchContext): Promise<Verdict<KeptAlert>> {
  const { unit, inhibitRules } = context;
  const { alert, heldBy } = kept;
  const announced = alert.revision > 1 && heldBy === null;
  const mayBeHeld = inhibitRules.some(({ holds }) =>
    holds.some((each) => matchesSelector(each, alert.labels)),
  );
  if (announced || (!mayBeHeld && heldBy === null)) return pass(kept);
  const broader = await unit.firing(inhibitRules.map((rule) => rule.by.kind));
  const by = inhibitor(
    inhibitRules,
    broader.map((other) => other.alert),
    alert,
  );
  if (by === undefined) {
    if (alert.status === 'resolved') {
      return suppress({ code: 'over_while_held_back', text: msg('over before what held it back ended') });
    }
    // Nobody was told of it before: it begins for people with this revision, however it changed while it was held back.
    const begun: Alert = { ...alert, status: 'firing', newsRevision: alert.revision };
    return pass({ ...kept, heldBy: null, alert: heldBy === null ? alert : begun });
  }
  await unit.save({ ...kept, heldBy: by.fingerprint });
  return suppress(heldBackBy(by));
}
