import { type Alert, escalated } from '../alert/alert.ts';
import { eventOf, eventScope, partOf } from '../alert/inhibit.ts';
import type { KeptAlert } from '../store/ports.ts';
import type { DispatchContext } from './revise.ts';
import { pass, type Verdict } from './stage.ts';

/**
 * Lets an event have one post. An alert that begins during an event, or shortly before or after it, becomes part of the
 * event; alerts that fire already when the event begins are passed on as parts, too. An alert that gets worse is judged
 * again, and is announced by itself if the event ended too long ago.
 */
export async function absorb(kept: KeptAlert, context: DispatchContext): Promise<Verdict<KeptAlert>> {
  const { alert } = kept;
  const { kinds, after } = eventScope(context.inhibitRules);
  if (alert.only !== undefined || kinds.length === 0) return pass(kept);
  const joiningParts =
    alert.revision === 1 && kinds.includes(alert.labels.kind) ? await partsOf(alert, context) : [];
  const isNews = alert.revision === 1 || (alert.partOf !== undefined && escalated(alert));
  if (!isNews) return pass(kept, ...joiningParts);
  const { partOf: before, ...own } = alert;
  const known = await context.unit.firingOrEndedSince(kinds, context.now - after);
  const announced = known.filter(({ heldBy }) => heldBy === null).map((other) => other.alert);
  const event = eventOf(context.inhibitRules, { events: announced, alert: own, at: context.now });
  const part = event === undefined ? own : { ...own, partOf: partOf(event, before?.late ?? false) };
  return pass({ ...kept, alert: part }, ...joiningParts);
}

/**
 * Returns a new revision of each firing alert that belongs to the event that begins. Its posts then end with a line
 * that names the event.
 */
async function partsOf(
  event: Alert,
  { unit, inhibitRules, now }: Pick<DispatchContext, 'unit' | 'inhibitRules' | 'now'>,
): Promise<KeptAlert[]> {
  const firing = await unit.firing();
  return firing
    .filter(({ alert }) => alert.only === undefined && alert.partOf === undefined)
    .filter(
      ({ alert }) => eventOf(inhibitRules, { events: [event], alert, at: alert.startsAt }) !== undefined,
    )
    .map(({ alert: { writtenAt: _, ...alert }, ...rest }) => ({
      ...rest,
      alert: {
        ...alert,
        status: 'updated',
        revision: alert.revision + 1,
        previousSeverity: alert.severity,
        updatedAt: now,
        partOf: partOf(event, rest.heldBy === null),
      },
    }));
}
