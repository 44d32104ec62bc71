import { type Change, fingerprint, revise } from '../alert/alert.ts';
import type { InhibitRule } from '../alert/inhibit.ts';
import type { DispatchUnit, KeptAlert } from '../store/store.ts';
import { pass, suppress, type Verdict } from './stage.ts';

export interface DispatchContext {
  readonly unit: DispatchUnit;
  /** Market time, ms. */
  readonly now: number;
  /** Alerts of the kind that fire within this many ms become one post. */
  readonly groupWait: number;
  readonly inhibitRules: readonly InhibitRule[];
}

/** A change becomes a revision of its alert: the open episode's next one, or a new episode. */
export async function record(change: Change, context: DispatchContext): Promise<Verdict<KeptAlert>> {
  const { unit, now } = context;
  const open = await unit.open(fingerprint(change.labels));
  const alert = revise(open?.alert, change, now);
  if (alert === null) return suppress('nothing was open to resolve');
  const kept: KeptAlert = {
    ...(open ?? (await groupOf(alert.id, change.labels.kind, context))),
    alert,
    heldBy: open?.heldBy ?? null,
  };
  await unit.save(kept);
  return pass(kept);
}

/** The group its kind has begun and not yet told, or one of its own. */
async function groupOf(
  id: string,
  kind: string,
  { unit, now, groupWait }: DispatchContext,
): Promise<Pick<KeptAlert, 'group' | 'due'>> {
  if (groupWait === 0) return { group: id, due: now };
  const begun = (await unit.firing()).find(({ alert, due }) => alert.labels.kind === kind && due > now);
  return { group: begun?.group ?? id, due: begun?.due ?? now + groupWait };
}
