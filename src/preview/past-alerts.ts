import { type Alert, escalated, type Labels, type PartOf, type Severity } from '../alert/alert.ts';
import { eventOf, eventScope, type InhibitRule, inhibitor, partOf } from '../alert/inhibit.ts';

/** An alert that was sent, or that a replay shows would have been sent. Times are market ms. */
export interface PastAlert {
  readonly labels: Labels;
  readonly startsAt: number;
  /** Null while the alert continues. */
  readonly endsAt: number | null;
  /** The burst whose post this alert joins by an edit. */
  readonly wave?: string | undefined;
  /**
   * When the alert was announced and, each time it got worse, announced again; ascending. Empty if another alert
   * inhibited it throughout.
   */
  readonly announcements: readonly {
    readonly at: number;
    readonly severity: Severity;
    readonly partOf?: PastPart | undefined;
  }[];
}

/**
 * The event of which an announcement is a part, and since when that was known. A subscriber who is told of the event is
 * not told of its parts separately.
 */
interface PastPart extends PartOf {
  readonly since: number;
}

/** The alerts of a period. Times are market ms. */
export interface PastAlerts {
  readonly from: number;
  readonly to: number;
  /** In the order of their beginning. */
  readonly alerts: readonly PastAlert[];
  /** From when on each kind was watched; a kind that is missing could not be watched. */
  readonly since: Readonly<Record<string, number>>;
}

interface Followed {
  alert: Alert;
  /** Whether the alert was announced, so that it has its receivers. */
  isAnnounced: boolean;
  /** Fingerprint of the alert that inhibits this one. */
  heldBy: string | null;
  /** From the first revision: the burst whose post the alert joins by an edit. */
  readonly wave: string | undefined;
  /** The event of which the alert is a part. */
  part: PastPart | undefined;
  readonly announcements: { at: number; severity: Severity; partOf?: PastPart | undefined }[];
}

/**
 * Follows revisions in the order of time and applies inhibition as the pipeline does: an alert that a broader alert
 * inhibits is announced when the broader one ends, if it is still firing then, and otherwise never.
 */
export function followAlerts(rules: readonly InhibitRule[]) {
  const all: Followed[] = [];
  const open = new Map<string, Followed>();
  const inhibitorOf = (alert: Alert) =>
    inhibitor(
      rules,
      [...open.values()].map((other) => other.alert),
      alert,
    );
  const { kinds, after } = eventScope(rules);
  let recentEvents: Followed[] = [];
  const announce = (followed: Followed, at: number) => {
    followed.heldBy = null;
    followed.isAnnounced = true;
    const { part, alert } = followed;
    followed.announcements.push({
      at,
      severity: alert.severity,
      partOf: part,
    });
  };
  const partAt = (alert: Alert, now: number): PastPart | undefined => {
    recentEvents = recentEvents.filter((each) => now - (each.alert.endsAt ?? now) <= after);
    const announced = recentEvents.filter(({ heldBy }) => heldBy === null).map((each) => each.alert);
    const event = eventOf(rules, { events: announced, alert, at: now });
    return event && { ...partOf(event, false), since: now };
  };
  /** Alerts that are still firing belong to an event that begins; so do their announcements whose post still waits. */
  const beginEvent = (event: Followed, now: number) => {
    recentEvents.unshift(event);
    for (const other of all) {
      const { alert } = other;
      if (other.part !== undefined || alert.endsAt !== null) continue;
      if (eventOf(rules, { events: [event.alert], alert, at: alert.startsAt }) === undefined) continue;
      other.part = { ...partOf(event.alert, true), since: now };
      for (const announcement of other.announcements) announcement.partOf = other.part;
    }
  };

  return {
    add(alert: Alert): void {
      const known = open.get(alert.fingerprint);
      // If the first revision seen is not revision 1, the alert was announced before.
      const followed = known ?? {
        alert,
        isAnnounced: alert.revision > 1,
        heldBy: null,
        wave: waveOf(alert),
        part: undefined,
        announcements: [],
      };
      followed.alert = withoutChart(alert);
      if (known === undefined) all.push(followed);
      open.set(alert.fingerprint, followed);

      const now = alert.updatedAt;
      if (known === undefined || (followed.part !== undefined && escalated(alert)))
        followed.part = partAt(alert, now);
      if (known === undefined && kinds.includes(alert.labels.kind)) beginEvent(followed, now);
      if (followed.isAnnounced) {
        if (escalated(alert)) announce(followed, now);
      } else {
        const by = inhibitorOf(alert);
        if (by !== undefined) followed.heldBy = by.fingerprint;
        else if (alert.status !== 'resolved') announce(followed, now);
      }
      if (alert.status !== 'resolved') return;
      open.delete(alert.fingerprint);
      for (const other of open.values()) {
        if (other.heldBy !== alert.fingerprint) continue;
        const newHolder = inhibitorOf(other.alert);
        if (newHolder === undefined) announce(other, now);
        else other.heldBy = newHolder.fingerprint;
      }
    },

    alerts: (): PastAlert[] =>
      all.map(({ alert, wave, announcements }) => ({
        labels: alert.labels,
        startsAt: alert.startsAt,
        endsAt: alert.endsAt,
        wave,
        announcements,
      })),
  };
}

/** Returns the alert without its chart, which takes most of an alert's memory and is not shown in a preview. */
const withoutChart = ({ annotations: { chart: _, ...annotations }, ...alert }: Alert): Alert => ({
  ...alert,
  annotations,
});

/** Returns the burst whose post an alert joins by an edit. */
const waveOf = ({ joins, burst }: Alert): string | undefined =>
  joins === true ? (burst ?? undefined) : undefined;

/** Converts stored alerts. Only the worst severity of each is known, not when the alert got worse. */
export const keptAlerts = (alerts: readonly Alert[], to: number): PastAlerts => {
  const beginnings = new Map(alerts.map(({ id, startsAt }) => [id, startsAt]));
  // A part that was announced before its event began was told by itself.
  const sinceOf = ({ id, late }: PartOf, startsAt: number) => (late ? (beginnings.get(id) ?? to) : startsAt);
  const past = alerts
    .filter(({ startsAt }) => startsAt <= to)
    .sort((a, b) => a.startsAt - b.startsAt)
    .map((alert) => {
      const { labels, startsAt, endsAt, peak, partOf: part } = alert;
      const wave = waveOf(alert);
      const event = part !== undefined && { partOf: { ...part, since: sinceOf(part, startsAt) } };
      return {
        labels,
        startsAt,
        endsAt,
        wave,
        announcements: [{ at: startsAt, severity: peak, ...event }],
      };
    });
  const from = past[0]?.startsAt ?? to;
  return { from, to, alerts: past, since: {} };
};
