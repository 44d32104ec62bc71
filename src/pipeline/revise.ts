import { type Alert, type Change, fingerprint, type Labels, revise as nextRevision } from '../alert/alert.ts';
import type { InhibitRule } from '../alert/inhibit.ts';
import { type Expectation, priceSymbolOf } from '../alert/outcome.ts';
import { msg } from '../language/text.ts';
import type { DispatchUnit, KeptAlert } from '../store/ports.ts';
import { pass, suppress, type Verdict } from './stage.ts';

export interface DispatchContext {
  readonly unit: DispatchUnit;
  /** Market time, ms. */
  readonly now: number;
  /** Alerts of one kind, or of one burst of that kind, that begin within this many ms share one post. */
  readonly groupWait: number;
  readonly inhibitRules: readonly InhibitRule[];
  /** The market that the alerts are about. The record of prices after alerts keeps markets apart. */
  readonly market: string;
  /** Returns what an alert with these labels predicts about the price; null if nothing. */
  prediction(labels: Labels): Expectation | null;
}

/** Turns a change into a revision of its alert: the next one of the open episode, or the first one of a new episode. */
export async function revise(change: Change, context: DispatchContext): Promise<Verdict<KeptAlert>> {
  const { unit, now, market } = context;
  const open = await unit.findOpen(fingerprint(change.labels));
  const alert = nextRevision(open?.alert, change, now);
  if (alert === null) return suppress({ code: 'nothing_open', text: msg('nothing was open to resolve') });
  const kept: KeptAlert = {
    ...(open ?? (await groupOf(alert, context))),
    alert,
    heldBy: open?.heldBy ?? null,
  };
  await unit.save(kept);
  const prediction = alert.revision === 1 ? context.prediction(alert.labels) : null;
  if (prediction !== null)
    await unit.followPrice(alert, { market, symbol: priceSymbolOf(alert.labels), prediction });
  return pass(kept);
}

/**
 * Returns the group (the shared post) of a new alert: that of its burst, or one that its kind has begun and that is not
 * due yet, or a group of its own.
 */
async function groupOf(
  { id, labels, burst }: Alert,
  { unit, now, groupWait }: DispatchContext,
): Promise<Pick<KeptAlert, 'group' | 'due'>> {
  if (groupWait === 0 || burst === null) return { group: id, due: now };
  if (burst !== undefined) return { group: burst, due: now + groupWait };
  const openGroup = (await unit.firing([labels.kind])).find(({ due }) => due > now);
  return { group: openGroup?.group ?? id, due: openGroup?.due ?? now + groupWait };
}
