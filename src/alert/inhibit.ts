import { z } from 'zod';
import { duration } from '../runtime/units.ts';
import { type Alert, type Labels, type PartOf, severities, severityRank } from './alert.ts';
import { type Subscription, wants } from './subscription.ts';

/** A kind of alert, or the alerts of a kind that have certain labels. */
const selector = z.union([
  z.string(),
  z.strictObject({ kind: z.string(), where: z.record(z.string(), z.string()) }),
]);
type Selector = z.output<typeof selector>;

/**
 * While a broader alert (`by`) fires, the narrower alerts in `holds` are held back, because they say the same or cannot
 * be trusted meanwhile.
 */
export const inhibitRule = z.strictObject({
  by: z.strictObject({
    kind: z.string(),
    minSeverity: z.enum(severities).default('info'),
    where: z.record(z.string(), z.string()).optional(),
  }),
  holds: z.array(selector).min(1),
  /** Labels that must be equal in both alerts: with `[direction]`, an alert about longs holds back none about shorts. */
  equal: z.array(z.string()).optional(),
  /**
   * Set if the broader alert is an event that the narrower alerts are parts of. Alerts that begin from `before` ms ahead of
   * the broader alert until `after` ms following its end are its parts. A receiver of the broader alert does not get the
   * parts as well.
   */
  event: z.strictObject({ before: duration, after: duration }).optional(),
});
export type InhibitRule = z.output<typeof inhibitRule>;

type Subject = Pick<Alert, 'fingerprint' | 'labels' | 'severity' | 'status'>;
type Broader = Pick<Alert, 'labels' | 'severity'>;

export const matchesSelector = (entry: Selector, labels: Labels): boolean =>
  typeof entry === 'string'
    ? entry === labels.kind
    : entry.kind === labels.kind && hasLabels(labels, entry.where);

const hasLabels = (labels: Labels, where: Readonly<Record<string, string>> = {}): boolean =>
  Object.entries(where).every(([name, value]) => labels[name] === value);

const covers = (
  { by, holds, equal = [] }: InhibitRule,
  { broader, labels }: { readonly broader: Broader; labels: Labels },
) =>
  by.kind === broader.labels.kind &&
  hasLabels(broader.labels, by.where) &&
  severityRank(broader.severity) >= severityRank(by.minSeverity) &&
  holds.some((each) => matchesSelector(each, labels)) &&
  equal.every((label) => broader.labels[label] === labels[label]);

/** Returns the first alert in `firing` that holds back `alert`. An alert never holds back itself or others of its kind. */
export const inhibitor = <Firing extends Subject>(
  rules: readonly InhibitRule[],
  firing: readonly Firing[],
  alert: Subject,
): Firing | undefined =>
  firing.find(
    (broader) =>
      broader.status !== 'resolved' &&
      broader.labels.kind !== alert.labels.kind &&
      rules.some((rule) => rule.event === undefined && covers(rule, { ...alert, broader })),
  );

/** Returns the event that an alert with these labels is a part of if it begins at `at` (market ms). */
export const eventOf = <Event extends Broader & Pick<Alert, 'startsAt' | 'endsAt'>>(
  rules: readonly InhibitRule[],
  {
    events,
    alert,
    at,
  }: { readonly events: readonly Event[]; readonly alert: { readonly labels: Labels }; readonly at: number },
): Event | undefined =>
  events.find((event) =>
    rules.some(
      (rule) =>
        rule.event !== undefined &&
        at >= event.startsAt - rule.event.before &&
        at <= (event.endsAt ?? Number.POSITIVE_INFINITY) + rule.event.after &&
        covers(rule, { ...alert, broader: event }),
    ),
  );

/** Returns the kinds of alerts that are events, and the longest time after an event's end in which parts may begin, ms. */
export const eventScope = (
  rules: readonly InhibitRule[],
): { readonly kinds: readonly string[]; readonly after: number } => {
  const all = rules.filter(({ event }) => event !== undefined);
  return {
    kinds: [...new Set(all.map(({ by }) => by.kind))],
    after: Math.max(0, ...all.map(({ event }) => event?.after ?? 0)),
  };
};

/** @param late whether the part was announced as an alert of its own before */
export const partOf = (
  { id, labels, peak, annotations }: Pick<Alert, 'id' | 'labels' | 'peak' | 'annotations'>,
  late: boolean,
): PartOf => ({ id, labels, peak, title: annotations.title, late });

/** Returns whether the alert is part of an event that these subscriptions want. It is then not sent separately. */
export const getsWholeEvent = (
  { partOf }: Pick<Alert, 'partOf'>,
  subscriptions: readonly Pick<Subscription, 'kinds' | 'symbols' | 'minSeverity'>[],
  universe: readonly string[],
): boolean => partOf !== undefined && subscriptions.some((each) => wants(each, { alert: partOf, universe }));
