import { z } from 'zod';
import { duration } from '../runtime/units.ts';
import { type Alert, type Labels, type PartOf, severities, severityRank } from './alert.ts';
import { type Subscription, wants } from './subscription.ts';

/** A kind, or those of it whose labels are these. */
const selector = z.union([
  z.string(),
  z.strictObject({ kind: z.string(), where: z.record(z.string(), z.string()) }),
]);
type Selector = z.output<typeof selector>;

/** A broader alert that fires holds back the narrower ones that say the same or cannot be trusted meanwhile. */
export const inhibitRule = z.object({
  by: z.object({
    kind: z.string(),
    minSeverity: z.enum(severities).default('info'),
    where: z.record(z.string(), z.string()).optional(),
  }),
  holds: z.array(selector).min(1),
  /** Labels that both must have alike: `[direction]` lets a crowd of longs hold back no crowd of shorts. */
  equal: z.array(z.string()).optional(),
  /**
   * They are one event: what begins from this long before the broader alert until this long after its end is a part of
   * it, also once it has ended, and is not told besides it where the broader one is.
   */
  event: z.strictObject({ before: duration, after: duration }).optional(),
});
export type InhibitRule = z.output<typeof inhibitRule>;

type Subject = Pick<Alert, 'fingerprint' | 'labels' | 'severity' | 'status'>;
type Broader = Pick<Alert, 'labels' | 'severity'>;

export const speaksOf = (of: Selector, labels: Labels): boolean =>
  typeof of === 'string' ? of === labels.kind : of.kind === labels.kind && has(labels, of.where);

const has = (labels: Labels, where: Readonly<Record<string, string>> = {}): boolean =>
  Object.entries(where).every(([name, value]) => labels[name] === value);

const standsFor = (
  { by, holds, equal = [] }: InhibitRule,
  { other, labels }: { readonly other: Broader; labels: Labels },
) =>
  by.kind === other.labels.kind &&
  has(other.labels, by.where) &&
  severityRank(other.severity) >= severityRank(by.minSeverity) &&
  holds.some((each) => speaksOf(each, labels)) &&
  equal.every((label) => other.labels[label] === labels[label]);

/** The first of `firing` that holds back `alert`. An alert never holds back itself, nor one of its own kind. */
export const inhibitor = <Firing extends Subject>(
  rules: readonly InhibitRule[],
  { firing, alert }: { readonly firing: readonly Firing[]; readonly alert: Subject },
): Firing | undefined =>
  firing.find(
    (other) =>
      other.status !== 'resolved' &&
      other.labels.kind !== alert.labels.kind &&
      rules.some((rule) => rule.event === undefined && standsFor(rule, { ...alert, other })),
  );

/** The event of which what begins at `at` (market ms) with these labels is a part. */
export const eventOf = <Event extends Broader & Pick<Alert, 'startsAt' | 'endsAt'>>(
  rules: readonly InhibitRule[],
  {
    events,
    alert,
    at,
  }: { readonly events: readonly Event[]; readonly alert: { readonly labels: Labels }; readonly at: number },
): Event | undefined =>
  events.find((other) =>
    rules.some(
      (rule) =>
        rule.event !== undefined &&
        at >= other.startsAt - rule.event.before &&
        at <= (other.endsAt ?? Number.POSITIVE_INFINITY) + rule.event.after &&
        standsFor(rule, { ...alert, other }),
    ),
  );

/** Kinds that are events for others, and how long after their end they still are, ms. */
export const events = (
  rules: readonly InhibitRule[],
): { readonly kinds: readonly string[]; readonly after: number } => {
  const all = rules.filter(({ event }) => event !== undefined);
  return {
    kinds: [...new Set(all.map(({ by }) => by.kind))],
    after: Math.max(0, ...all.map(({ event }) => event?.after ?? 0)),
  };
};

/** @param late it had been announced by itself before */
export const partOf = (
  { id, labels, peak, annotations }: Pick<Alert, 'id' | 'labels' | 'peak' | 'annotations'>,
  late: boolean,
): PartOf => ({ id, labels, peak, title: annotations.title, late });

/** Whoever is told of the event has its parts in that. */
export const getsWholeEvent = (
  { partOf }: Pick<Alert, 'partOf'>,
  {
    subscriptions,
    universe,
  }: {
    readonly subscriptions: readonly Pick<Subscription, 'kinds' | 'symbols' | 'minSeverity'>[];
    readonly universe: readonly string[];
  },
): boolean => partOf !== undefined && subscriptions.some((each) => wants(each, { alert: partOf, universe }));
