import type { Alert } from '../alert/alert.ts';
import { inhibitor } from '../alert/inhibit.ts';
import { plainReader, say } from '../language/say.ts';
import type { KeptAlert } from '../store/store.ts';
import type { DispatchContext } from './record.ts';
import { pass, suppress, type Verdict } from './stage.ts';

/** As logs and the delivery log have it. */
export const heldBackBy = ({ annotations }: Alert): string =>
  `held back by "${say(annotations.title, plainReader)}"`;

/**
 * A broader alert that fires holds this one back until it ends; `announce` frees what it held.
 * What was announced already is never held: its message must live on and resolve.
 */
export async function inhibit(kept: KeptAlert, context: DispatchContext): Promise<Verdict<KeptAlert>> {
  const { unit, inhibitRules } = context;
  const { alert, heldBy } = kept;
  const announced = alert.revision > 1 && heldBy === null;
  const mayBeHeld = inhibitRules.some(({ holds }) => holds.includes(alert.labels.kind));
  if (announced || (!mayBeHeld && heldBy === null)) return pass(kept);
  const by = inhibitor(
    inhibitRules,
    (await unit.firing()).map((other) => other.alert),
    alert,
  );
  if (by === undefined) {
    if (alert.status === 'resolved') return suppress('over before what held it back ended');
    return pass({ ...kept, heldBy: null });
  }
  await unit.save({ ...kept, heldBy: by.fingerprint });
  return suppress(heldBackBy(by));
}
